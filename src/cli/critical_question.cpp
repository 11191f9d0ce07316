#include "cli/critical_question.h"

#include "cli/interrupt.h"
#include "depend/potential.h"
#include "technique/critical/critical.h"
#include "technique/instance_text.h"

namespace faultline::cli {
namespace {

using Clock = std::chrono::steady_clock;

Result<std::vector<technique::Candidate>> allCandidates(ValueRun& run, const depend::Slice& slice,
                                                        uint64_t end) {
  std::vector<technique::Candidate> candidates = technique::candidatesOf(*run.history, slice);
  constexpr uint64_t kFarEnough = 20'000'000; // instructions before the failure
  FL_TRY(others, technique::otherBranches(*run.history, slice, end, kFarEnough));
  candidates.insert(candidates.end(), others.begin(), others.end());
  return candidates;
}

Result<void> describe(ValueRun& run, const technique::CriticalResult& result,
                      finding::CriticalReport& report) {
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  std::vector<technique::CriticalPredicate> all = result.predicates;
  all.insert(all.end(), result.partial.begin(), result.partial.end());
  for (const technique::CriticalPredicate& p : all) {
    FL_TRY(text, technique::describeInstance(run.failing.run.replay, p.candidate.time, p.candidate.id));
    finding::CriticalDecision d;
    d.place = technique::placeOf(run.history->code(), p.candidate.id, cwd);
    d.instance = fmt::format("{}:{}", p.candidate.epoch, p.candidate.id);
    d.time = p.candidate.time;
    d.executions = p.executions;
    d.condition = text.value;
    if (p.alteration.kind == experiment::Alteration::SwitchTo) d.switchedTo = int64_t(p.alteration.value);
    d.inSlice = p.candidate.inSlice;
    d.verified = p.confirmed;
    d.effect = p.effect;
    d.unverified = p.unconfirmed;
    report.decisions.push_back(std::move(d));
  }
  report.candidates = result.candidates;
  report.tried = result.tried;
  report.passed = result.passed;
  report.around = result.around;
  report.orderly = result.orderly;
  report.same = result.same;
  report.other = result.other;
  report.none = result.none;
  return {};
}

void addCaveats(const technique::CriticalResult& result, std::vector<std::string>& caveats) {
  if (result.stopped)
    caveats.push_back(fmt::format("not all decisions were tried: {} experiments, {} decisions", result.tried,
                                  result.candidates));
  if (result.unreached)
    caveats.push_back(
        fmt::format("{} experiments did not come to the decision they were to switch", result.unreached));
  if (result.strange)
    caveats.push_back(fmt::format("{} experiments have no verdict: {}", result.strange, result.strangeCall));
  if (!result.diverged.empty())
    caveats.push_back(fmt::format("some experiments have no outcome: {}", result.diverged));
  if (result.blocked)
    caveats.push_back(
        fmt::format("altered runs tried {} times to reach beyond their process: refused", result.blocked));
}

} // namespace

Result<depend::Slice> relevantSlice(ValueRun& run) {
  depend::Potential potential(*run.history);
  return depend::sliceBackward(*run.history, run.question.from, {}, &potential);
}

Result<finding::CriticalReport> findCritical(const Context& context, ValueRun& run, Laboratory& laboratory,
                                             const depend::Slice& slice, const Effort& effort,
                                             Clock::time_point deadline) {
  auto begin = Clock::now();
  finding::CriticalReport report;
  report.program = programOf(run.failing.run);
  report.failure = run.failing.info;
  run.watchUntil(deadline);
  FL_TRY(candidates, allCandidates(run, slice, run.question.from.time));
  run.stopWatching();

  auto searching = Clock::now();
  experiment::Trials trials = laboratory.trials();
  auto progress = std::make_unique<Progress>(context.log(), "switching decisions", candidates.size());
  technique::CriticalOptions search;
  search.most = effort.most;
  search.leastTried = effort.leastTried;
  search.watch = [&](uint64_t done, uint64_t, size_t) {
    progress->update(done);
    return !wasInterrupted() && Clock::now() < deadline;
  };
  FL_TRY(result, technique::searchCritical(*run.history, candidates, trials, search));
  progress.reset();
  report.seconds = std::chrono::duration<double>(Clock::now() - searching).count();
  report.method = laboratory.methodText();
  FL_CHECK(describe(run, result, report));
  addCaveats(result, report.caveats);
  Laboratory::addCaveats(trials, report.caveats);
  report.stats = laboratory.stats(trials);
  report.stats["blocked"] = result.blocked;
  report.stats["improved"] = result.improved;
  report.stats["seconds"] = std::chrono::duration<double>(Clock::now() - begin).count();
  return report;
}

} // namespace faultline::cli

#include "cli/critical_question.h"

#include "cli/expectation.h"
#include "cli/interrupt.h"
#include "depend/potential.h"
#include "experiment/judge.h"
#include "technique/critical/critical.h"
#include "technique/instance_text.h"

namespace faultline::cli {
namespace {

using Clock = std::chrono::steady_clock;

experiment::Method methodNamed(const std::string& name) {
  if (name == "rollback") return experiment::Method::Rollback;
  return name == "fresh" ? experiment::Method::Fresh : experiment::Method::Automatic;
}

// So many steps may an altered run take more than the run itself, before it counts as a hang.
uint64_t stepLimit(const recording::End& end) {
  return end.timedOut ? end.epoch : end.epoch * 10 + 1'000'000;
}

// How the run ends when it is repeated in the way that experiments are, and a judge who knows it.
Result<experiment::Judge> judgeFor(experiment::Experimenter& experimenter,
                                   const recording::Recording& recording,
                                   const recording::Expectation& expectation,
                                   std::vector<std::string>& caveats) {
  experiment::Ending original;
  if (recording.end()->timedOut) {
    original.cut = experiment::Ending::Time;
  } else {
    FL_TRY(walked, experimenter.walk());
    original = std::move(walked);
    if (original.cut != experiment::Ending::None)
      return errorf("the run did not come to its end when it was repeated{}",
                    original.broken.empty() ? "" : ": " + original.broken);
    if (original.epochs != recording.end()->epoch)
      caveats.push_back(fmt::format("the repeated run took {} steps instead of {}", original.epochs,
                                    recording.end()->epoch));
  }
  return experiment::Judge::create(expectation, original, recording.meta().cwd);
}

Result<std::vector<technique::Candidate>> allCandidates(ValueRun& run) {
  uint64_t end = run.failing.run.replay.now();
  depend::Potential potential(*run.history);
  FL_TRY(slice, depend::sliceBackward(*run.history, run.question.from, {}, &potential));
  std::vector<technique::Candidate> candidates = technique::candidatesOf(*run.history, slice);
  constexpr uint64_t kFarEnough = 20'000'000; // instructions before the failure
  FL_TRY(others, technique::otherBranches(*run.history, slice, end, kFarEnough));
  candidates.insert(candidates.end(), others.begin(), others.end());
  return candidates;
}

Result<void> describe(ValueRun& run, const technique::CriticalResult& result,
                      finding::CriticalReport& report) {
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  for (const technique::CriticalPredicate& p : result.predicates) {
    FL_TRY(text, technique::describeInstance(run.failing.run.replay, p.candidate.time, p.candidate.id));
    finding::CriticalDecision d;
    d.place = technique::placeOf(run.history->code(), p.candidate.id, cwd);
    d.instance = fmt::format("{}:{}", p.candidate.epoch, p.candidate.id);
    d.time = p.candidate.time;
    d.condition = text.value;
    if (p.alteration.kind == experiment::Alteration::SwitchTo) d.switchedTo = int64_t(p.alteration.value);
    d.inSlice = p.candidate.inSlice;
    d.verified = p.confirmed;
    d.unverified = p.unconfirmed;
    report.decisions.push_back(std::move(d));
  }
  report.candidates = result.candidates;
  report.tried = result.tried;
  report.passed = result.passed;
  report.same = result.same;
  report.other = result.other;
  report.none = result.none;
  return {};
}

void addCaveats(const technique::CriticalResult& result, const experiment::Experimenter& experimenter,
                std::vector<std::string>& caveats) {
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
  if (!experimenter.reason().empty())
    caveats.push_back(fmt::format("each experiment was a process of its own: {}", experimenter.reason()));
  if (uint64_t values = experimenter.stats().otherValues)
    caveats.push_back(fmt::format("the repeated run got {} other values from outside than the recorded one, "
                                  "on the same way",
                                  values));
}

} // namespace

Result<finding::CriticalReport> findCritical(const Context& context, ValueRun& run,
                                             const AlterableRun& alterable, const RunOptions& options,
                                             const CriticalArguments& arguments, Clock::time_point deadline) {
  auto begin = Clock::now();
  const recording::Recording& recording = run.failing.run.recording;
  finding::CriticalReport report;
  report.program = programOf(run.failing.run);
  report.failure = failureInfo(run.failing);
  report.caveats = alterable.caveats;

  FL_TRY(expectationNow, expectationOf(options));
  const recording::Expectation& expectation =
      expectationNow.isGiven() ? expectationNow : recording.meta().expectation;
  FL_TRY(setting, experimenterSetting(context, recording));
  setting.server.expected = expectation.output;
  setting.server.keepOutput = !expectation.oracle.empty();
  setting.server.limits.epochs = stepLimit(*recording.end());
  setting.containment.on = !arguments.uncontained;
  setting.method = methodNamed(arguments.method);
  experiment::Experimenter experimenter(setting);
  FL_TRY(judge, judgeFor(experimenter, recording, expectation, report.caveats));
  FL_TRY(candidates, allCandidates(run));
  run.stopWatching();

  auto searching = Clock::now();
  auto progress = std::make_unique<Progress>(context.log(), "switching decisions", candidates.size());
  technique::CriticalOptions search;
  search.most = arguments.most;
  search.watch = [&](uint64_t done, uint64_t, size_t) {
    progress->update(done);
    return !wasInterrupted() && Clock::now() < deadline;
  };
  FL_TRY(result, technique::searchCritical(*run.history, candidates, experimenter, judge, search));
  progress.reset();
  report.seconds = std::chrono::duration<double>(Clock::now() - searching).count();
  report.method = experimenter.reason().empty()
                      ? experimenter.freshRuns() ? "in one process, some in their own" : "in one process"
                      : "each in a process of its own";
  FL_CHECK(describe(run, result, report));
  addCaveats(result, experimenter, report.caveats);
  const experiment::ServerStats stats = experimenter.stats();
  report.stats = {{"processes", stats.processes},
                  {"snapshots", stats.snapshots},
                  {"rollbacks", stats.rollbacks},
                  {"pages_restored", stats.pagesRestored},
                  {"fresh_runs", experimenter.freshRuns()},
                  {"blocked", result.blocked},
                  {"landlock", stats.landlock},
                  {"seconds", std::chrono::duration<double>(Clock::now() - begin).count()}};
  return report;
}

} // namespace faultline::cli

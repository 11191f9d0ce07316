// faultline critical: which single decision, taken the other way, makes the run pass.
#include "technique/critical/critical.h"
#include "cli/alterable_run.h"
#include "cli/expectation.h"
#include "cli/interrupt.h"
#include "cli/value_question.h"
#include "depend/potential.h"
#include "report/excerpt.h"
#include "report/terminal.h"
#include "technique/slice/instance_text.h"

#include <chrono>
#include <csignal>

namespace faultline::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct CriticalArguments {
  ValueOptions value;
  size_t most = 3;
  bool everything = false;
};

// So many steps may an altered run take more than the run itself, before it counts as a hang.
uint64_t stepLimit(const recording::End& end) {
  return end.timedOut ? end.epoch : end.epoch * 10 + 1'000'000;
}

Result<experiment::Judge> judgeFor(experiment::Server& server, const recording::Recording& recording,
                                   const recording::Expectation& expectation,
                                   std::vector<std::string>& caveats) {
  experiment::Ending original;
  if (recording.end()->timedOut) {
    original.cut = experiment::Ending::Time;
  } else {
    FL_TRY(walk, server.walk());
    if (!walk.strange.empty())
      return errorf("the program calls {}, which cannot be repeated within one process yet", walk.strange);
    original = walk.ending;
    if (original.cut == experiment::Ending::Time)
      return errorf("the run did not come to its end when it was repeated");
    if (original.epochs != recording.end()->epoch)
      caveats.push_back(fmt::format("the repeated run took {} steps instead of {}", original.epochs,
                                    recording.end()->epoch));
  }
  return experiment::Judge::create(expectation, original, recording.meta().cwd);
}

finding::Json predicateJson(const technique::CriticalPredicate& p, const finding::Place& place,
                            const std::optional<finding::Value>& value) {
  finding::Json out;
  out["place"] = finding::toJson(place);
  out["instance"] = fmt::format("{}:{}", p.candidate.epoch, p.candidate.id);
  out["time"] = p.candidate.time;
  if (value) {
    out["condition"] = value->name;
    out["taken"] = value->text;
  }
  if (p.alteration.kind == experiment::Alteration::SwitchTo) out["switched_to"] = p.alteration.value;
  out["in_slice"] = p.candidate.inSlice;
  out["verified"] = p.confirmed;
  if (!p.unconfirmed.empty()) out["unverified_because"] = p.unconfirmed;
  return out;
}

std::string switchedText(const technique::CriticalPredicate& p, const std::optional<finding::Value>& value) {
  std::string condition = value && !value->name.empty() ? fmt::format("`{}`", value->name) : "the condition";
  if (p.alteration.kind == experiment::Alteration::SwitchTo)
    return fmt::format("{} was {}; had it been {}, the run passes", condition,
                       value ? value->text : "another", int64_t(p.alteration.value));
  std::string taken = value ? value->text : "";
  return fmt::format("{} was {}; taken the other way, the run passes", condition,
                     taken.empty() ? "decided one way" : taken);
}

Result<int> critical(const Context& context, CriticalArguments options) {
  auto begin = Clock::now();
  FL_TRY(alterable, alterableRun(context, options.value.run));
  options.value.run.words = {alterable.recording.string()};
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "critical");
  const recording::Recording& recording = run->failing.run.recording;
  std::optional<finding::FailureInfo> failure = failureInfo(run->failing);
  uint64_t end = run->failing.run.replay.now();

  FL_TRY(expectationNow, expectationOf(options.value.run));
  const recording::Expectation& expectation =
      expectationNow.isGiven() ? expectationNow : recording.meta().expectation;
  FL_TRY(setting, serverSetting(context, recording));
  setting.expected = expectation.output;
  setting.keepOutput = !expectation.oracle.empty();
  setting.limits.epochs = stepLimit(*recording.end());
  std::vector<std::string> caveats = alterable.caveats;
  experiment::Server walker(setting);
  FL_TRY(judge, judgeFor(walker, recording, expectation, caveats));

  depend::Potential potential(*run->history);
  FL_TRY(slice, depend::sliceBackward(*run->history, run->question.from, {}, &potential));
  std::vector<technique::Candidate> candidates = technique::candidatesOf(*run->history, slice);
  FL_TRY(others, technique::otherBranches(*run->history, slice, end, 20'000'000));
  candidates.insert(candidates.end(), others.begin(), others.end());
  run->stopWatching();

  auto deadline = begin + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(options.value.budget));
  auto searching = Clock::now();
  auto progress = std::make_unique<Progress>(context.log(), "switching decisions", candidates.size());
  technique::CriticalOptions search;
  search.most = options.most;
  search.watch = [&](uint64_t done, uint64_t, size_t found) {
    progress->update(done);
    return !wasInterrupted() && Clock::now() < deadline;
  };
  FL_TRY(result, technique::searchCritical(*run->history, candidates, setting, judge, search));
  progress.reset();
  double seconds = std::chrono::duration<double>(Clock::now() - searching).count();

  if (result.stopped)
    caveats.push_back(fmt::format("{} of {} decisions were tried", result.tried, result.candidates));
  if (result.strange)
    caveats.push_back(fmt::format("{} experiments have no verdict: {}", result.strange, result.strangeCall));
  if (!result.diverged.empty())
    caveats.push_back(fmt::format("some experiments have no outcome: {}", result.diverged));
  if (result.blocked)
    caveats.push_back(fmt::format("{} attempts to reach beyond the process were refused", result.blocked));

  struct Shown {
    finding::Place place;
    std::optional<finding::Value> value;
  };
  std::vector<Shown> shown;
  for (const technique::CriticalPredicate& p : result.predicates) {
    FL_TRY(text, technique::describeInstance(run->failing.run.replay, p.candidate.time, p.candidate.id));
    shown.push_back(
        {technique::placeOf(run->history->code(), p.candidate.id, recording.meta().cwd), text.value});
  }
  int status = result.predicates.empty() ? kNoAnswer : kAnswered;
  if (context.json) {
    finding::Document document{.technique = "critical", .program = programOf(run->failing.run)};
    document.failure = failure;
    document.caveats = caveats;
    document.part["predicates"] = finding::Json::array();
    for (size_t k = 0; k < shown.size(); ++k)
      document.part["predicates"].push_back(
          predicateJson(result.predicates[k], shown[k].place, shown[k].value));
    document.stats = {{"candidates", result.candidates},
                      {"experiments", result.tried},
                      {"passed", result.passed},
                      {"same_failure", result.same},
                      {"other_failure", result.other},
                      {"no_verdict", result.none},
                      {"method", "rollback"},
                      {"processes", result.stats.processes},
                      {"snapshots", result.stats.snapshots},
                      {"rollbacks", result.stats.rollbacks},
                      {"pages_restored", result.stats.pagesRestored},
                      {"search_seconds", seconds},
                      {"seconds", std::chrono::duration<double>(Clock::now() - begin).count()}};
    FL_CHECK(context.answer(finding::printed(finding::toJson(document))));
    return status;
  }
  std::string text;
  if (failure) text += failure->message + "\n\n";
  for (size_t k = 0; k < shown.size(); ++k) {
    const technique::CriticalPredicate& p = result.predicates[k];
    text += fmt::format("{}. {}:{} in {}(): {}{}\n", k + 1, shown[k].place.file, shown[k].place.line,
                        shown[k].place.function, switchedText(p, shown[k].value),
                        p.confirmed ? "" : fmt::format(" ({})", p.unconfirmed));
  }
  if (shown.empty()) text += "No single decision was found that makes the run pass.\n";
  text += fmt::format("\n{} experiments in {:.1f} s: {} passed, {} failed in the same way, {} in another, {} "
                      "without verdict\n",
                      result.tried, seconds, result.passed, result.same, result.other, result.none);
  for (const std::string& caveat : caveats) text += fmt::format("note: {}\n", caveat);
  FL_CHECK(context.answer(text));
  return status;
}

} // namespace

void addCritical(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("critical", "Which single decision, taken the other way, makes the run pass");
  addCommonOptions(*command, context);
  auto options = std::make_shared<CriticalArguments>();
  addValueOptions(*command, options->value);
  command->add_option("--most", options->most, "Stop when so many are found")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->capture_default_str();
  command->callback([options, &context] { context.run([&] { return critical(context, *options); }); });
}

} // namespace faultline::cli

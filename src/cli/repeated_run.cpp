#include "cli/repeated_run.h"

#include <algorithm>
#include <cmath>
#include <future>

namespace faultline::cli {

using experiment::Ending;
using experiment::FreshRunner;
using experiment::RunSpec;
using technique::TrialOutcome;

experiment::InputKind inputKindOf(const recording::Meta& meta) {
  return meta.input == "captured" ? experiment::InputKind::File : experiment::InputKind::None;
}

TrialOutcome outcomeFor(experiment::Verdict verdict, bool anyFailure) {
  switch (verdict) {
  case experiment::Verdict::SameFailure:
    return TrialOutcome::Fail;
  case experiment::Verdict::Passed:
    return TrialOutcome::Pass;
  case experiment::Verdict::OtherFailure:
    return anyFailure ? TrialOutcome::Fail : TrialOutcome::Unresolved;
  case experiment::Verdict::None:
    break;
  }
  return TrialOutcome::Unresolved;
}

Result<std::shared_ptr<FreshRunner>> runnerFor(experiment::FreshProgram program,
                                               const experiment::Limits& limits, bool isContained,
                                               const recording::Meta& meta, unsigned atOnce) {
  experiment::Containment containment;
  containment.on = isContained;
  FL_TRY(runner, FreshRunner::create(std::move(program), limits, containment, inputKindOf(meta), atOnce));
  return std::make_shared<FreshRunner>(std::move(runner));
}

Result<recording::Expectation> expectedBy(const FreshRunner& reference, const RunSpec& run) {
  FL_TRY(ending, reference.run(run));
  recording::Expectation out;
  if (ending.cut != Ending::None || ending.signalled()) return out; // it cannot say
  out.output = std::move(ending.output);
  out.status = ending.status();
  return out;
}

Result<TrialOutcome> settled(const FreshRunner* reference, const RunSpec& run,
                             const recording::Expectation& expected, TrialOutcome outcome) {
  if (!reference || outcome != TrialOutcome::Fail) return outcome;
  FL_TRY(again, expectedBy(*reference, run));
  bool isSame = again.output == expected.output && again.status == expected.status;
  return isSame ? TrialOutcome::Fail : TrialOutcome::Unresolved;
}

Result<TrialOutcome> RepeatedRun::outcomeOf(const RunSpec& run) const {
  recording::Expectation expected;
  if (reference) {
    FL_TRY(said, expectedBy(*reference, run));
    if (!said.output) return TrialOutcome::Unresolved;
    expected = std::move(said);
  }
  FL_TRY(ending, runner->run(run));
  FL_TRY(verdict, reference ? judge->judge(ending, expected) : judge->judge(ending));
  return settled(reference.get(), run, expected, outcomeFor(verdict, anyFailure));
}

namespace {

// Enough for a run like the first one to end in its own way.
double secondsAfter(const Ending& original, const recording::Meta& meta) {
  // A power of two: what was tried under other limits is tried again, and no run takes the same time twice.
  double seconds = std::exp2(std::ceil(std::log2(std::max(1.0, 10 * original.seconds))));
  return meta.timeout > 0 ? std::min(seconds, meta.timeout) : seconds;
}

} // namespace

Result<RepeatedRun> repeatRun(const RepeatRequest& request) {
  const recording::Meta& meta = request.meta;
  experiment::Limits first;
  first.seconds = meta.timeout > 0 ? meta.timeout : 60;
  // Whether it hangs is known long before: with another input it may take longer, but not without end.
  if (meta.shortened.steps) first.epochs = meta.shortened.entered * 20 + 2'000'000;
  // The second run need not wait for the first, which it is compared with.
  const bool isTwice = !request.reference && request.times > 0;
  FL_TRY(runner, runnerFor(request.program, first, request.isContained, meta, isTwice ? 2 : 1));
  std::future<Result<Ending>> second;
  if (isTwice) second = std::async(std::launch::async, [&] { return runner->run(request.run); });
  Result<Ending> made = runner->run(request.run);
  std::optional<Result<Ending>> again;
  if (second.valid()) again = second.get();
  FL_TRY(original, std::move(made));
  if (original.cut == Ending::Broken) return errorf("the run cannot be repeated: {}", original.broken);
  FL_TRY(judge, experiment::Judge::create(request.expectation, original, meta.cwd));
  RepeatedRun out;
  out.reference = request.reference;
  out.anyFailure = request.anyFailure;
  out.judge.emplace(std::move(judge));
  out.seconds = original.seconds;
  out.inputRead = original.inputRead;
  runner->setSeconds(secondsAfter(original, meta));
  out.runner = runner;
  unsigned left = request.times;
  if (again) {
    if (!*again) return again->error();
    FL_TRY(verdict, out.judge->judge(**again));
    out.isFlaky = outcomeFor(verdict, out.anyFailure) != TrialOutcome::Fail;
    --left;
  }
  out.rest = Later<bool>([run = request.run, left, of = out]() -> Result<bool> {
    bool isFlaky = false;
    for (unsigned k = 0; k < left; ++k) {
      FL_TRY(outcome, of.outcomeOf(run));
      isFlaky = isFlaky || outcome != TrialOutcome::Fail;
    }
    return isFlaky;
  });
  if (request.isLate) return out;
  const Result<bool>& rest = out.rest.get();
  if (!rest) return rest.error();
  out.isFlaky = out.isFlaky || *rest;
  return out;
}

} // namespace faultline::cli

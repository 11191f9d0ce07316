#include "experiment/judge.h"

#include <algorithm>
#include <cmath>

namespace faultline::experiment {
namespace {

using Kind = replay::Verdict::Kind;

// A wrong output or a hang has no one place that stays the same while the input changes.
bool hasPlace(Kind kind) {
  return kind == Kind::Crashed || kind == Kind::Status || kind == Kind::WrongStatus;
}

} // namespace

bool FailureIdentity::isSameAs(const FailureIdentity& other) const {
  if (kind != other.kind || number != other.number || site != other.site) return false;
  return counter == other.counter || (instruction != 0 && instruction == other.instruction);
}

Result<FailureIdentity> Judge::identify(const Ending& ending,
                                        const recording::Expectation& expectation) const {
  replay::Outcome outcome;
  outcome.end.waitStatus = ending.waitStatus;
  outcome.end.timedOut = ending.cut == Ending::Time || ending.cut == Ending::Steps;
  outcome.output = ending.output;
  // Compared already, where the run was made: all that counts is whether it was right.
  if (ending.outputRight && expectation_.output)
    outcome.output = *ending.outputRight ? *expectation_.output : *expectation_.output + '\0';
  outcome.errors = ending.errors;
  outcome.directory = directory_;
  FL_TRY(verdict, replay::judge(outcome, expectation));
  FailureIdentity identity{.kind = verdict.kind};
  if (verdict.kind == Kind::Crashed) identity.number = ending.signal();
  if (verdict.kind == Kind::Status || verdict.kind == Kind::WrongStatus) identity.number = ending.status();
  if (hasPlace(verdict.kind)) {
    identity.site = ending.site;
    // The counter in a library says little: the program's own call does.
    bool inOwnCode = !ending.site && ending.signalled();
    identity.counter = inOwnCode ? ending.counter : 0;
    identity.instruction = inOwnCode ? ending.instruction : 0;
  }
  return identity;
}

Result<Judge> Judge::create(recording::Expectation expectation, const Ending& original,
                            std::string directory) {
  Judge judge(std::move(expectation), std::move(directory));
  FL_TRY(identity, judge.identify(original, judge.expectation_));
  if (identity.kind == Kind::Passed) return errorf("the run does not fail when it is repeated");
  judge.original_ = identity;
  judge.originalRight_ = judge.rightOutput(original);
  judge.originalExecutions_ = original.executions;
  judge.originalSteps_ = original.epochs;
  judge.originalErrors_ = original.errorBytes;
  return judge;
}

uint64_t Judge::rightOutput(const Ending& ending) const {
  if (!expectation_.output) return 0;
  if (ending.rightOutput > 0 || ending.outputRight) return ending.rightOutput;
  auto differs = std::ranges::mismatch(ending.output, *expectation_.output);
  return uint64_t(differs.in1 - ending.output.begin());
}

double Judge::progress(const Ending& ending) const {
  if (!expectation_.output || ending.cut != Ending::None || original_.kind != Kind::WrongOutput) return 0;
  const std::string& all = *expectation_.output;
  const uint64_t right = rightOutput(ending);
  const size_t line = std::min(all.find('\n', originalRight_), all.size());
  if (originalRight_ >= all.size() || right < line || right <= originalRight_) return 0;
  // All of it may be there, and more behind it: that is not right either.
  return std::min(0.99, double(right - originalRight_) / double(all.size() - originalRight_));
}

uint64_t Judge::rightLines(const Ending& ending) const {
  if (!expectation_.output) return 0;
  const std::string_view right = std::string_view(*expectation_.output).substr(0, rightOutput(ending));
  return uint64_t(std::ranges::count(right, '\n'));
}

std::optional<double> Judge::reaches(const Ending& ending) const {
  if (!originalExecutions_ || !ending.executions || *originalExecutions_ <= ending.executionsBefore)
    return std::nullopt;
  return std::min(1.0, double(*ending.executions - ending.executionsBefore) /
                           double(*originalExecutions_ - ending.executionsBefore));
}

std::optional<double> Judge::strays(const Ending& ending) const {
  if (!ending.stepsLost || originalSteps_ == 0) return std::nullopt;
  return std::min(1.0, std::log1p(double(*ending.stepsLost)) / std::log1p(double(originalSteps_)));
}

std::optional<int> Judge::orderlyEnd(const Ending& ending) const {
  const bool isOpen = original_.kind == Kind::Crashed || original_.kind == Kind::Hung;
  const bool isOrderly = ending.cut == Ending::None && !ending.signalled() && ending.status() != 0;
  if (!isOpen || expectation_.isGiven() || !isOrderly) return std::nullopt;
  return ending.status();
}

bool Judge::complains(const Ending& ending) const {
  const bool isStatus = original_.kind == Kind::Status || original_.kind == Kind::WrongStatus;
  const bool saysWell = ending.cut == Ending::None && !ending.signalled() && ending.status() == 0;
  return isStatus && saysWell && originalErrors_ > 0 && ending.errorBytes == originalErrors_;
}

Judge Judge::of(recording::Expectation expectation, const FailureIdentity& original, std::string directory) {
  Judge judge(std::move(expectation), std::move(directory));
  judge.original_ = original;
  return judge;
}

Result<Verdict> Judge::judge(const Ending& ending) const { return judge(ending, expectation_); }

Result<Verdict> Judge::judge(const Ending& ending, const recording::Expectation& expectation) const {
  bool ended = ending.cut == Ending::None;
  bool hung = ending.cut == Ending::Time || ending.cut == Ending::Steps;
  // A run that was stopped has no end of its own to judge, unless not to end is the failure.
  if (!ended && !(hung && original_.kind == Kind::Hung)) return Verdict::None;
  FL_TRY(identity, identify(ending, expectation));
  if (identity.kind == Kind::Passed) return Verdict::Passed;
  return identity.isSameAs(original_) ? Verdict::SameFailure : Verdict::OtherFailure;
}

} // namespace faultline::experiment

// Says of an experiment: passed, failed in the same way, failed in another way, or no verdict.
//
// Two failures are the same if they are of the same kind (signal, status, hang, wrong output ...) at the same
// place. Where both come from the same variant, the place is exact (Ending::site, Ending::counter): where it
// crashed, the call that aborted, the call of exit. A hang, a wrong output and what an oracle rejects are
// told by their kind alone.
//
//   original: abort() in check(), line 40      an abort in parse(): OtherFailure; in check(): SameFailure
#pragma once

#include "base/result.h"
#include "experiment/run.h"
#include "recording/meta.h"
#include "replay/verdict.h"

namespace faultline::experiment {

// What failed and where, from how a run ended.
struct FailureIdentity {
  replay::Verdict::Kind kind = replay::Verdict::Passed;
  int number = 0;           // signal or status
  uint64_t site = 0;        // as in Ending; 0 where the kind has no place
  uint64_t counter = 0;     // only if it was not within an outside call
  uint64_t instruction = 0; // as in Ending
  bool isSameAs(const FailureIdentity& other) const;
};

class Judge {
public:
  // `original`: how the unaltered run ends under the same conditions. An error: it does not fail, or the
  // oracle cannot be asked.
  static Result<Judge> create(recording::Expectation expectation, const Ending& original,
                              std::string directory);
  // The same, from what was known of it before.
  static Judge of(recording::Expectation expectation, const FailureIdentity& original, std::string directory);
  // From any thread.
  Result<Verdict> judge(const Ending& ending) const;
  // The same where what is right depends on the run: another input has another right output.
  Result<Verdict> judge(const Ending& ending, const recording::Expectation& expectation) const;
  const FailureIdentity& original() const { return original_; }
  // Bytes of the run's output, from the first on, that are as expected; 0 where none is.
  uint64_t rightOutput(const Ending& ending) const;
  // Which share of the output, counted from the first byte that was wrong in the original, has come out
  // right, less than 1; 0 if the run went wrong in the same line again, or nothing is known of what is right.
  //
  //   expected a b c d, was a x c y:   a b c y has 2/3 of it, a z c d none
  double progress(const Ending& ending) const;
  // Lines of the expected output that are right, from the first one on.
  uint64_t rightLines(const Ending& ending) const;

  // Whether a run that passed went through where the original failed: which share of the executions that
  // the original had of it from the alteration on, the one that failed included. 1: it did; 0: it went
  // another way. Nothing: it was not counted.
  //
  //   assert(n > 0) failed in its third execution, and the alteration came before the second:
  //   a run that goes on as long has 2/2, one that ends after the second 1/2
  std::optional<double> reaches(const Ending& ending) const;
  // How far it left the way of the original: 0 if it made all of the steps that the original had made when it
  // failed, 1 if none; the first few count most. Nothing: it was not looked at.
  std::optional<double> strays(const Ending& ending) const;

  // The status with which a run ended by itself, not 0, where the original crashed, aborted or hung and
  // nobody has said how it should end: what a right program may do with bad input. Nothing: it is not so.
  std::optional<int> orderlyEnd(const Ending& ending) const;
  // Whether it says that all went well, and wrote as much to standard error as the original, whose failure
  // was its status: to end with the right one, and to complain as before, is hardly right. (Where another
  // status than 0 is due, it is.)
  bool complains(const Ending& ending) const;

private:
  Judge(recording::Expectation expectation, std::string directory)
      : expectation_(std::move(expectation)), directory_(std::move(directory)) {}
  Result<FailureIdentity> identify(const Ending& ending, const recording::Expectation& expectation) const;

  recording::Expectation expectation_;
  std::string directory_; // in which the oracle is run
  FailureIdentity original_;
  uint64_t originalRight_ = 0;
  std::optional<uint64_t> originalExecutions_ = {};
  uint64_t originalSteps_ = 0;
  uint64_t originalErrors_ = 0; // bytes
};

} // namespace faultline::experiment

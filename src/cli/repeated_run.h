// The recorded run, made again as the processes of `minimize` and `chop` are: what its failure looks like
// there, how long it takes, and whether it fails so each time.
#pragma once

#include "cli/executor_options.h"
#include "cli/later.h"
#include "experiment/fresh_runner.h"
#include "experiment/judge.h"
#include "technique/minimize/search.h"

namespace faultline::cli {

experiment::InputKind inputKindOf(const recording::Meta& meta);
technique::TrialOutcome outcomeFor(experiment::Verdict verdict, bool anyFailure);

Result<std::shared_ptr<experiment::FreshRunner>> runnerFor(experiment::FreshProgram program,
                                                           const experiment::Limits& limits, bool isContained,
                                                           const recording::Meta& meta, unsigned atOnce = 1);

// --reference: what another program makes of the same input is right. Without output: it cannot say.
Result<recording::Expectation> expectedBy(const experiment::FreshRunner& reference,
                                          const experiment::RunSpec& run);
// What differs from the reference may differ because of the time, or of what else is other with each run:
// what the reference itself does not print again is not known to be wrong.
Result<technique::TrialOutcome> settled(const experiment::FreshRunner* reference,
                                        const experiment::RunSpec& run,
                                        const recording::Expectation& expected,
                                        technique::TrialOutcome outcome);

struct RepeatedRun {
  std::shared_ptr<const experiment::FreshRunner> runner, reference;
  std::optional<experiment::Judge> judge;
  bool anyFailure = false;
  bool isFlaky = false;
  Later<bool> rest;       // whether it is, by the runs that RepeatRequest::isLate leaves for later
  double seconds = 0;     // that one takes
  uint64_t inputRead = 0; // how far it had come in standard input; 0: not known

  // By a process of its own; from several threads at once.
  Result<technique::TrialOutcome> outcomeOf(const experiment::RunSpec& run) const;
};

struct RepeatRequest {
  experiment::FreshProgram program;
  experiment::RunSpec run;
  recording::Meta meta;
  recording::Expectation expectation;
  std::shared_ptr<const experiment::FreshRunner> reference;
  bool isContained = true, anyFailure = false;
  unsigned times = 2;  // after the first
  bool isLate = false; // but for one, they can wait
};
Result<RepeatedRun> repeatRun(const RepeatRequest& request);

} // namespace faultline::cli

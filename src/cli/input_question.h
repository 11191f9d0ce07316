// What `minimize` and `chop` share: which inputs a failing run has, and how to find out whether the program
// fails in the same way with others.
#pragma once

#include "cli/executor_options.h"
#include "cli/input_server.h"
#include "cli/repeated_run.h"
#include "cli/run_study.h"
#include "technique/minimize/isolate_inputs.h"

namespace faultline::cli {

struct InputQuestionOptions {
  ValueOptions value;
  bool argv = false, env = false; // make them smaller, too
  std::vector<std::string> files; // beside those that are named in the arguments
  std::string unit = "bytes";
  std::string separator;
  std::string isolate; // a file with which it passes
  std::string reference;
  bool anyFailure = false;
  ExecutorOptions executor;
  bool slice = false, noSlice = false; // look for what the failure depends on: first, never
  bool freshOnly = false;              // each run as a process of its own
  bool studiesFirst = true;            // how the run failed is to be known before anything is tried
  bool rollback = false;               // or by going back within one, however long its variant takes to build
};
// A schedule of threads needs a variant that stops where it is told. Else it is the one that the run was
// recorded by, if that is not to wait for another, in which runs take somewhat less time.
VariantKind variantForRuns(const Context& context, const recording::Meta& meta);
void addInputQuestionOptions(CLI::App& command, InputQuestionOptions& options, bool withEnvironment);

// Lives as long as experiments are made. What takes time and is not needed for the first experiments is
// worked on while others are made (beginRest).
struct InputQuestion {
  // Filled in by settle(): how it failed, and whatever else has to be replayed for.
  ValueRun* run = nullptr;
  std::optional<finding::FailureInfo> failure;
  bool didNotFail = false;
  std::vector<std::string> caveats;

  std::filesystem::path path; // of the recording
  recording::Meta meta;
  experiment::RunSpec spec; // of the run as it was
  technique::InputSet inputs;
  RunStudy study;
  std::shared_ptr<const experiment::FreshRunner> reference;
  bool anyFailure = false;
  Later<RepeatedRun> repeated;
  // Runs and judges what differs in nothing but its inputs. Null: what is right has to be asked each time.
  std::shared_future<Result<std::shared_ptr<experiment::Executor>>> executor;

  // Where nothing but standard input differs; null: it is not to be done so.
  std::unique_ptr<LateInputServer> server;
  // It can be had at once: nothing else is waited for.
  bool isServed = false;

  // Both from several threads at once. The first by the fastest way there is, or from the cache; the
  // second always by a process of its own.
  Result<technique::TrialOutcome> outcomeOf(const technique::InputSet& inputs) const;
  Result<technique::TrialOutcome> outcomeOf(const experiment::RunSpec& run) const;
  // What was found by going back fails in a process of its own too, and the program always fails so. True,
  // too, if nothing was found in that way.
  Result<bool> isServedRight(const technique::InputSet& found);
  // Null: nothing was run by it.
  experiment::Executor* usedExecutor() const;
  // Begins what is needed at the end at the latest, each in a thread of its own.
  void beginRest() const;
  // Waits for all that is needed at the end.
  Result<void> settle();
};

// Records the run if need be, and repeats it: an error says why there is nothing to make smaller.
Result<InputQuestion> openInputQuestion(const Context& context, InputQuestionOptions& options);

// --reference: what it prints of the recorded run's input is what is expected of that run; it is put into
// `output`, which `run` then names.
Result<std::shared_ptr<const experiment::FreshRunner>>
expectByReference(const Context& context, const std::string& reference, bool uncontained,
                  const recording::Recording& recording, RunOptions& run,
                  const std::filesystem::path& output);

// The run had standard input, or names a file among its arguments.
bool mayHaveInput(const recording::Recording& recording);

technique::Unit unitOf(const InputQuestionOptions& options);

// Searches with progress, within the budget, until Ctrl-C. By the fastest way; if what that finds does not
// fail in a process of its own, by such processes alone.
Result<technique::MinimizeResult> minimizeWith(const Context& context, const InputQuestionOptions& options,
                                               InputQuestion& question);
Result<technique::IsolateResult> isolateWith(const Context& context, const InputQuestionOptions& options,
                                             InputQuestion& question, technique::InputSet passing,
                                             technique::InputSet failing);
// --isolate: the input with which it passes; an error if it does not.
Result<technique::InputSet> passingInputs(const InputQuestionOptions& options, const InputQuestion& question);
// Why a search ended before it was done.
std::string whyStopped(const InputQuestionOptions& options);

} // namespace faultline::cli

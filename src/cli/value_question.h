// Which value a question is about: the failure's criterion, an expression at the failure, or a variable at a
// line of the source.
#pragma once

#include "base/progress.h"
#include "cli/failing_run.h"
#include "depend/inputs.h"
#include "depend/query.h"

namespace faultline::cli {

struct ValueOptions {
  RunOptions run;
  std::string at;         // FILE:LINE[:EXPRESSION], or an instance as `show` takes it
  std::string expression; // --value
  uint64_t execution = 0; // 0: the last
  std::string models;     // a file
  double budget = 60;     // seconds for the walk
};

void addValueOptions(CLI::App& command, ValueOptions& options);

struct ValueQuestion {
  depend::Question from;
  std::string text;
  std::optional<finding::Value> value;
};

// Everything that `slice` and `origin` need. Lives as long as the answer is worked on.
struct ValueRun {
  FailingRun failing;
  std::unique_ptr<depend::CallModels> models;
  std::unique_ptr<depend::History> history;
  ValueQuestion question;
  bool didNotFail = false;
  std::shared_ptr<Progress> progress = nullptr;

  // From now on walks over the run end at the deadline, or when the user says so.
  void watchUntil(std::chrono::steady_clock::time_point deadline);
  // The line that tells how far it is goes before the answer comes.
  void stopWatching() {
    history->setWatch(nullptr);
    progress.reset();
  }
};

Result<std::unique_ptr<ValueRun>> openValueRun(const Context& context, const ValueOptions& options);
// Without a question about a value, whether the run failed or not.
Result<std::unique_ptr<ValueRun>> openQuietRun(const Context& context, const ValueOptions& options);
// Where the run's input came from. Walks the whole run.
Result<depend::Inputs> inputsOf(ValueRun& run);
std::string streamNames(const depend::Inputs& inputs);
// Says that there is nothing to ask about.
Result<int> answerDidNotFail(const Context& context, const ValueRun& run, const char* technique);

} // namespace faultline::cli

// What a recording tells by being replayed: how it failed, where its input came from, what values depend on.
// Who needs that only at the end goes on, and begins it when the processors have nothing better to do.
#pragma once

#include "cli/later.h"
#include "cli/value_question.h"

namespace faultline::cli {

struct RunFindings {
  std::unique_ptr<ValueRun> run;
  std::optional<finding::FailureInfo> failure; // nothing: it did not fail
  double secondsOfReplay = 0;

  // Where the input of the run came from: walks over all of it when first asked.
  Result<const depend::Inputs*> streams();

private:
  std::optional<depend::Inputs> streams_;
};

class RunStudy {
public:
  RunStudy() = default;
  // Of the recording that the options name.
  RunStudy(const Context& context, const ValueOptions& options);

  // In a thread of its own.
  void begin() const { findings_.begin(); }
  // Waits for it. What is found is for one thread at a time: who has the lock.
  Result<std::shared_ptr<RunFindings>> findings() const { return findings_.get(); }
  std::unique_lock<std::mutex> lock() const { return std::unique_lock(*mutex_); }
  bool isDoneIn(double seconds) const { return findings_.isDoneIn(seconds); }

private:
  Later<std::shared_ptr<RunFindings>> findings_;
  std::shared_ptr<std::mutex> mutex_ = std::make_shared<std::mutex>();
};

} // namespace faultline::cli

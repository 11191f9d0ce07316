// Tries other standard inputs, or other contents of a file, on a run by going back to its start within one
// process, many times faster than to start one each time. Several may be tried at once; each thread gets a
// process of its own.
#pragma once

#include "cli/later.h"
#include "cli/run.h"
#include "experiment/judge.h"
#include "experiment/server.h"

#include <atomic>
#include <functional>
#include <mutex>

namespace faultline::cli {

class InputServer {
public:
  // Of the recording at `path`, repeated as experiments need it. An error: this run cannot be done so.
  // `file`: what is tried are its contents, not standard input.
  static Result<std::unique_ptr<InputServer>>
  create(const Context& context, const std::filesystem::path& path, const recording::Expectation& expectation,
         bool keepsOutput, std::optional<experiment::ServedFile> file);

  // Nothing: it has to be tried in another way. `expectation`: what is right for that input, if it differs.
  Result<std::optional<experiment::Verdict>> verdictOn(const std::string& input,
                                                       const recording::Expectation* expectation);
  // What each of the processes says of this input after all that was tried in it; nothing as above.
  Result<std::vector<std::optional<experiment::Verdict>>> lastVerdictsOn(const std::string& input);
  uint64_t made() const { return made_; }
  // How much of standard input the run had read when it failed; 0: not known.
  uint64_t inputRead() const { return inputRead_; }
  // Whether the run itself ends there as it was recorded: begins to find out, or waits until it is known.
  void beginToRepeat() const {
    if (repeated_) repeated_->begin();
  }
  bool isFaithful() const { return !repeated_ || *repeated_->get(); }

private:
  explicit InputServer(experiment::ServerSetting setting) : setting_(std::move(setting)) {}
  Result<experiment::Ending> repeat(const recording::End& end);
  experiment::Experiment experimentOn(const std::string& bytes) const;
  Result<experiment::Ending> run(const std::string& input);
  Result<std::optional<experiment::Verdict>> verdictOn(const experiment::Ending& ending,
                                                       const recording::Expectation* expectation) const;

  experiment::ServerSetting setting_;
  std::optional<experiment::Judge> judge_;
  uint64_t inputRead_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<experiment::Server>> idle_;
  std::atomic<uint64_t> made_ = 0;
  std::atomic<bool> isWrong_ = false;
  std::optional<Later<bool>> repeated_; // none: it was repeated before; last, as it uses the others
};

// One that is made when it is worth it: its variant takes about as long to build as the program did.
class LateInputServer {
public:
  using Make = std::function<Result<std::unique_ptr<InputServer>>()>;
  LateInputServer(Make make, uint64_t runsBefore) : make_(std::move(make)), runsBefore_(runsBefore) {}

  // Asked before each run, from several threads. Null: not yet, or it cannot be done so. If it is made at
  // once, all wait for it; else the others go on as before meanwhile.
  InputServer* get();
  // Null: it was not needed.
  InputServer* made() const { return ready_; }

private:
  Make make_;
  uint64_t runsBefore_;
  std::atomic<uint64_t> asked_ = 0;
  std::unique_ptr<InputServer> server_;
  std::atomic<InputServer*> ready_ = nullptr;
  std::once_flag once_;
};

} // namespace faultline::cli

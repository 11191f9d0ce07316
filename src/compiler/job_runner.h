// Runs the compiler's jobs one after another as a compiler driver does: the children share our terminal,
// their exit status comes back, and an interrupt reaches the child first and then us, after our temporary
// files are gone. While a JobRunner lives, the signals that end a process are held back, and SIGCHLD has its
// default action (an ignored one would take the exit status away).
#pragma once

#include "base/result.h"

#include <csignal>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace faultline::compiler {

struct Job {
  std::vector<std::string> argv; // argv[0] is the file to run
  std::string input;             // a file for standard input; empty: ours
  std::string output;            // a file that standard output is appended to; empty: ours
  std::string errors;            // the same for standard error
  std::vector<std::pair<std::string, std::string>> environment; // set on top of ours
};

class JobRunner {
public:
  JobRunner();
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // True if the job ended with status 0. An error: it could not be started.
  Result<bool> run(const Job& job);

  // The signal that asked us to stop, or 0. Once set, no further job is started.
  int stopSignal() const { return stopSignal_; }
  // The wait status of the last job that failed.
  int lastStatus() const { return lastStatus_; }

private:
  int waitFor(pid_t child);

  sigset_t held_{};
  sigset_t before_{};
  int stopSignal_ = 0;
  int lastStatus_ = 0;
};

// Replaces this process. Comes back only if the file cannot be run.
Error replaceProcess(const std::vector<std::string>& argv);

// A directory of our own in $TMPDIR; removed with all in it at the end of the scope.
class ScratchDir {
public:
  static Result<ScratchDir> create();
  ScratchDir(ScratchDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchDir& operator=(ScratchDir&&) = delete;
  ~ScratchDir();

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
  explicit ScratchDir(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

} // namespace faultline::compiler

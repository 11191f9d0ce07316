// Runs a command to its end and captures what it wrote. No shell is involved: a word of `argv` reaches the
// command as it stands. Safe to call from several threads; nothing of the caller's process is changed.
//
//   FL_TRY(outcome, runCommand({.argv = {"clang-19", "--version"}}));
//   if (!outcome.ok()) return errorf("clang-19 failed: {}", outcome.err);
#pragma once

#include "base/result.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace faultline {

struct Command {
  // argv[0] is looked up on PATH unless it has a slash.
  std::vector<std::string> argv = {};
  // Empty: the caller's.
  std::string directory = {};
  // Set on top of the caller's.
  std::vector<std::pair<std::string, std::string>> environment = {};
  // Standard input, seen as a file; none: /dev/null.
  std::optional<std::string> input = {};
  // After it the command and all that it started are killed.
  std::optional<std::chrono::milliseconds> timeout = {};
};

struct Outcome {
  int status = 0; // exit status; meaningful when signal is 0
  int signal = 0; // the signal that ended it, or 0
  bool timedOut = false;
  std::string out;
  std::string err;

  bool ok() const { return status == 0 && signal == 0 && !timedOut; }
};

// An error means that the command could not be started; a command that fails is an Outcome.
Result<Outcome> runCommand(const Command& command);

} // namespace faultline

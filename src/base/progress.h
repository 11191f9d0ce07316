// One line on standard error that says how far a long piece of work is. It appears after a second, only on
// a terminal and only if not quiet, is redrawn a few times a second, and is gone when the work is done.
//
//   Progress progress(log, "replaying", total);      // total 0: not known
//   for (...) progress.advance();
//
//   replaying  12,400,000/50,000,000  25%  6,200,000/s  6 s left
#pragma once

#include "base/log.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace faultline {

// The line as it is shown; never wider than `width`.
std::string progressLine(std::string_view title, uint64_t done, uint64_t total,
                         std::chrono::duration<double> elapsed, int width);

// For one thread. An advance costs a comparison until the next redraw may be due.
class Progress {
public:
  using Clock = std::chrono::steady_clock;

  Progress(const Log& log, std::string title, uint64_t total, std::FILE* stream = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(uint64_t by = 1) { update(done_ + by); }
  void update(uint64_t done) {
    done_ = done;
    if (shown_ && done_ >= lookAgainAt_) look(Clock::now());
  }

  // What is being done now, and how much of it there is.
  void describe(std::string title, uint64_t total) {
    title_ = std::move(title);
    total_ = total;
  }

private:
  void look(Clock::time_point now);

  std::string title_;
  uint64_t total_;
  std::FILE* stream_;
  int width_;
  bool shown_; // whether there is anybody to show it to
  bool drawn_ = false;
  uint64_t done_ = 0;
  uint64_t lookAgainAt_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point nextDraw_ = start_ + std::chrono::seconds(1);
};

// What is known so far and what is being done, where work has stages that cannot be counted: shown at once,
// under the same conditions as progress, which may be drawn over it meanwhile; gone at the end.
class StatusLine {
public:
  explicit StatusLine(const Log& log, std::FILE* stream = stderr);
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Cut where the terminal ends.
  void show(std::string line);
  void clear(); // before anything else is printed

private:
  std::FILE* stream_;
  int width_;
  bool shown_;
  bool drawn_ = false;
};

} // namespace faultline

// One run in a cell, seen from outside: feeds its input, takes its output, minds the time, the steps and the
// amount of output, and asks the inside to end it when there is too much of one.
#pragma once

#include "experiment/cell.h"

#include <chrono>

namespace faultline::experiment {

class CellSession {
public:
  CellSession(CellRun run, const Limits& limits, int socket)
      : run_(std::move(run)), limits_(limits), socket_(socket) {}

  Result<void> begin();
  bool follow(); // to its end; false: the cell is lost
  Ending ending(const CellReport* report);

private:
  using Clock = std::chrono::steady_clock;

  int millisecondsLeft() const;
  bool wait(int milliseconds);
  bool isOverdue();
  void stop(Ending::Cut why);
  void feed();
  void take(recording::FileDescriptor& stream, std::string& text);
  void takeRest();

  CellRun run_;
  const Limits& limits_;
  int socket_;
  recording::FileDescriptor output_, errors_;
  std::string_view unread_; // of the input
  bool tookLittle_ = false; // of the output, just now
  Ending ending_;
  Clock::time_point start_;
  std::optional<Clock::time_point> stopped_;
};

} // namespace faultline::experiment

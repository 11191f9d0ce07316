// Walks a recorded run, forwards and backwards. Time is the number of instructions executed since the run
// began, by all threads; at time t the instruction with that number is about to be executed.
//
//   FL_TRY(replay, Replay::open(std::move(images), std::move(log), options));
//   FL_TRY(ending, replay.runToEnd());          // how the run ended; now() is the failing instruction
//   FL_CHECK(replay.seek(replay.now() - 100));  // 100 instructions earlier
//   for (const FrameView& f : replay.frames()) ...
//
// Private variables and values that live across blocks are in their frame words at any time. A temporary
// that is used only once is certain to be there only if it was computed after the last seek's stop.
#pragma once

#include "recording/reader.h"
#include "recording/side_files.h"
#include "replay/engine.h"
#include "replay/tracer.h"
#include "replay/views.h"

namespace faultline::replay {

using Time = uint64_t;

struct ReplayOptions : EngineOptions {
  uint64_t checkpointInterval = 8'000'000; // instructions, to begin with
  uint32_t checkpointCount = 128;
  uint64_t checkpointBytes = uint64_t(1) << 30; // memory in all beyond which checkpoints are thinned out
  // The state to start from, where the recording has only the end of the run; null: the run's start.
  std::shared_ptr<const recording::StartState> start;
  // Where checkpoints are found that another process left, and left for the next one; null: nowhere.
  std::shared_ptr<const recording::SideFiles> side;
  uint64_t keepFrom = 20'000'000; // instructions; a shorter run is replayed as quickly
};

// How far replay reproduced the run.
struct VerifyReport {
  Ending ending;
  uint64_t instructions = 0;
  Time start = 0; // of the first one that was replayed
  uint64_t records = 0;
  uint64_t pagesChecked = 0;
  uint64_t pagesMismatched = 0;
  uint64_t pagesUnlisted = 0; // hold something in replay, and were not mapped any more when the run ended
  bool complete = false;      // the log has its list of pages
  std::vector<std::string> problems;
  bool ok() const { return problems.empty(); }
};

class Replay {
public:
  // Images in link order; the log from its start.
  static Result<Replay> open(std::vector<fir::Image> images, LogReader log, ReplayOptions options = {});
  Replay(Replay&&) noexcept;
  Replay& operator=(Replay&&) noexcept;
  ~Replay();

  Result<Ending> runToEnd();
  // The same, from the start, with someone who is told of all outside calls on the way.
  Result<Ending> runToEnd(OutsideListener& listener);
  // To time t; to the end if the run is shorter. Fails before start().
  Result<void> seek(Time t);
  // To the instruction in that epoch, wherever it is. False: the run has no such instance.
  Result<bool> runToInstance(uint64_t epoch, uint64_t globalId);
  Result<void> stepForward() { return seek(now() + 1); }
  Result<void> stepBack() { return seek(now() ? now() - 1 : 0); }
  // Lets the observer see every instruction from now() to t (or the end). No checkpoints are made meanwhile.
  // With a tracer, its listener is told of outside calls as well.
  Result<void> observe(Observer& observer, Time t = kNever, Tracer* tracer = nullptr);
  // The trace of what is executed from now() to t (or the end).
  Result<Trace> trace(Tracer& tracer, Time t = kNever);
  // The same in parts, the first up to `end`: each is handed on, and whoever takes it says where the next one
  // ends; no later than this one: there is no next. The last part ends where the run does.
  Result<void> traceParts(Tracer& tracer, Time end, const std::function<Time(Trace)>& take);
  // Runs from the start to the end and compares with what the run left behind.
  Result<VerifyReport> verify();

  Time now() const;
  // The first instruction that the recording has.
  Time start() const;
  bool atEnd() const;
  Instance current() const;
  const Ending& ending() const;
  // At the end: the fault whose handler the run ended in.
  std::optional<HandledFault> handledFault() const;
  // When main returned, if it has.
  std::optional<Time> mainReturn() const;
  const std::optional<Divergence>& divergence() const;
  uint32_t thread() const;
  std::vector<uint32_t> threads() const;
  // Innermost first; of the running thread, or of another one.
  std::vector<FrameView> frames() const;
  std::vector<FrameView> frames(uint32_t thread) const;
  // What instrumented code knows of memory: bytes on a page that it has never touched are not known.
  const MemoryView& memoryView() const;
  const SymbolView& symbolView() const;
  const Program& program() const;
  // Of the last state that is kept and not after t: to begin there costs nothing.
  Time stateBefore(Time t) const;
  size_t checkpoints() const;
  // Instructions that were executed to answer so far: what checkpoints saved is not in it.
  uint64_t executed() const;
  Engine& engine();

private:
  struct Impl;
  explicit Replay(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace faultline::replay

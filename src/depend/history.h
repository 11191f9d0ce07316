// A recorded run as traces, a window at a time and the last one first, made by replaying when they are asked
// for. So a run of any length is walked in bounded memory; windows that are asked for again are still there
// if there is room.
#pragma once

#include "depend/code.h"
#include "depend/models.h"
#include "depend/outside_calls.h"
#include "replay/replay.h"

#include <list>

namespace faultline::depend {

struct Window {
  replay::Trace trace;
  std::unique_ptr<OutsideCalls> calls;
};

// The code of the modules that a replay has loaded.
class RunCode : public Code {
public:
  RunCode(const replay::Program& program, replay::Tracer& numbering)
      : program_(program), numbering_(numbering) {}
  // The instruction with this global id.
  struct Where {
    const replay::LoadedModule* module = nullptr;
    uint32_t function = 0, local = 0, block = 0;
    explicit operator bool() const { return module != nullptr; }
  };
  Where where(uint32_t id);

protected:
  std::unique_ptr<SegmentCode> makeSegment(uint32_t number) override;
  std::unique_ptr<FunctionCode> makeFunction(uint32_t module, uint32_t number) override;

private:
  const replay::Program& program_;
  replay::Tracer& numbering_;
};

struct HistoryOptions {
  uint64_t windowInstructions = 4'000'000;
  uint64_t memoryBytes = uint64_t(512) << 20; // for windows that are kept
};

class History {
public:
  History(replay::Replay& replay, const CallModels& models, HistoryOptions options = {});

  replay::Replay& replay() { return replay_; }
  const replay::Replay& replay() const { return replay_; }
  RunCode& code() { return code_; }

  // What was executed before time t, window by window, the last first, until visit says false. Tells nothing
  // that was executed at t or later.
  Result<void> backwards(replay::Time t, const std::function<bool(const Window&)>& visit);
  // And forwards: from time t on to `end`.
  Result<void> forwards(replay::Time t, replay::Time end, const std::function<bool(const Window&)>& visit);
  uint64_t traced() const { return traced_; } // instructions, for the report

  // Asked after each window, with the instructions in it; false: stop, and answer with what there is.
  void setWatch(std::function<bool(uint64_t instructions)> watch) { watch_ = std::move(watch); }
  bool wasStopped() const { return wasStopped_; }

private:
  bool isToStop(uint64_t instructions);
  Result<std::shared_ptr<const Window>> window(replay::Time start, replay::Time end);

  struct Kept {
    replay::Time start, end;
    std::shared_ptr<const Window> window;
  };
  replay::Replay& replay_;
  const CallModels& models_;
  HistoryOptions options_;
  replay::Tracer numbering_;
  RunCode code_;
  std::list<Kept> kept_; // latest used first
  uint64_t keptBytes_ = 0;
  uint64_t traced_ = 0;
  std::function<bool(uint64_t)> watch_;
  bool wasStopped_ = false;
};

} // namespace faultline::depend

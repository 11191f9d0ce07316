// A recorded run as traces, a window at a time and the last one first, made by replaying when they are asked
// for. So a run of any length is walked in bounded memory; windows that are asked for again are still there
// if there is room. Of every window that was traced a summary stays, in this process and beside the
// recording: whoever can do with it passes over the window.
#pragma once

#include "depend/models.h"
#include "depend/summaries.h"
#include "depend/walk_ends.h"
#include "replay/replay.h"

#include <list>

namespace faultline::depend {

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
  const fir::Image& image(uint32_t module) const { return *program_.modules()[module]->image; }
  uint32_t base(uint32_t module) const { return program_.modules()[module]->base; }
  // The block, by number within its function, of an instruction.
  uint32_t blockOf(uint32_t module, uint32_t local);
  // The segment that an instruction belongs to; its step there is its id - firstId.
  const SegmentCode& segmentOf(uint32_t id);
  Numbers segmentsOf(uint32_t module) override;
  bool hasFunction(uint32_t module, uint32_t number) override;

protected:
  std::unique_ptr<SegmentCode> makeSegment(uint32_t number) override;
  std::unique_ptr<FunctionCode> makeFunction(uint32_t module, uint32_t number) override;

private:
  const replay::Program& program_;
  replay::Tracer& numbering_;
  std::vector<const fir::Segments*> segments_; // by module
};

struct HistoryOptions {
  uint64_t windowInstructions = 250'000;
  uint64_t windowsTogether = 16; // that are traced at once, where they are likely to be asked for
  uint64_t memoryBytes = uint64_t(256) << 20; // for windows that are kept
  // Where summaries are found that another process left, and left for the next one; null: nowhere. They are
  // those of the standard models.
  std::shared_ptr<const recording::SideFiles> side = nullptr;
  uint64_t keepFrom = 5'000'000; // instructions that were traced; less is traced as quickly again
};

class History {
public:
  History(replay::Replay& replay, const CallModels& models, HistoryOptions options = {});
  ~History();

  replay::Replay& replay() { return replay_; }
  const replay::Replay& replay() const { return replay_; }
  RunCode& code() { return code_; }
  WalkEnds& ends() { return ends_; } // of the walks so far

  // What was executed before time t, window by window, the last first, until visit says false. Tells nothing
  // that was executed at t or later. Asks first, of a window of which there is a summary, whether that is
  // enough.
  using Visit = std::function<bool(const Window&)>;
  using PassOver = std::function<bool(const WindowSummary&)>;
  Result<void> backwards(replay::Time t, const Visit& visit, const PassOver& passOver = nullptr);
  // Of the window that ends at `end`; null: none is known.
  const WindowSummary* summaryBefore(replay::Time end) const;
  // And forwards: from time t on to `end`.
  Result<void> forwards(replay::Time t, replay::Time end, const Visit& visit);
  // Lets the observer see everything that is executed from..to, and the listener the outside calls. The
  // replay stands at `to` then, or at the run's end.
  Result<void> observe(replay::Time from, replay::Time to, replay::Observer& observer,
                       replay::TraceListener& listener);
  const CallModels& models() const { return models_; }
  uint64_t traced() const { return traced_; } // instructions, for the report
  uint64_t passedOver() const { return passedOver_; }

  // Asked after each window, with the instructions in it; false: stop, and answer with what there is. A new
  // one begins anew.
  void setWatch(std::function<bool(uint64_t instructions)> watch) {
    watch_ = std::move(watch);
    wasStopped_ = false;
  }
  bool wasStopped() const { return wasStopped_; }

private:
  bool isToStop(uint64_t instructions);
  // If it has to be traced, all of from..to is.
  Result<std::shared_ptr<const Window>> window(replay::Time start, replay::Time end, replay::Time from,
                                               replay::Time to);
  std::shared_ptr<const Window> kept(replay::Time start, replay::Time end);
  Result<void> trace(replay::Time from, replay::Time to);
  replay::Time batchStart(replay::Time start, uint64_t together) const;
  void keep(replay::Time start, replay::Time end, std::shared_ptr<const Window> window);

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
  Summarizer summarizer_;
  Summaries summaries_;
  WalkEnds ends_;
  uint64_t traced_ = 0, passedOver_ = 0;
  std::function<bool(uint64_t)> watch_;
  bool wasStopped_ = false;
};

} // namespace faultline::depend

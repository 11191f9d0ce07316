// Makes a trace (trace.h) while replay runs. Code runs in plain form, with one change: the instruction that
// ends a segment first notes the segment and its words, then does what it always does. So a trace costs a
// few machine instructions a segment, not a call an instruction.
#pragma once

#include "replay/outside_listener.h"
#include "replay/trace.h"

#include <memory>

namespace faultline::replay {

struct Frame;
struct Thread;

// Told of outside calls while a trace is made.
class TraceListener {
public:
  virtual ~TraceListener() = default;
  // The call begins. The number comes back in the trace when it is over.
  virtual uint64_t onOutsideCall(const OutsideCall& call) { return 0; }
  // While it runs, the call wrote there; the bytes are about to change.
  virtual void onOutsideWrite(uint64_t address, uint64_t size) {}
  // It is over. number kNoCall: it began before the trace did. result: empty if unused, or if it did not
  // return. Gives the number for the trace.
  virtual uint64_t onOutsideReturn(const OutsideCall& call, uint64_t number, std::span<const uint64_t> result,
                                   bool returned) {
    return number;
  }
  // The running function has begun with a list of variable arguments: registers were saved at `saved`, from
  // byte `general` and `floating` on; further arguments are at `stack`.
  virtual void onVariableArguments(uint64_t saved, uint32_t general, uint32_t floating, uint64_t stack) {}
};
inline constexpr uint64_t kNoCall = ~uint64_t(0);

class Tracer {
public:
  explicit Tracer(TraceListener* listener) : listener_(listener) {}
  void setListener(TraceListener* listener) { listener_ = listener; }

  // Numbers of segments: those of a module follow those of the modules loaded before it.
  uint32_t segmentBase(const LoadedModule& module);
  const fir::Segments& segments(const LoadedModule& module);
  uint32_t segmentAt(const DecodedFunction& f, uint32_t index); // plain index

  // Makes the function's plain code note its segments, or no longer.
  void attach(DecodedFunction& f);
  static void detach(DecodedFunction& f);

  // From the state that the engine is in.
  void begin(uint64_t time, const Frame* top, uint32_t position, bool inCode);
  Trace take(uint64_t time);

  // By the code, at the end of a segment.
  void note(const DecodedFunction& f, uint32_t index, const uint64_t* w);
  // By the engine.
  void onEnter(const DecodedFunction& f, bool isSignal);
  void onReturn(const CallSite& site);
  void onLeave();
  // A frame is left, not by returning.
  void onUnwind(const Frame& frame);
  // The run ends, or the trace does, while the frame stands before the instruction at `position`.
  void onStop(const Frame& frame, const uint64_t* w, uint32_t position);
  void onLand(const CallSite& site);
  void onJumped(const CallSite& site);
  void onSwitch(uint32_t from, uint32_t to);
  void onNoticed(const DecodedFunction& f, uint32_t index, uint64_t address, uint64_t size);
  void onVariableArguments(uint64_t list, const uint64_t (&content)[3]);
  void onOutsideCall(const OutsideCall& call, uint32_t thread, size_t depth);
  void onOutsideWrite(uint64_t address, uint64_t size);
  void onOutsideReturn(const OutsideCall& call, uint32_t thread, size_t depth,
                       std::span<const uint64_t> result, bool returned);

private:
  struct Pending { // an outside call under way
    uint32_t thread;
    size_t depth;
    uint64_t number;
  };
  struct Numbering {
    uint32_t base;
    fir::Segments segments;
  };
  const Numbering& numbering(const LoadedModule& module);
  void add(TraceOther other);
  void addPart(const DecodedFunction& f, uint32_t from, uint32_t to, const uint64_t* w);

  TraceListener* listener_;
  Trace trace_;
  size_t expectedEvents_ = 0, expectedWords_ = 0;   // about as many as the last one had
  std::vector<std::unique_ptr<Numbering>> modules_; // by number
  std::vector<Pending> pending_;
  struct Area {
    uint64_t address, size;
  };
  std::vector<Area> variableAreas_; // of the last calls of variadic functions
  // The first segment of the trace, if it begins in the middle of one.
  const Frame* startFrame_ = nullptr;
  const DecodedFunction* startFunction_ = nullptr;
  uint32_t startPosition_ = 0;
};

Handler traceHandler();

} // namespace faultline::replay

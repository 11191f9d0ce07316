// What someone who watches a replay is told. With an observer, replay runs in plain form: slower, and every
// instruction is seen.
#pragma once

#include <cstdint>
#include <span>

namespace faultline::replay {

struct DecodedFunction;
struct LoadedModule;

// An instruction about to be executed.
struct Instance {
  uint64_t time = 0; // instructions executed before it, in the whole run
  uint64_t epoch = 0;
  uint32_t thread = 0;
  const LoadedModule* module = nullptr;
  uint32_t function = 0; // index in the module
  uint32_t local = 0;    // local id
};

class Observer {
public:
  virtual ~Observer() = default;
  // Before each instruction; `words` are those of its frame.
  virtual void onInstruction(const Instance& instance, std::span<const uint64_t> words) {}
  // During the instruction that onInstruction named last. A load is told after it, a store before it.
  virtual void onLoad(uint64_t address, uint64_t size, const void* bytes) {}
  virtual void onStore(uint64_t address, uint64_t size) {}
  // Memory that outside code wrote, as the log tells it: before the instruction that noticed.
  virtual void onOutsideWrite(uint64_t address, uint64_t size) {}
  // A frame was pushed, by the call at hand or by outside code; a frame was left by return or unwinding.
  virtual void onCall(const DecodedFunction& callee, bool fromOutside) {}
  virtual void onReturn() {}
  virtual void onUnwind() {}
  // An outside call gave its result.
  virtual void onOutsideReturn(std::span<const uint64_t> result) {}
  virtual void onSwitch(uint32_t thread) {}
};

} // namespace faultline::replay

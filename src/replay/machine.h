// The state that running code touches. Engine owns one and moves the running thread's part in and out.
#pragma once

#include "replay/decoded.h"
#include "replay/memory.h"
#include "replay/observer.h"

#include <vector>

namespace faultline::replay {

class Engine;
class Tracer;

struct Frame {
  enum Kind : uint32_t {
    Called,        // by the frame below
    FromOutside,   // by the outside call that the frame below waits for, or by the thread's root
    SignalAtEpoch, // handler; the frame below stands at an epoch point
    SignalAtFault, // handler; the frame below is about to execute the instruction that faulted
  };
  DecodedFunction* function;
  const CallSite* site; // the call it waits for
  uint64_t words;       // where its words start
  uint64_t base;        // of its part of the frame stack
  uint64_t topBefore;   // frame top before it was entered
  uint64_t entryEpoch;  // epoch before its entry: no two frames have the same
  uint32_t edge;        // block from which the phis of the current block took their values
  uint32_t resume;      // Signal*: where the frame below goes on
  Kind kind;
};

// Why code gave control back to the engine.
enum class Exit : uint8_t {
  Epoch,       // stands at an epoch point; ip: the instruction behind it
  Step,        // ip: the next instruction
  Call,        // ip: a call
  CallReady,   // ip: a call of site.target whose arguments lie in the new frame already
  Return,      // ip: a Ret
  ReturnReady, // ip: a Ret; returnValue holds its value
  Engine,      // ip: an instruction that only the engine can do
  Fault,       // ip: a division that the processor refuses, a trap
  Stopped,     // an operation has told the engine what happened
  Error,       // Memory has an error
};

struct Machine {
  uint64_t epochStop = 0; // leave code at an epoch point if the epoch is not below
  uint64_t stepStop = 0;  // fast code: leave where possible if steps are not below
  uint64_t trigger = 0;   // plain code: call `hook` before an instruction if steps are not below
  Handler hook = nullptr;
  Handler operation = nullptr;                     // plain code: runs the Operation of an instruction
  uint64_t limit = 0;                              // the hook stops here
  uint64_t breakEpoch = ~uint64_t(0), breakId = 0; // ... or at this instance
  bool attention = false;                          // plain code: loads and the like must ask the engine
  Frame* frame = nullptr;                          // of the running thread, the top one
  Frame* frameLimit = nullptr;
  uint64_t* wordsLimit = nullptr;
  uint64_t frameTop = 0;
  Memory memory;

  // Where code left off.
  Exit exit = Exit::Step;
  const Insn* ip = nullptr;
  uint64_t* w = nullptr;
  uint64_t steps = 0;
  uint64_t epoch = 0;
  uint64_t returnValue = 0;

  uint32_t thread = 0;
  Engine* engine = nullptr;
  Observer* observer = nullptr;
  Tracer* tracer = nullptr;
  std::vector<uint64_t> cells; // ThreadLocal
  std::vector<uint64_t> scratch;
  uint64_t landException = 0;
  uint64_t landSelector = 0;

  explicit Machine(uint64_t memoryLimit) : memory(memoryLimit) {}
};

enum class Mode { Fast, Plain };

} // namespace faultline::replay

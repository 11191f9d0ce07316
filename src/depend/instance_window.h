// Everything that was executed in a part of a run, instruction by instruction: what each instance made, and
// which instance made what it used. Where that lies before the window, the one before it knows
// (instances.h).
//
//   time 40  StoreVar n <- w3      value 7; w3 was made at 39
//   time 52  w9 = LoadVar n        value 7; n was made at 40
//   time 53  CondBr w9             w9 was made at 52; decided by the branch at 31
#pragma once

#include "depend/history.h"

#include <array>
#include <unordered_map>

namespace faultline::depend {

// Who made something, by number within its window, or one of these.
using Maker = uint32_t;
inline constexpr Maker kMadeBefore = 0xffffffffu;   // before the window
inline constexpr Maker kMadeNowhere = 0xfffffffeu;  // a constant, or nobody
inline constexpr Maker kMadeOutside = 0xfffffffdu;  // by outside code, nobody knows which call
inline constexpr Maker kAsArgument = 0x80000000u;   // flag: the call by this number passed it as an argument
inline constexpr Maker kPassed = 0x40000000u;       // flag: a variable argument, by number in `passed`
inline constexpr Maker kGivenOutside = 0x30000000u; // flag: outside code gave it: by number in `given`
inline constexpr Maker kLastMaker = 0x30000000u;    // smaller ones are numbers

struct InstanceRecord {
  uint32_t id = fir::kNone;    // global id of the instruction
  uint32_t frame = 0;          // in InstanceWindow::frames
  uint32_t firstMaker = 0;     // of its operands' words, in InstanceWindow::makers
  Maker control = kMadeBefore; // the branch, or call, that decided that it was executed
  uint32_t extra =
      fir::kNone;     // accesses: number in `accesses`; Phi: in `phis`; call of the outside: in `effects`
  uint64_t value = 0; // its result; what it stores, returns or decides by, if it has none
};

// A call of a function, as far as the window saw it.
struct InstanceFrame {
  uint32_t thread = 0, depth = 0; // 0: outermost
  uint32_t module = 0, function = 0;
  Maker call = kMadeBefore;     // that made it; kMadeNowhere: outside code did
  uint32_t callId = fir::kNone; // global id of that call
  bool isFromOutside = false;
  bool isSeen = false; // it began in the window
};

// Bytes offset..offset+size of what was read, and who wrote them.
struct MemoryPiece {
  uint32_t offset = 0, size = 0;
  Maker maker = kMadeBefore;
};

struct MemoryAccess {
  uint64_t address = 0, size = 0;          // what is written, or else read
  uint64_t source = 0;                     // of a copy
  uint32_t firstPiece = 0, pieceCount = 0; // of what is read
};

struct PhiChoice {
  uint32_t operand = 0;     // that was taken
  uint32_t block = 0;       // from which control came
  Maker edge = kMadeBefore; // the end of that block
};

// Who wrote each byte, by number.
class WriterMap {
public:
  void write(uint64_t address, uint64_t size, Maker maker);
  Maker at(uint64_t address) const;
  // visit(offset, size, maker) for runs of one maker.
  template <class Visit> void forEach(uint64_t address, uint64_t size, Visit&& visit) const {
    for (uint64_t offset = 0; offset < size;) {
      Maker maker = at(address + offset);
      uint64_t next = offset + run(address + offset, size - offset, maker);
      visit(offset, next - offset, maker);
      offset = next;
    }
  }

private:
  static constexpr uint64_t kPage = 4096;
  struct Page {
    Maker all = kMadeBefore;
    std::unique_ptr<std::array<Maker, kPage>> bytes = nullptr;
  };
  uint64_t run(uint64_t address, uint64_t most, Maker maker) const;
  std::unordered_map<uint64_t, Page> pages_;
};

// A variable argument, in memory where va_arg looks for it.
struct PassedArgument {
  Maker call = kMadeBefore;
  uint32_t operand = 0; // of the call
};
inline bool isGivenOutside(Maker m) { return m >= kGivenOutside && m < kPassed; }
inline bool isPassed(Maker m) { return m >= kPassed && m < kAsArgument; }

struct OutsideInstance {
  OutsideEffect effect;
  // Of each flow's each source in memory: who wrote it, and how the pieces of all follow one another.
  std::vector<std::vector<MemoryPiece>> pieces;
};

// A frame where the window ends.
struct FrameEnd {
  uint32_t frame = 0;          // in `frames`
  std::vector<Maker> words;    // who made each
  std::vector<Maker> branches; // the last execution of each block's end
  Maker current = kMadeBefore; // the instruction that was executed last, or is under way
  Maker calling = kMadeBefore; // the last call
};

struct InstanceWindow {
  uint64_t start = 0, end = 0; // time; an instance's number is its time - start
  std::vector<InstanceRecord> records;
  std::vector<Maker> makers;
  std::vector<InstanceFrame> frames;
  std::vector<MemoryAccess> accesses;
  std::vector<MemoryPiece> pieces;
  std::vector<PhiChoice> phis;
  std::vector<OutsideInstance> effects;
  std::vector<PassedArgument> passed;
  std::vector<uint64_t> given; // words that came from outside: arguments of callbacks, what longjmp returned
  std::vector<uint32_t> branches;                           // numbers of those that have a choice, ascending
  std::vector<uint32_t> writes;                             // numbers of stores to memory, ascending
  std::unordered_map<uint32_t, std::vector<uint64_t>> wide; // results of more than one word
  WriterMap memory;                                         // where the window ends
  std::map<uint32_t, std::vector<FrameEnd>> stacks;         // by thread, outermost first
  // Of the thread that runs where the window starts: the functions that something was executed of before.
  uint32_t firstThread = 0;
  std::vector<FunctionName> before;
  size_t bytes() const;
};

// Replays from..to.
Result<std::shared_ptr<const InstanceWindow>> recordInstances(History& history, uint64_t from, uint64_t to);

} // namespace faultline::depend

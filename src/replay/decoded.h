// A function made ready to run: threaded code in two forms over the same frame words.
//
//   plain  one Insn per FIR instruction, at the same index; every result word is written; an observer can
//          see each instruction. Behind them stand stubs, which are no instructions of the program: the
//          epoch point of a block, and the moves that the phis of a block make on one edge.
//   fast   fused: no Insn for variable moves, compare and branch in one, and so on. Runs while the log has
//          nothing to say. Execution passes between the forms only where a segment starts (at a block, or
//          after a call); whatever lives across such a place is in its frame words in both.
#pragma once

#include "program/fir.h"
#include "replay/loaded_program.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace faultline::replay {

struct Insn;
struct Machine;

// Handlers call each other in tail position and keep the interpreter's registers in the machine's.
#define FL_HANDLER_PARAMETERS                                                                                \
  [[maybe_unused]] const Insn *ip, [[maybe_unused]] uint64_t *w, [[maybe_unused]] Machine *m,                \
      [[maybe_unused]] uint64_t steps, [[maybe_unused]] uint64_t epoch
#define FL_HANDLER_CONVENTION __attribute__((preserve_none))
typedef void(FL_HANDLER_CONVENTION* Handler)(FL_HANDLER_PARAMETERS);

// What the fields mean is up to the handler. Usually: words dst <- a, b; imm: a constant or a pointer.
// Branches: dst and b are the distances of their targets in bytes; n: instructions of the segment they end.
struct Insn {
  Handler handler;
  uint32_t dst;
  uint32_t a;
  uint32_t b;
  uint32_t n;
  union {
    uint64_t imm;
    const void* pointer;
  };
};
static_assert(sizeof(Insn) == 32);

struct Source { // of a value: words of the frame, or constant words
  const uint64_t* constant = nullptr;
  uint32_t word = 0;
  const uint64_t* at(const uint64_t* w) const { return constant ? constant : w + word; }
  uint64_t value(const uint64_t* w) const { return *at(w); }
};

// An instruction for which there is no special handler, or which may need the log.
struct Operation {
  using Run = bool (*)(Machine& m, const Operation& op, uint64_t* w); // false: machine.exit says why
  Run run = nullptr;
  const fir::Instruction* instruction = nullptr;
  DecodedFunction* function = nullptr;
  uint32_t index = 0; // in plain code
  uint32_t dst = fir::kNone;
  uint32_t dstWords = 0;
  const fir::Type* type = nullptr;
  const fir::Type* element = nullptr; // of `type` if that is a vector, else `type`
  const fir::Type* auxType = nullptr;
  std::vector<Source> sources; // Raw operands: their number in `word`
  uint32_t cell = 0;           // ThreadLocal
};

struct Edge { // what the phis of a block do when it is entered from `predecessor`
  struct Move {
    uint32_t dst;
    uint32_t words;
    Source source;
  };
  uint32_t predecessor = fir::kNone; // block number
  std::vector<Move> moves;
};

struct Stub {
  enum Kind : uint8_t { EpochPoint, PhiEdge } kind;
  uint32_t target; // index in plain code; may be a stub
  const Edge* edge = nullptr;
};

struct CallSite {
  const fir::Instruction* instruction = nullptr;
  const fir::CallInfo* info = nullptr;
  DecodedFunction* function = nullptr; // that contains it
  uint32_t index = 0;                  // in plain code
  fir::CallKind kind{};
  bool resultUsed = false;
  bool noReturn = false;
  uint32_t computed = 0; // enum fl_computed (abi/computed.h)
  Source callee;
  std::vector<Source> arguments;
  uint32_t dst = fir::kNone; // of the result
  uint32_t resultWords = 0;
  uint32_t plainResume = 0;          // index in plain code, perhaps a stub
  uint32_t plainUnwind = fir::kNone; // the same for the landing pad
  uint32_t landingPad = fir::kNone;  // local id of the LandingPad instruction
  const Insn* fastResume = nullptr;
  // Fast code: what the call of `target` needs. Also the last target of a call by pointer.
  mutable uint64_t targetAddress = 0;
  mutable DecodedFunction* target = nullptr;
  uint64_t globalId() const;
};

// Where a segment ends, and what a trace (tracer.h) notes there.
struct TraceEnd {
  Handler original = nullptr; // null: no end
  uint32_t event = 0;
  uint32_t firstWord = 0, wordCount = 0; // in DecodedFunction::traceWords
};

struct SwitchTable {
  struct Case {
    uint64_t value;
    int32_t distance; // from the switch, in bytes
  };
  std::vector<Case> cases; // sorted by value
  int32_t otherwise = 0;
  // Dense: distance of value lowest + k.
  uint64_t lowest = 0;
  std::vector<int32_t> dense;
  int32_t find(uint64_t value) const;
  void sort(); // after all cases were added; makes `dense` where that pays
};

struct DecodedFunction {
  LoadedModule* module = nullptr;
  const fir::Function* fir = nullptr;
  uint32_t number = 0;
  uint32_t words = 0;
  uint32_t frameSize = 0;
  uint32_t frameAlign = 16;
  uint32_t guardOffset = fir::kNone;
  bool ready = false;
  const Insn* fastEntry = nullptr; // of the Entry instruction; null until decoded
  std::string error;               // why it cannot run

  std::vector<Insn> plain;
  std::vector<Stub> stubs; // plain code from index instructionCount on
  std::vector<Insn> fast;
  std::vector<uint32_t> fastOrigin;  // plain index of each fast Insn
  std::vector<uint32_t> fastStart;   // plain index of the segment that starts with it, or kNone
  std::vector<uint32_t> plainToFast; // kNone: no segment starts here
  std::vector<TraceEnd> traceEnds;   // by plain index; empty unless it was traced
  std::vector<uint32_t> traceWords;
  std::deque<Operation> operations;
  std::deque<CallSite> calls;
  std::deque<Edge> edges;
  std::deque<SwitchTable> switches;
  std::map<uint32_t, uint32_t> cells; // of its ThreadLocal instructions

  uint32_t instructionCount() const { return fir->instructionCount; }
  uint32_t localId(uint32_t index) const { return fir->firstInstruction + index; }
  uint64_t globalId(uint32_t index) const { return uint64_t(module->base) + localId(index); }
  const fir::Instruction& instruction(uint32_t index) const {
    return module->image->instructions[localId(index)];
  }
  uint32_t entryStub() const { return instructionCount(); } // the first stub
};

// Addresses by which an IndirectBr may name this block.
std::vector<uint64_t> blockAddresses(const LoadedModule& module, uint32_t function, uint32_t block);

inline uint64_t CallSite::globalId() const { return function->globalId(index); }

} // namespace faultline::replay

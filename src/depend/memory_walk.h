// Follows a run and checks every access to memory against the object that its pointer was derived from: is
// it inside, is the object alive, has anybody written what is read and used. What lies at the address does
// not matter: an overflow that lands in another valid object is found as well.
//
//   char a[4], b[4];  a[i] = 'x';      i = 5: outside of a, wherever that is
//
// A pointer of which nobody knows where it came from (outside code gave it, it was put together byte by byte)
// is never complained about. docs/memory.md says what is checked and what not.
#pragma once

#include "depend/backward_walk.h"
#include "depend/pointer_code.h"
#include "depend/pointer_shadow.h"

#include <set>

namespace faultline::depend {

// An error, as the walk saw it.
struct MemoryError {
  enum Kind : uint8_t {
    Outside,  // of the pointer's object
    Freed,    // the object is
    Moved,    // by realloc
    Returned, // the function whose variable it is has
    DoubleFree,
    BadFree,       // of something that is not the start of a block
    Uninitialised, // what nobody has written is used
  };
  Kind kind = Outside;
  bool isWrite = false;
  bool isAllowed = false; // it was let write so much; how much it wrote is not known
  uint64_t time = 0;
  uint32_t id = 0; // global, of the instruction
  uint32_t thread = 0;
  uint64_t address = 0, size = 0;
  std::optional<MemoryObject> object = {}; // as it was then
  std::optional<MemoryObject> other = {};  // Outside: the block of the heap that lies there
  std::string function = {};               // the outside function that did it; empty: the program itself
  uint32_t argument = 0;                   // Uninitialised: of that call, from 1; 0: memory at `address`
  enum Use : uint8_t { Branch, Address, Argument, Text } use = Branch; // Uninitialised: what it decides
  // Uninitialised: who read it first, and where; address 0: a variable of that instruction's own.
  uint64_t readAt = 0;
  uint32_t readBy = 0;
  uint64_t readAddress = 0, readSize = 0;
};

// The first byte that does not belong to the object.
uint64_t firstOutside(const MemoryError& error);

struct MemoryWalkOptions {
  size_t most = 8; // errors; of one instruction and kind the first
  bool undefined = true;
};

class MemoryWalk {
public:
  MemoryWalk(RunCode& code, const replay::Program& program, MemoryWalkOptions options);

  void begin(const std::map<uint32_t, std::vector<StackFunction>>& stacks, uint32_t thread);
  using Effects = std::function<const OutsideEffect*(uint64_t)>;
  void walk(const replay::Trace& trace, const Effects& effects);
  // The instruction that the run ended in, and did not finish: the innermost frame as it stands.
  void stopped(const replay::FrameView& frame, uint64_t time, uint32_t module, uint64_t faultAddress);

  bool isDone() const { return errors_.size() >= options_.most; }
  const std::vector<MemoryError>& errors() const { return errors_; }
  const MemoryObjects& objects() const { return objects_; }
  uint64_t accesses() const { return accesses_; } // that were checked
  uint64_t unknown() const { return unknown_; }   // whose pointer came from nobody knows where
  uint64_t bytes() const { return memory_.bytes(); }
  // Functions of the C library and of others that may have written beyond what they were given.
  const std::set<std::string>& unchecked() const { return unchecked_; }

private:
  using Word = PointerShadow::Word;
  static constexpr uint64_t kLargestObject = uint64_t(16)
                                             << 20; // bytes of which it is followed who wrote them
  struct Frame {
    const PointerFunction* function = nullptr;
    size_t words = 0;                                   // first of Thread::words
    size_t locals = 0;                                  // first of Thread::locals
    uint32_t current = fir::kNone, before = fir::kNone; // blocks
    const PointerSegment* calling = nullptr;            // it ends with the call at hand
    bool isCalledBack = false;                          // outside code, called there, has called the program
    std::vector<Word> variable;                         // arguments
    std::vector<Passed> variablePassed;
  };
  struct Thread {
    std::vector<Frame> stack;
    std::vector<Word> words;
    std::vector<Provenance> locals;
    std::vector<Word> result;
    bool fromOutside = false; // outside code has called what begins now
  };
  struct Read {
    uint64_t time, address, size;
    uint32_t id;
  };
  struct Known; // an outside function
  struct Call;  // of one

  void segment(uint32_t number, uint32_t from, uint32_t to, StepWords words);
  void step(const PointerSegment& segment, uint32_t k, StepWords words, Word* w, Frame& frame);
  void phis(const PointerSegment& segment, uint32_t first, Word* w, const Frame& frame);
  void load(const PointerSegment& segment, uint32_t k, StepWords words, Word* w);
  void store(const PointerSegment& segment, uint32_t k, StepWords words, const Word* w);
  void exchange(const PointerSegment& segment, uint32_t k, StepWords words, Word* w);
  void copy(const PointerSegment& segment, uint32_t k, StepWords words, Word* w);
  void fill(const PointerSegment& segment, uint32_t k, StepWords words, Word* w);
  void local(const PointerStep& p, uint64_t address, uint64_t size, Word* w, bool isDynamic);
  void extract(const PointerStep& p, const Step& s, Word* w);
  void insert(const PointerStep& p, Word* w);
  void variableList(Frame& frame);
  void push(const PointerSegment& first);
  void pop();
  void other(const replay::TraceOther& other, const Effects& effects);

  // Values that nobody has given.
  void undefinedResult(const PointerSegment& segment, uint32_t k, Word* w, const Frame& frame);
  Word readUndefined(uint64_t undefined, uint64_t address, uint64_t size);

  // Outside calls (memory_walk_calls.cpp).
  void outsideCall(const replay::TraceOther& other, const OutsideEffect* effect);
  bool heapCall(const Known& known, Call& call);
  void release(Call& call, uint32_t argument);
  Provenance moved(Call& call, uint64_t size);
  void checkCall(const Known& known, Call& call);
  bool knowsArguments(const Call& call) const;
  Provenance variableArgumentTo(uint64_t address) const;
  void checkLine(Call& call);
  void checkRange(Call& call, uint64_t address, uint64_t size, bool isWrite);
  void checkDefined(const Known& known, Call& call);
  void applyFlows(Call& call);
  Provenance resultOf(const Call& call, const OutsideFlow& flow) const;
  bool mayWriteUnchecked(const Known& known, const Call& call) const;
  void escapeArguments(const Call& call, bool isShallow);
  bool onlyMoves(const PointerSegment& calling) const;
  void escape(std::vector<Provenance> open, bool isShallow = false);

  // Errors.
  void check(Provenance p, uint64_t address, uint64_t size, bool isWrite) {
    if (p == kNoObject) {
      ++unknown_;
      return;
    }
    ++accesses_;
    if (!isObject(p) || !objects_.has(p, address, size)) [[unlikely]]
      doubt(p, address, size, isWrite, {});
  }
  void doubt(Provenance p, uint64_t address, uint64_t size, bool isWrite, const std::string& function);
  void useUndefined(Word word, MemoryError::Use use, uint32_t argument, const std::string& function);
  void add(MemoryError error);

  MemoryWalkOptions options_;
  MemoryObjects objects_;
  PointerShadow memory_;
  PointerCode code_;
  std::map<uint32_t, Thread> threads_;
  Thread* thread_ = nullptr;
  uint32_t threadNumber_ = 0;
  uint64_t time_ = 0, stepTime_ = 0;
  uint32_t stepId_ = 0;
  std::vector<const replay::TraceOther*> lists_;
  std::vector<Read> reads_; // of what nobody had written, a ring
  uint64_t readCount_ = 0;
  std::vector<MemoryError> errors_;
  std::set<std::pair<uint32_t, uint8_t>> told_;
  uint64_t accesses_ = 0, unknown_ = 0;
  std::set<std::string> unchecked_;
};

} // namespace faultline::depend

// What each instruction does to pointers and to what nobody has written, in a form that a walk over traces
// follows without looking at the instruction again. It stands beside depend::Code, step by step: what is rare
// (bits that nobody has given) is looked up there.
#pragma once

#include "depend/history.h"
#include "depend/memory_objects.h"

namespace faultline::depend {

enum class PointerAct : uint8_t {
  Nothing,
  Clear,      // the result is no pointer
  Move,       // of `words` words
  Read,       // the same of a variable in words, which nobody may have written
  Join,       // a + b, a | b: a pointer if one of them is
  Difference, // a - b
  Distance,   // of two pointers
  Number,     // of a and b: no pointer any more
  Many,       // the same of any number of operands
  Element,    // Gep: a, index b
  Elements,   // Gep with several indices
  Load,
  Store,
  Copy,
  Fill,
  Update,
  Exchange,
  Select,
  Phi,
  Branch,
  Call,
  Return,
  Local,   // Alloca
  Dynamic, // AllocaDyn
  VariableList,
  Extract,
  Insert,
};

// An operand: a word, or the frame's word that is always 0; and the object that a constant points into.
struct PointerOperand {
  uint32_t word = 0;
  Provenance constant = kNoObject;
};

struct PointerStep {
  PointerAct act = PointerAct::Nothing;
  uint8_t isSafe = 0; // an access to a place that is known to be right
  uint16_t words = 0; // of the result, or of what is stored
  uint32_t dst = 0;
  PointerOperand a, b;
  uint32_t more = 0;  // Phi, Call: first of its operands in PointerSegment::operands; Alloca: bytes
  uint32_t count = 0; // of those; Read: bits; Insert: bytes; Dynamic: elements, if that is a constant
};

struct PointerSegment {
  const SegmentCode* code = nullptr;
  std::vector<PointerStep> steps;
  std::vector<PointerOperand> operands;
  std::vector<uint32_t> blocks; // of a Phi's operands: the predecessors
  const struct PointerFunction* function = nullptr;
  uint32_t functionWords = 0;
};

struct PointerFunction {
  uint32_t words = 0;                                   // without the one that is always 0
  std::vector<std::pair<uint32_t, uint32_t>> arguments; // first word, words
  std::vector<uint32_t> variables;                      // words that nobody has written at first
};

// Finds the globals, and knows where an instruction's constants point.
class PointerCode {
public:
  PointerCode(RunCode& code, const replay::Program& program, MemoryObjects& objects)
      : code_(code), program_(program), objects_(objects) {}
  const PointerSegment& segment(uint32_t number) {
    if (number < segments_.size() && segments_[number]) [[likely]]
      return *segments_[number];
    return decode(number);
  }
  const PointerFunction& function(uint32_t module, uint32_t number);
  // Of the outside function that the segment ends by calling, the name; empty: it calls by a pointer.
  std::string_view calleeOf(const PointerSegment& calling) const;
  // Knows the variables of modules that were loaded since. visit(address, object) for each pointer that they
  // hold from the start.
  void learnModules(const std::function<void(uint64_t, Provenance)>& visit);
  // What the module's symbol names, if that is a variable of the program's. A name that no module defines may
  // stand for more than what lies there: the linker's __start_... for instance.
  Provenance global(const replay::LoadedModule& module, uint32_t symbol) const;

private:
  friend class PointerDecoder;
  const PointerSegment& decode(uint32_t number);
  // Bytes of the variable at this offset of the function's frame.
  uint32_t localSize(uint32_t module, uint32_t function, uint64_t offset);

  RunCode& code_;
  const replay::Program& program_;
  MemoryObjects& objects_;
  std::vector<std::unique_ptr<PointerSegment>> segments_;
  std::map<std::pair<uint32_t, uint32_t>, PointerFunction> functions_;
  struct Global {
    Provenance object = kNoObject;
    std::string_view name = {};
  };
  std::unordered_map<uint64_t, Global> globals_; // by address
  size_t modules_ = 0;
};

} // namespace faultline::depend

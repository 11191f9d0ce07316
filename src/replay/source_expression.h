// What an operand of an instruction is called in the source. The IR is the unoptimised one, so that a value
// leads back to the variables, members and elements that the source named:
//
//   w16 = LoadVar n | w17 = Gep w16 + 8 | Load w17        the address w17 is n->next, by way of the pointer n
#pragma once

#include "replay/object_names.h"

namespace faultline::replay {

struct SourceValue {
  std::string text; // p->next, count, a + b, f()
  TypeRef type;     // may be void: not known
};

// One thing that an address was computed from.
struct Ingredient {
  std::string text;
  fir::Operand operand = 0;
  unsigned bits = 64;
  bool isPointer = false;
  TypeRef type;
};

// An address, as the object that it is the address of.
struct SourceAccess {
  std::string text; // n->next
  TypeRef type;
  std::vector<Ingredient> from; // the pointer first, if there is one, then the indices
};

std::optional<SourceValue> sourceValue(const FrameView& frame, fir::Operand operand);
std::optional<SourceAccess> sourceAccess(const FrameView& frame, fir::Operand address);

// The instruction of the frame's function whose result the word is, or null.
const fir::Instruction* definitionOf(const FrameView& frame, uint32_t word);

// The operand's first word as it is now in the frame.
std::optional<uint64_t> operandValue(const FrameView& frame, const SymbolView& symbols, fir::Operand operand);

} // namespace faultline::replay

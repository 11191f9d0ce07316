// Rules by which a term becomes a simpler one with the same value. Each file has those of one family; all
// give an empty term where no rule fits. A rule makes terms by the same functions as everybody, so rules
// follow on each other; Terms::make cuts off what would go too deep.
#pragma once

#include "logic/term.h"

namespace faultline::logic {

// What is about to be made. At least one operand is no constant.
struct Shape {
  Kind kind;
  uint32_t width;
  uint64_t parameter;
  std::span<const Term> operands;
  Term a() const { return operands[0]; }
  Term b() const { return operands[1]; }
  Term c() const { return operands[2]; }
};

Term simplifyArithmetic(Terms& t, const Shape& s); // Add..AShr
Term simplifyBitwise(Terms& t, const Shape& s);    // And..Not
Term simplifyCompare(Terms& t, const Shape& s);    // Equal..SLessEqual
Term simplifyPieces(Terms& t, const Shape& s);     // IfThenElse, Concat, Extract, extensions

// fold.cpp: the value of an operation on constants.
Term fold(Terms& t, const Shape& s);

inline bool isZero(const Terms& t, Term x) {
  if (!t.isConstant(x)) return false;
  for (uint64_t word : t.words(x))
    if (word) return false;
  return true;
}
bool isAllOnes(const Terms& t, Term x);
inline bool isOne(const Terms& t, Term x) { return t.isConstant(x) && t.width(x) <= 64 && t.value(x) == 1; }
inline bool is(const Terms& t, Term x, Kind kind) { return t.kind(x) == kind; }
inline Term operand(const Terms& t, Term x, size_t k) { return t.operands(x)[k]; }
inline Term zero(Terms& t, uint32_t width) { return t.zeroExtend(t.no(), width); }
Term allOnes(Terms& t, uint32_t width);
Term invert(Terms& t, Term x);
Term minus(Terms& t, Term x);

} // namespace faultline::logic

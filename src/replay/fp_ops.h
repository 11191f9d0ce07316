// Floating point as x86-64 computes it. Values are bit patterns in U128: half, float, double, the 80 bits of
// long double, or 128-bit. Scalar float and double go through the same SSE instructions as compiled code,
// operands in the same order, so that NaNs come out the same.
#pragma once

#include "program/fir.h"
#include "replay/lanes.h"

namespace faultline::replay {

template <class T> T fpFromBits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T> uint64_t fpToBits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

// The compiler may commute a + b, which chooses another NaN: so the instruction is spelt out.
#define FL_SSE(name, type, instruction)                                                                      \
  inline type name(type a, type b) {                                                                         \
    asm(instruction " %1, %0" : "+x"(a) : "x"(b));                                                           \
    return a;                                                                                                \
  }
FL_SSE(sseAdd, float, "addss")
FL_SSE(sseAdd, double, "addsd")
FL_SSE(sseSub, float, "subss")
FL_SSE(sseSub, double, "subsd")
FL_SSE(sseMul, float, "mulss")
FL_SSE(sseMul, double, "mulsd")
FL_SSE(sseDiv, float, "divss")
FL_SSE(sseDiv, double, "divsd")
#undef FL_SSE

template <class T, fir::Op O> T computeSse(T a, T b) {
  switch (O) {
  case fir::Op::FAdd:
    return sseAdd(a, b);
  case fir::Op::FSub:
    return sseSub(a, b);
  case fir::Op::FMul:
    return sseMul(a, b);
  default:
    return sseDiv(a, b);
  }
}

// llvm::CmpInst::Predicate: bit 0 equal, 1 greater, 2 less, 3 unordered
template <class T> bool compareFp(uint8_t predicate, T a, T b) {
  unsigned outcome = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
  return (predicate & outcome) != 0;
}
template <uint8_t P, class T> bool comparePredicate(T a, T b) {
  switch (P) {
  case 1:
    return a == b;
  case 2:
    return a > b;
  case 3:
    return a >= b;
  case 4:
    return a < b;
  case 5:
    return a <= b;
  case 14:
    return !(a == b);
  default:
    return compareFp(P, a, b);
  }
}

bool isFp(fir::TypeKind kind);
unsigned fpBits(fir::TypeKind kind);

U128 computeFp(fir::Op op, fir::TypeKind kind, U128 a, U128 b); // FAdd..FRem, FNeg
bool compareFp(uint8_t predicate, fir::TypeKind kind, U128 a, U128 b);
U128 convertFp(fir::TypeKind from, fir::TypeKind to, U128 a);
U128 fpToInt(fir::TypeKind from, bool isSigned, unsigned bits, U128 a);
U128 intToFp(fir::TypeKind to, bool isSigned, unsigned bits, U128 a);
// `operands` as the intrinsic has them; IsFPClass: a, mask.
U128 computeFpIntrinsic(fir::Intrinsic which, fir::TypeKind kind, U128 a, U128 b, U128 c);
bool isFpIntrinsic(fir::Intrinsic which);
// llvm.is.fpclass
bool isFpClass(fir::TypeKind kind, U128 a, uint32_t mask);

} // namespace faultline::replay

// Integer arithmetic of any width up to 128 bits, as the machine code of the recorded program computes it.
// The templates are for the widths of registers, the functions on U128 for all others.
#pragma once

#include "program/fir.h"
#include "replay/lanes.h"

#include <type_traits>

namespace faultline::replay {

// llvm::CmpInst::Predicate
enum IntPredicate : uint8_t { EQ = 32, NE, UGT, UGE, ULT, ULE, SGT, SGE, SLT, SLE };

template <class T, uint8_t P> constexpr bool compareInt(T a, T b) {
  using S = std::make_signed_t<T>;
  switch (P) {
  case EQ:
    return a == b;
  case NE:
    return a != b;
  case UGT:
    return a > b;
  case UGE:
    return a >= b;
  case ULT:
    return a < b;
  case ULE:
    return a <= b;
  case SGT:
    return S(a) > S(b);
  case SGE:
    return S(a) >= S(b);
  case SLT:
    return S(a) < S(b);
  default:
    return S(a) <= S(b);
  }
}

// The processor looks at the low 5 bits of a shift's count, or at 6 for 64-bit operands.
constexpr unsigned shiftCount(unsigned bits, uint64_t count) {
  return unsigned(count & (bits > 64 ? 127 : bits > 32 ? 63 : 31));
}

// Neither divides by zero nor overflows: see divisionFaults.
template <class T, fir::Op O> constexpr T computeInt(T a, T b) {
  using S = std::make_signed_t<T>;
  using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, T>;
  constexpr unsigned bits = sizeof(T) * 8;
  switch (O) {
  case fir::Op::Add:
    return T(Wide(a) + Wide(b));
  case fir::Op::Sub:
    return T(Wide(a) - Wide(b));
  case fir::Op::Mul:
    return T(Wide(a) * Wide(b));
  case fir::Op::UDiv:
    return T(a / b);
  case fir::Op::URem:
    return T(a % b);
  case fir::Op::SDiv:
    return T(S(a) / S(b));
  case fir::Op::SRem:
    return T(S(a) % S(b));
  case fir::Op::Shl:
    return T(Wide(a) << shiftCount(bits, b));
  case fir::Op::LShr:
    return T(Wide(a) >> shiftCount(bits, b));
  case fir::Op::AShr:
    return T(std::make_signed_t<Wide>(S(a)) >> shiftCount(bits, b));
  case fir::Op::And:
    return a & b;
  case fir::Op::Or:
    return a | b;
  default:
    return a ^ b;
  }
}

template <class T, fir::Op O> constexpr bool divisionFaults(T a, T b) {
  if constexpr (O == fir::Op::UDiv || O == fir::Op::URem) return b == 0;
  return b == 0 || (b == T(-1) && a == T(T(1) << (sizeof(T) * 8 - 1)));
}

bool isDivision(fir::Op op);
// Result is masked to `bits`. A division that the processor refuses gives what code for a constant divisor
// would: 0 for a zero divisor, else the wrapped quotient.
U128 computeInt(fir::Op op, unsigned bits, U128 a, U128 b);
bool divisionFaults(fir::Op op, unsigned bits, U128 a, U128 b);
bool compareInt(uint8_t predicate, unsigned bits, U128 a, U128 b);

// Integer intrinsics of one result; operands as the intrinsic has them, missing ones 0. `overflow` is set by
// the *Overflow ones.
U128 computeIntIntrinsic(fir::Intrinsic which, unsigned bits, U128 a, U128 b, U128 c, bool& overflow);
bool isOverflowIntrinsic(fir::Intrinsic which);

} // namespace faultline::replay

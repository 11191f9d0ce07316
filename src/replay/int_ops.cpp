#include "replay/int_ops.h"

#include <algorithm>

namespace faultline::replay {

using fir::Intrinsic;
using fir::Op;

bool isDivision(Op op) { return op == Op::UDiv || op == Op::SDiv || op == Op::URem || op == Op::SRem; }

bool divisionFaults(Op op, unsigned bits, U128 a, U128 b) {
  U128 mask = maskBits(bits);
  if ((b & mask) == 0) return true;
  if (op == Op::UDiv || op == Op::URem || bits > 64) return false; // 128 bits: a library function, no trap
  return (b & mask) == mask && (a & mask) == U128(1) << (bits - 1);
}

U128 computeInt(Op op, unsigned bits, U128 a, U128 b) {
  U128 mask = maskBits(bits);
  I128 sa = signExtend(a, bits), sb = signExtend(b, bits);
  unsigned count = shiftCount(bits, uint64_t(b));
  switch (op) {
  case Op::Add:
    return (a + b) & mask;
  case Op::Sub:
    return (a - b) & mask;
  case Op::Mul:
    return (a * b) & mask;
  case Op::UDiv:
    return b ? a / b : 0;
  case Op::URem:
    return b ? a % b : 0;
  case Op::SDiv:
    return sb == 0 ? 0 : sb == -1 ? (U128(0) - a) & mask : U128(sa / sb) & mask;
  case Op::SRem:
    return sb == 0 || sb == -1 ? 0 : U128(sa % sb) & mask;
  case Op::Shl:
    return (a << count) & mask;
  case Op::LShr:
    return a >> count;
  case Op::AShr:
    return U128(sa >> count) & mask;
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  default:
    return a ^ b;
  }
}

bool compareInt(uint8_t predicate, unsigned bits, U128 a, U128 b) {
  I128 sa = signExtend(a, bits), sb = signExtend(b, bits);
  switch (predicate) {
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
    return sa > sb;
  case SGE:
    return sa >= sb;
  case SLT:
    return sa < sb;
  default:
    return sa <= sb;
  }
}

namespace {

unsigned countLeadingZeros(U128 a, unsigned bits) {
  unsigned n = 0;
  while (n < bits && !((a >> (bits - 1 - n)) & 1)) ++n;
  return n;
}
unsigned countTrailingZeros(U128 a, unsigned bits) {
  unsigned n = 0;
  while (n < bits && !((a >> n) & 1)) ++n;
  return n;
}
unsigned countOnes(U128 a) {
  return unsigned(__builtin_popcountll(uint64_t(a)) + __builtin_popcountll(uint64_t(a >> 64)));
}

U128 reverseBits(U128 a, unsigned bits, unsigned unit) {
  U128 r = 0;
  for (unsigned k = 0; k + unit <= bits; k += unit) r |= ((a >> k) & maskBits(unit)) << (bits - unit - k);
  return r;
}

// The concatenation a:b shifted; `left` gives the high part.
U128 funnelShift(U128 a, U128 b, U128 count, unsigned bits, bool left) {
  unsigned c = unsigned(count % bits);
  if (c == 0) return left ? a : b;
  return (left ? (a << c) | (b >> (bits - c)) : (a << (bits - c)) | (b >> c)) & maskBits(bits);
}

struct Exact {
  U128 value;
  bool overflow;
};
Exact addSigned(I128 a, I128 b, unsigned bits, bool subtract) {
  I128 r;
  bool wide = subtract ? __builtin_sub_overflow(a, b, &r) : __builtin_add_overflow(a, b, &r);
  return {U128(r) & maskBits(bits), wide || signExtend(U128(r), bits) != r};
}
Exact addUnsigned(U128 a, U128 b, unsigned bits, bool subtract) {
  U128 r;
  bool wide = subtract ? __builtin_sub_overflow(a, b, &r) : __builtin_add_overflow(a, b, &r);
  return {r & maskBits(bits), wide || (r & ~maskBits(bits))};
}
Exact multiply(U128 a, U128 b, unsigned bits, bool isSigned) {
  if (isSigned) {
    I128 r;
    bool wide = __builtin_mul_overflow(signExtend(a, bits), signExtend(b, bits), &r);
    return {U128(r) & maskBits(bits), wide || signExtend(U128(r), bits) != r};
  }
  U128 r;
  bool wide = __builtin_mul_overflow(a, b, &r);
  return {r & maskBits(bits), wide || (r & ~maskBits(bits))};
}
U128 saturate(Exact e, bool negative, bool isSigned, bool subtract, unsigned bits) {
  if (!e.overflow) return e.value;
  if (!isSigned) return subtract ? 0 : maskBits(bits);
  return negative ? U128(1) << (bits - 1) : maskBits(bits) >> 1;
}

} // namespace

bool isOverflowIntrinsic(Intrinsic which) {
  return which >= Intrinsic::SAddOverflow && which <= Intrinsic::UMulOverflow;
}

U128 computeIntIntrinsic(Intrinsic which, unsigned bits, U128 a, U128 b, U128 c, bool& overflow) {
  I128 sa = signExtend(a, bits), sb = signExtend(b, bits);
  auto checked = [&](Exact e) {
    overflow = e.overflow;
    return e.value;
  };
  switch (which) {
  case Intrinsic::Abs:
    return (sa < 0 ? U128(0) - a : a) & maskBits(bits);
  case Intrinsic::SMax:
    return sa > sb ? a : b;
  case Intrinsic::SMin:
    return sa < sb ? a : b;
  case Intrinsic::UMax:
    return std::max(a, b);
  case Intrinsic::UMin:
    return std::min(a, b);
  case Intrinsic::BSwap:
    return reverseBits(a, bits, 8);
  case Intrinsic::BitReverse:
    return reverseBits(a, bits, 1);
  case Intrinsic::CtPop:
    return countOnes(a);
  case Intrinsic::CtLz:
    return countLeadingZeros(a, bits);
  case Intrinsic::CtTz:
    return countTrailingZeros(a, bits);
  case Intrinsic::FShl:
    return funnelShift(a, b, c, bits, true);
  case Intrinsic::FShr:
    return funnelShift(a, b, c, bits, false);
  case Intrinsic::SAddOverflow:
    return checked(addSigned(sa, sb, bits, false));
  case Intrinsic::SSubOverflow:
    return checked(addSigned(sa, sb, bits, true));
  case Intrinsic::UAddOverflow:
    return checked(addUnsigned(a, b, bits, false));
  case Intrinsic::USubOverflow:
    return checked(addUnsigned(a, b, bits, true));
  case Intrinsic::SMulOverflow:
    return checked(multiply(a, b, bits, true));
  case Intrinsic::UMulOverflow:
    return checked(multiply(a, b, bits, false));
  case Intrinsic::SAddSat:
    return saturate(addSigned(sa, sb, bits, false), sa < 0, true, false, bits);
  case Intrinsic::SSubSat:
    return saturate(addSigned(sa, sb, bits, true), sa < 0, true, true, bits);
  case Intrinsic::UAddSat:
    return saturate(addUnsigned(a, b, bits, false), false, false, false, bits);
  case Intrinsic::USubSat:
    return saturate(addUnsigned(a, b, bits, true), false, false, true, bits);
  case Intrinsic::PtrMask:
    return a & b;
  case Intrinsic::IsConstant:
    return 0;
  default:
    return a; // Expect, ObjectSize: the first operand
  }
}

} // namespace faultline::replay

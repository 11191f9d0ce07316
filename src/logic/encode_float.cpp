// Floating point as replay computes it (replay/fp_ops.h): half by way of float, conversions to integers by
// the signed instruction of 32 or 64 bits.
#include "logic/encode_parts.h"
#include "replay/fp_ops.h"

namespace faultline::logic {

using fir::Intrinsic;
using fir::Op;
using fir::TypeKind;

bool hasTheory(TypeKind kind) {
  return kind == TypeKind::Half || kind == TypeKind::Float || kind == TypeKind::Double;
}

namespace {

// There is no half-precision unit: f computes in float.
template <class F>
std::optional<Term> inFloat(Terms& t, TypeKind kind, std::initializer_list<Term> operands, F&& f) {
  if (!hasTheory(kind)) return std::nullopt;
  std::vector<Term> wide(operands);
  if (kind != TypeKind::Half) return f(std::span<const Term>(wide));
  for (Term& x : wide)
    if (x) x = t.unary(Kind::FToF, x, 32);
  return t.unary(Kind::FToF, f(std::span<const Term>(wide)), 16);
}

Term signMask(Terms& t, uint32_t width) { return t.concat(t.yes(), t.bits(width - 1, 0)); }

} // namespace

std::optional<Term> encodeFloat(Terms& t, Op op, TypeKind kind, Term a, Term b) {
  if (op == Op::FNeg) {
    if (!hasTheory(kind)) return t.binary(Kind::Xor, a, signMask(t, t.width(a)));
    return t.unary(Kind::FNeg, a);
  }
  if (op == Op::FRem) return std::nullopt;
  return inFloat(t, kind, {a, b}, [&](std::span<const Term> x) {
    switch (op) {
    case Op::FAdd:
      return t.binary(Kind::FAdd, x[0], x[1]);
    case Op::FSub:
      return t.binary(Kind::FSub, x[0], x[1]);
    case Op::FMul:
      return t.binary(Kind::FMul, x[0], x[1]);
    default:
      return t.binary(Kind::FDiv, x[0], x[1]);
    }
  });
}

// Predicate bits: equal, greater, less, unordered. Those with the last are the opposites of those without.
Term encodeFloatCompare(Terms& t, uint8_t predicate, Term a, Term b) {
  if (predicate & 8) return t.negate(encodeFloatCompare(t, uint8_t(~predicate & 15), a, b));
  switch (predicate) {
  case 0:
    return t.no();
  case 1:
    return t.binary(Kind::FEqual, a, b);
  case 2:
    return t.binary(Kind::FLess, b, a);
  case 3:
    return t.binary(Kind::FLessEqual, b, a);
  case 4:
    return t.binary(Kind::FLess, a, b);
  case 5:
    return t.binary(Kind::FLessEqual, a, b);
  case 6:
    return t.either(t.binary(Kind::FLess, a, b), t.binary(Kind::FLess, b, a));
  default:
    return t.negate(t.either(t.unary(Kind::FIsNan, a), t.unary(Kind::FIsNan, b)));
  }
}

namespace {

Term toUnsigned64(Terms& t, Term a) {
  bool isFloat = t.width(a) == 32;
  Term limit = isFloat ? t.bits(32, replay::fpToBits(0x1p63f)) : t.bits(64, replay::fpToBits(0x1p63));
  Term low = t.unary(Kind::FToSigned, a, 64);
  Term high = t.unary(Kind::FToSigned, t.binary(Kind::FSub, a, limit), 64);
  return t.choose(t.extract(low, 63, 1), t.binary(Kind::Or, low, high), low);
}

std::optional<Term> toInteger(const Encoding& e, const fir::Type& from, uint32_t bits, Term a) {
  if (!hasTheory(from.kind) || bits > 64) return std::nullopt;
  bool isSigned = e.i.op == Op::FPToSI;
  if (from.kind == TypeKind::Half) a = e.t.unary(Kind::FToF, a, 32);
  if (bits == 64 && !isSigned) return toUnsigned64(e.t, a);
  bool wide = bits > 32 || (bits == 32 && !isSigned);
  return e.fit(e.t.unary(Kind::FToSigned, a, wide ? 64 : 32), bits);
}

} // namespace

std::optional<Term> encodeFloatCast(const Encoding& e, const fir::Type& from, const fir::Type& to, Term a) {
  switch (e.i.op) {
  case Op::FPToUI:
  case Op::FPToSI:
    return toInteger(e, from, to.bits, a);
  case Op::UIToFP:
  case Op::SIToFP:
    if (!hasTheory(to.kind) || from.bits > 64) return std::nullopt;
    return e.t.unary(e.i.op == Op::SIToFP ? Kind::SignedToF : Kind::UnsignedToF, a, to.bits);
  default:
    if (!hasTheory(from.kind) || !hasTheory(to.kind)) return std::nullopt;
    return e.t.unary(Kind::FToF, a, to.bits);
  }
}

std::optional<Term> encodeFloatIntrinsic(Terms& t, Intrinsic which, TypeKind kind, Term a, Term b, Term c) {
  uint32_t width = t.width(a);
  if (which == Intrinsic::FAbs)
    return hasTheory(kind) ? t.unary(Kind::FAbs, a)
                           : t.binary(Kind::And, a, t.unary(Kind::Not, signMask(t, width)));
  if (which == Intrinsic::CopySign) return t.concat(t.extract(b, width - 1, 1), t.extract(a, 0, width - 1));
  auto round = [&](Term x, Rounding how) { return t.unary(Kind::FRound, x, 0, uint64_t(how)); };
  auto pick = [&](Term x, Term y, Term yWins) { // y where x is a NaN or y wins
    return t.choose(t.either(t.unary(Kind::FIsNan, x), yWins), y, x);
  };
  return inFloat(t, kind, {a, b, c}, [&](std::span<const Term> x) {
    switch (which) {
    case Intrinsic::Sqrt:
      return t.unary(Kind::FSqrt, x[0]);
    case Intrinsic::Floor:
      return round(x[0], Rounding::Floor);
    case Intrinsic::Ceil:
      return round(x[0], Rounding::Ceil);
    case Intrinsic::FTrunc:
      return round(x[0], Rounding::Trunc);
    case Intrinsic::Rint:
    case Intrinsic::NearbyInt:
    case Intrinsic::RoundEven:
      return round(x[0], Rounding::NearestEven);
    case Intrinsic::Round:
      return round(x[0], Rounding::NearestAway);
    case Intrinsic::Fma:
      return t.make(Kind::FFma, x);
    case Intrinsic::MinNum:
      return pick(x[0], x[1], t.binary(Kind::FLess, x[1], x[0]));
    case Intrinsic::MaxNum:
      return pick(x[0], x[1], t.binary(Kind::FLess, x[0], x[1]));
    default:
      return x[0];
    }
  });
}

// Mask bits as in replay/fp_intrinsics.cpp: 0 signalling NaN, 1 quiet NaN, 2 -inf ... 9 +inf.
Term encodeFloatClass(Terms& t, TypeKind kind, Term a, Term mask) {
  uint32_t width = t.width(a), mantissaBits = kind == TypeKind::Half ? 10 : kind == TypeKind::Float ? 23 : 52;
  uint32_t exponentBits = width - 1 - mantissaBits;
  Term mantissa = t.extract(a, 0, mantissaBits), exponent = t.extract(a, mantissaBits, exponentBits);
  Term negative = t.extract(a, width - 1, 1), quiet = t.extract(a, mantissaBits - 1, 1);
  Term noMantissa = t.equal(mantissa, t.bits(mantissaBits, 0));
  Term special = t.equal(exponent, t.bits(exponentBits, ~uint64_t(0)));
  Term small = t.equal(exponent, t.bits(exponentBits, 0));
  Term bySign[4][2] = {}; // infinite, normal, subnormal, zero: for - and for +
  for (uint32_t k = 0; k < 4; ++k) {
    bySign[k][0] = t.extract(mask, 2 + k, 1);
    bySign[k][1] = t.extract(mask, 9 - k, 1);
  }
  auto signedBit = [&](size_t k) { return t.choose(negative, bySign[k][0], bySign[k][1]); };
  Term nan = t.choose(quiet, t.extract(mask, 1, 1), t.extract(mask, 0, 1));
  Term tiny = t.choose(noMantissa, signedBit(3), signedBit(2));
  return t.choose(special, t.choose(noMantissa, signedBit(0), nan), t.choose(small, tiny, signedBit(1)));
}

} // namespace faultline::logic

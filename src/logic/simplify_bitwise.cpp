#include "logic/simplify.h"

#include <bit>

namespace faultline::logic {

namespace {

bool areOpposite(const Terms& t, Term a, Term b) {
  return (is(t, a, Kind::Not) && operand(t, a, 0) == b) || (is(t, b, Kind::Not) && operand(t, b, 0) == a);
}

// (x op c) op d
Term joinConstants(Terms& t, const Shape& s) {
  if (!t.isConstant(s.b()) || !is(t, s.a(), s.kind) || !t.isConstant(operand(t, s.a(), 1))) return {};
  return t.binary(s.kind, operand(t, s.a(), 0), t.binary(s.kind, operand(t, s.a(), 1), s.b()));
}

// A constant on pieces: each piece for itself. (high:low) & 0x00ff
Term distribute(Terms& t, const Shape& s) {
  if (!t.isConstant(s.b())) return {};
  if (is(t, s.a(), Kind::Concat)) {
    Term high = operand(t, s.a(), 0), low = operand(t, s.a(), 1);
    uint32_t n = t.width(low);
    return t.concat(t.binary(s.kind, high, t.extract(s.b(), n, t.width(high))),
                    t.binary(s.kind, low, t.extract(s.b(), 0, n)));
  }
  if (is(t, s.a(), Kind::ZeroExtend)) {
    Term inner = operand(t, s.a(), 0);
    uint32_t n = t.width(inner);
    Term low = t.binary(s.kind, inner, t.extract(s.b(), 0, n));
    Term high = t.extract(s.b(), n, s.width - n);
    return t.concat(s.kind == Kind::And ? zero(t, s.width - n) : high, low);
  }
  return {};
}

// Operands that do not overlap: (a:0) | zext(b) is a:b.
Term joinPieces(Terms& t, Term a, Term b, uint32_t width) {
  if (!is(t, b, Kind::ZeroExtend)) return {};
  Term low = operand(t, b, 0);
  uint32_t n = t.width(low);
  if (is(t, a, Kind::Concat) && isZero(t, operand(t, a, 1)) && t.width(operand(t, a, 1)) >= n)
    return t.concat(t.extract(a, n, width - n), low);
  if (is(t, a, Kind::ZeroExtend) && is(t, operand(t, a, 0), Kind::Concat)) {
    Term tail = operand(t, operand(t, a, 0), 1);
    if (isZero(t, tail) && t.width(tail) >= n) return t.concat(t.extract(a, n, width - n), low);
  }
  return {};
}

// Number of ones of a constant 0..01..1, or 0.
uint32_t lowOnes(const Terms& t, Term c) {
  if (!t.isConstant(c) || t.width(c) > 64) return 0;
  uint64_t value = t.value(c);
  return value & (value + 1) ? 0 : uint32_t(std::popcount(value));
}

Term simplifyAnd(Terms& t, const Shape& s) {
  Term a = s.a(), b = s.b();
  if (isZero(t, b)) return b;
  if (isAllOnes(t, b) || a == b) return a;
  if (areOpposite(t, a, b)) return zero(t, s.width);
  if (uint32_t n = lowOnes(t, b)) return t.zeroExtend(t.extract(a, 0, n), s.width);
  // x && (x && y)
  if (is(t, b, Kind::And) && (operand(t, b, 0) == a || operand(t, b, 1) == a)) return b;
  if (is(t, a, Kind::And) && (operand(t, a, 0) == b || operand(t, a, 1) == b)) return a;
  if (Term joined = joinConstants(t, s)) return joined;
  return distribute(t, s);
}

Term simplifyOr(Terms& t, const Shape& s) {
  Term a = s.a(), b = s.b();
  if (isZero(t, b) || a == b) return a;
  if (isAllOnes(t, b)) return b;
  if (areOpposite(t, a, b)) return allOnes(t, s.width);
  if (is(t, b, Kind::Or) && (operand(t, b, 0) == a || operand(t, b, 1) == a)) return b;
  if (is(t, a, Kind::Or) && (operand(t, a, 0) == b || operand(t, a, 1) == b)) return a;
  if (Term joined = joinConstants(t, s)) return joined;
  if (Term joined = joinPieces(t, a, b, s.width)) return joined;
  if (Term joined = joinPieces(t, b, a, s.width)) return joined;
  return distribute(t, s);
}

Term simplifyXor(Terms& t, const Shape& s) {
  if (isZero(t, s.b())) return s.a();
  if (s.a() == s.b()) return zero(t, s.width);
  if (isAllOnes(t, s.b())) return invert(t, s.a());
  if (areOpposite(t, s.a(), s.b())) return allOnes(t, s.width);
  if (Term joined = joinConstants(t, s)) return joined;
  return distribute(t, s);
}

// A condition's opposite is a condition again.
Term simplifyNot(Terms& t, const Shape& s) {
  Term a = s.a();
  auto swapped = [&](Kind kind) { return t.binary(kind, operand(t, a, 1), operand(t, a, 0)); };
  switch (t.kind(a)) {
  case Kind::Not:
    return operand(t, a, 0);
  case Kind::ULess:
    return swapped(Kind::ULessEqual);
  case Kind::ULessEqual:
    return swapped(Kind::ULess);
  case Kind::SLess:
    return swapped(Kind::SLessEqual);
  case Kind::SLessEqual:
    return swapped(Kind::SLess);
  default:
    return {};
  }
}

} // namespace

Term simplifyBitwise(Terms& t, const Shape& s) {
  switch (s.kind) {
  case Kind::And:
    return simplifyAnd(t, s);
  case Kind::Or:
    return simplifyOr(t, s);
  case Kind::Xor:
    return simplifyXor(t, s);
  default:
    return simplifyNot(t, s);
  }
}

} // namespace faultline::logic

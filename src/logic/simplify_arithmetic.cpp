#include "logic/simplify.h"
#include "replay/int_ops.h"

#include <algorithm>

namespace faultline::logic {

namespace {

Term simplifyAdd(Terms& t, const Shape& s) {
  Term a = s.a(), b = s.b();
  if (isZero(t, b)) return a;
  if (t.isConstant(b) && is(t, a, Kind::Add) && t.isConstant(operand(t, a, 1))) // (x + c) + d
    return t.add(operand(t, a, 0), t.add(operand(t, a, 1), b));
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) // x + (y - x)
    if (is(t, y, Kind::Sub) && operand(t, y, 1) == x) return operand(t, y, 0);
  return {};
}

Term simplifySub(Terms& t, const Shape& s) {
  Term a = s.a(), b = s.b();
  if (a == b) return zero(t, s.width);
  if (t.isConstant(b)) return t.add(a, minus(t, b)); // one form for both
  if (is(t, a, Kind::Add)) {                         // (x + y) - x
    if (operand(t, a, 0) == b) return operand(t, a, 1);
    if (operand(t, a, 1) == b) return operand(t, a, 0);
  }
  if (is(t, b, Kind::Add)) { // x - (x + y)
    if (operand(t, b, 0) == a) return minus(t, operand(t, b, 1));
    if (operand(t, b, 1) == a) return minus(t, operand(t, b, 0));
  }
  // (x + c) - (y + d), as pointers into one object have it
  auto parts = [&](Term x) {
    bool has = is(t, x, Kind::Add) && t.isConstant(operand(t, x, 1));
    return has ? std::pair(operand(t, x, 0), operand(t, x, 1)) : std::pair(x, zero(t, s.width));
  };
  auto [x, c] = parts(a);
  auto [y, d] = parts(b);
  if (x == y) return t.binary(Kind::Sub, c, d);
  return {};
}

Term simplifyMul(Terms& t, const Shape& s) {
  Term a = s.a(), b = s.b();
  if (isZero(t, b)) return b;
  if (isOne(t, b)) return a;
  if (t.isConstant(b) && is(t, a, Kind::Mul) && t.isConstant(operand(t, a, 1)))
    return t.binary(Kind::Mul, operand(t, a, 0), t.binary(Kind::Mul, operand(t, a, 1), b));
  return {};
}

// A shift by a constant takes a piece.
Term simplifyShift(Terms& t, const Shape& s) {
  if (isZero(t, s.a())) return s.a();
  if (!t.isConstant(s.b())) return {};
  uint32_t count = replay::shiftCount(s.width, t.value(s.b()));
  if (count == 0) return s.a();
  if (s.kind == Kind::AShr) {
    count = std::min(count, s.width - 1);
    return t.signExtend(t.extract(s.a(), count, s.width - count), s.width);
  }
  if (count >= s.width) return zero(t, s.width);
  if (s.kind == Kind::Shl) return t.concat(t.extract(s.a(), 0, s.width - count), zero(t, count));
  return t.zeroExtend(t.extract(s.a(), count, s.width - count), s.width);
}

} // namespace

Term simplifyArithmetic(Terms& t, const Shape& s) {
  switch (s.kind) {
  case Kind::Add:
    return simplifyAdd(t, s);
  case Kind::Sub:
    return simplifySub(t, s);
  case Kind::Mul:
    return simplifyMul(t, s);
  case Kind::UDiv:
  case Kind::SDiv:
    // At width 1 the number 1 is also -1; the quotient is the same.
    return isOne(t, s.b()) ? s.a() : isZero(t, s.b()) || isZero(t, s.a()) ? zero(t, s.width) : Term{};
  case Kind::URem:
  case Kind::SRem:
    return isOne(t, s.b()) || isZero(t, s.b()) || isZero(t, s.a()) || s.a() == s.b() ? zero(t, s.width)
                                                                                     : Term{};
  default:
    return simplifyShift(t, s);
  }
}

} // namespace faultline::logic

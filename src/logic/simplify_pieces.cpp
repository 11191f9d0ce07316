// Memory is cut into bytes and put together again: a load of what a store wrote must be the stored term.
// Forms that these rules keep to: a Concat's high part is no Concat and not 0 (that is a ZeroExtend),
// neighbours in it are not parts of one term that lie side by side; an Extract's operand is neither piece nor
// extension.
#include "logic/simplify.h"

namespace faultline::logic {

namespace {

// What two neighbours are together, if that is one simple term.
Term joined(Terms& t, Term high, Term low) {
  if (t.isConstant(high) && t.isConstant(low)) return t.concat(high, low);
  if (is(t, high, Kind::Extract)) {
    Term whole = operand(t, high, 0);
    auto from = uint32_t(t.parameter(high));
    if (is(t, low, Kind::Extract) && operand(t, low, 0) == whole && t.parameter(low) + t.width(low) == from)
      return t.extract(whole, uint32_t(t.parameter(low)), t.width(low) + t.width(high));
  }
  if (is(t, high, Kind::IfThenElse) && is(t, low, Kind::IfThenElse) &&
      operand(t, high, 0) == operand(t, low, 0)) {
    // Cut from one choice, or useful only where something folds.
    Term yes = t.concat(operand(t, high, 1), operand(t, low, 1));
    Term no = t.concat(operand(t, high, 2), operand(t, low, 2));
    return t.choose(operand(t, high, 0), yes, no);
  }
  return {};
}

Term simplifyConcat(Terms& t, const Shape& s) {
  Term high = s.a(), low = s.b();
  if (isZero(t, high)) return t.zeroExtend(low, s.width);
  if (is(t, high, Kind::ZeroExtend)) return t.zeroExtend(t.concat(operand(t, high, 0), low), s.width);
  if (is(t, high, Kind::SignExtend)) {
    Term inner = operand(t, high, 0);
    if (inner == t.extract(low, t.width(low) - 1, 1)) return t.signExtend(low, s.width);
    return t.signExtend(t.concat(inner, low), s.width);
  }
  if (is(t, high, Kind::Concat)) return t.concat(operand(t, high, 0), t.concat(operand(t, high, 1), low));
  if (Term one = joined(t, high, low)) return one;
  if (is(t, low, Kind::Concat))
    if (Term one = joined(t, high, operand(t, low, 0))) return t.concat(one, operand(t, low, 1));
  return {};
}

Term extractFromExtension(Terms& t, const Shape& s, bool isSigned) {
  Term inner = operand(t, s.a(), 0);
  uint32_t n = t.width(inner);
  auto from = uint32_t(s.parameter);
  if (from + s.width <= n) return t.extract(inner, from, s.width);
  if (from >= n) {
    if (!isSigned) return zero(t, s.width);
    return t.signExtend(t.extract(inner, n - 1, 1), s.width);
  }
  Term low = t.extract(inner, from, n - from);
  return isSigned ? t.signExtend(low, s.width) : t.zeroExtend(low, s.width);
}

Term extractFromConcat(Terms& t, const Shape& s) {
  Term high = operand(t, s.a(), 0), low = operand(t, s.a(), 1);
  uint32_t n = t.width(low);
  auto from = uint32_t(s.parameter);
  if (from + s.width <= n) return t.extract(low, from, s.width);
  if (from >= n) return t.extract(high, from - n, s.width);
  return t.concat(t.extract(high, 0, from + s.width - n), t.extract(low, from, n - from));
}

bool isPieces(const Terms& t, Term x) {
  Kind k = t.kind(x);
  return k == Kind::Constant || k == Kind::Concat || k == Kind::ZeroExtend || k == Kind::SignExtend;
}

Term simplifyExtract(Terms& t, const Shape& s) {
  Term a = s.a();
  auto from = uint32_t(s.parameter);
  if (s.width == t.width(a)) return a;
  auto part = [&](size_t k) { return t.extract(operand(t, a, k), from, s.width); };
  switch (t.kind(a)) {
  case Kind::Extract:
    return t.extract(operand(t, a, 0), uint32_t(t.parameter(a)) + from, s.width);
  case Kind::Concat:
    return extractFromConcat(t, s);
  case Kind::ZeroExtend:
  case Kind::SignExtend:
    return extractFromExtension(t, s, t.kind(a) == Kind::SignExtend);
  case Kind::And:
  case Kind::Or:
  case Kind::Xor: { // where the constant takes the bits as they are, or gives them all
    if (!t.isConstant(operand(t, a, 1))) return {};
    Term c = part(1);
    return isZero(t, c) || isAllOnes(t, c) ? t.binary(t.kind(a), part(0), c) : Term{};
  }
  case Kind::IfThenElse:
    return isPieces(t, operand(t, a, 1)) || isPieces(t, operand(t, a, 2))
               ? t.choose(operand(t, a, 0), part(1), part(2))
               : Term{};
  case Kind::Add: // the low bits of a sum are the sum of the low bits
  case Kind::Sub:
  case Kind::Mul:
    if (from == 0 && isPieces(t, operand(t, a, 0)) && isPieces(t, operand(t, a, 1)))
      return t.binary(t.kind(a), part(0), part(1));
    return {};
  default:
    return {};
  }
}

Term simplifyChoice(Terms& t, const Shape& s) {
  Term c = s.a(), a = s.b(), b = s.c();
  if (t.isTrue(c)) return a;
  if (t.isFalse(c)) return b;
  if (a == b) return a;
  if (is(t, c, Kind::Not)) return t.choose(operand(t, c, 0), b, a);
  if (s.width == 1) {
    if (t.isTrue(a)) return t.either(c, b);
    if (t.isFalse(a)) return t.both(t.negate(c), b);
    if (t.isTrue(b)) return t.either(t.negate(c), a);
    if (t.isFalse(b)) return t.both(c, a);
  } else if (isZero(t, b) && isOne(t, a)) {
    return t.zeroExtend(c, s.width);
  }
  if (is(t, a, Kind::IfThenElse) && operand(t, a, 0) == c) return t.choose(c, operand(t, a, 1), b);
  if (is(t, b, Kind::IfThenElse) && operand(t, b, 0) == c) return t.choose(c, a, operand(t, b, 2));
  return {};
}

} // namespace

Term simplifyPieces(Terms& t, const Shape& s) {
  switch (s.kind) {
  case Kind::IfThenElse:
    return simplifyChoice(t, s);
  case Kind::Concat:
    return simplifyConcat(t, s);
  case Kind::Extract:
    return simplifyExtract(t, s);
  default:
    break;
  }
  Term a = s.a();
  if (s.width == t.width(a)) return a;
  if (is(t, a, Kind::ZeroExtend)) return t.zeroExtend(operand(t, a, 0), s.width); // its top bit is 0
  if (s.kind == Kind::SignExtend && is(t, a, Kind::SignExtend))
    return t.signExtend(operand(t, a, 0), s.width);
  return {};
}

} // namespace faultline::logic

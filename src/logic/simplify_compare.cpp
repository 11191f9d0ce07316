#include "logic/simplify.h"

#include <algorithm>

namespace faultline::logic {

namespace {

bool isExtension(const Terms& t, Term x) { return is(t, x, Kind::ZeroExtend) || is(t, x, Kind::SignExtend); }
bool isSigned(Kind kind) { return kind == Kind::SLess || kind == Kind::SLessEqual; }
Term topBit(Terms& t, Term x) { return t.extract(x, t.width(x) - 1, 1); }

// `c` as the operand of the extension `x`, if it is the extension of one.
Term narrowed(Terms& t, Term x, Term c) {
  uint32_t n = t.width(operand(t, x, 0));
  Term low = t.extract(c, 0, n);
  Term back = is(t, x, Kind::ZeroExtend) ? t.zeroExtend(low, t.width(c)) : t.signExtend(low, t.width(c));
  return back == c ? low : Term{};
}

Term equalToConstant(Terms& t, Term a, Term c) {
  Term x = t.operands(a).empty() ? Term{} : operand(t, a, 0);
  switch (t.kind(a)) {
  case Kind::ZeroExtend:
  case Kind::SignExtend: {
    Term low = narrowed(t, a, c);
    return low ? t.equal(x, low) : t.no();
  }
  case Kind::Concat: {
    Term low = operand(t, a, 1);
    uint32_t n = t.width(low);
    return t.both(t.equal(x, t.extract(c, n, t.width(x))), t.equal(low, t.extract(c, 0, n)));
  }
  case Kind::Not:
    return t.equal(x, invert(t, c));
  case Kind::Add:
    return t.isConstant(operand(t, a, 1)) ? t.equal(x, t.binary(Kind::Sub, c, operand(t, a, 1))) : Term{};
  case Kind::Sub:
    if (t.isConstant(x)) return t.equal(operand(t, a, 1), t.binary(Kind::Sub, x, c));
    return isZero(t, c) ? t.equal(x, operand(t, a, 1)) : Term{};
  case Kind::Xor:
    if (t.isConstant(operand(t, a, 1))) return t.equal(x, t.binary(Kind::Xor, c, operand(t, a, 1)));
    return isZero(t, c) ? t.equal(x, operand(t, a, 1)) : Term{};
  case Kind::Or: // all its bits are 0
    return isZero(t, c) ? t.both(t.equal(x, c), t.equal(operand(t, a, 1), c)) : Term{};
  case Kind::IfThenElse: {
    Term p = operand(t, a, 1), q = operand(t, a, 2);
    if (!t.isConstant(p) && !t.isConstant(q)) return {};
    return t.choose(x, t.equal(p, c), t.equal(q, c));
  }
  default:
    return {};
  }
}

Term simplifyEqual(Terms& t, Term a, Term b) {
  if (a == b) return t.yes();
  if (t.width(a) == 1 && t.isConstant(b)) return t.isTrue(b) ? a : t.negate(a);
  if (t.isConstant(b)) return equalToConstant(t, a, b);
  Kind kind = t.kind(a);
  if (kind == t.kind(b) && isExtension(t, a)) {
    Term x = operand(t, a, 0), y = operand(t, b, 0);
    uint32_t n = std::max(t.width(x), t.width(y));
    return kind == Kind::ZeroExtend ? t.equal(t.zeroExtend(x, n), t.zeroExtend(y, n))
                                    : t.equal(t.signExtend(x, n), t.signExtend(y, n));
  }
  if (kind == Kind::Not && is(t, b, Kind::Not)) return t.equal(operand(t, a, 0), operand(t, b, 0));
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) { // x == x + y
    if (!is(t, y, Kind::Add)) continue;
    for (size_t k = 0; k < 2; ++k)
      if (operand(t, y, k) == x) return t.equal(operand(t, y, 1 - k), zero(t, t.width(x)));
  }
  if (is(t, a, Kind::Add) && is(t, b, Kind::Add)) // x + z == y + z
    for (size_t j = 0; j < 2; ++j)
      for (size_t k = 0; k < 2; ++k)
        if (operand(t, a, j) == operand(t, b, k)) return t.equal(operand(t, a, 1 - j), operand(t, b, 1 - k));
  if (is(t, a, Kind::Concat) && is(t, b, Kind::Concat) &&
      t.width(operand(t, a, 1)) == t.width(operand(t, b, 1)))
    return t.both(t.equal(operand(t, a, 0), operand(t, b, 0)), t.equal(operand(t, a, 1), operand(t, b, 1)));
  return {};
}

// Extensions do not change an order: compare what was extended.
Term compareExtended(Terms& t, Kind kind, Term a, Term b) {
  bool orEqual = kind == Kind::ULessEqual || kind == Kind::SLessEqual;
  Kind unsignedKind = orEqual ? Kind::ULessEqual : Kind::ULess;
  Term x = isExtension(t, a) ? a : b; // one of them is
  bool zeroExtended = is(t, x, Kind::ZeroExtend);
  if (t.isConstant(a) || t.isConstant(b)) {
    Term c = x == a ? b : a;
    Term low = narrowed(t, x, c);
    if (!low) {
      // All values of x lie on one side of c.
      if (!zeroExtended && !isSigned(kind)) return {};
      bool negative = t.isTrue(topBit(t, c)), cIsGreater = !(isSigned(kind) && negative);
      return t.bits(1, cIsGreater == (x == a));
    }
    // Sign extension keeps the unsigned order, too; a zero-extended term is never negative.
    Kind inner = zeroExtended ? unsignedKind : kind;
    Term y = operand(t, x, 0);
    return x == a ? t.binary(inner, y, low) : t.binary(inner, low, y);
  }
  if (!isExtension(t, a) || t.kind(a) != t.kind(b)) return {};
  Term p = operand(t, a, 0), q = operand(t, b, 0);
  if (t.width(p) != t.width(q)) return {};
  return t.binary(zeroExtended ? unsignedKind : kind, p, q);
}

// At the ends of the range an order is an equality or nothing.
Term compareAtEnd(Terms& t, Kind kind, Term a, Term b) {
  uint32_t width = t.width(a);
  Term least = isSigned(kind) ? t.concat(t.yes(), zero(t, width - 1)) : zero(t, width);
  Term greatest = invert(t, least);
  if (kind == Kind::ULess || kind == Kind::SLess) {
    if (b == least || a == greatest) return t.no();
    if (a == least || b == greatest) return t.negate(t.equal(a, b));
    if (t.isConstant(b) && b == t.add(least, t.bits(width, 1))) return t.equal(a, least);
    if (t.isConstant(a) && t.add(a, t.bits(width, 1)) == greatest) return t.equal(b, greatest);
  } else {
    if (a == least || b == greatest) return t.yes();
    if (b == least || a == greatest) return t.equal(a, b);
    if (t.isConstant(a) && a == t.add(least, t.bits(width, 1))) return t.negate(t.equal(b, least));
    if (t.isConstant(b) && t.add(b, t.bits(width, 1)) == greatest) return t.negate(t.equal(a, greatest));
  }
  return {};
}

} // namespace

Term simplifyCompare(Terms& t, const Shape& s) {
  Term a = s.a(), b = s.b();
  if (s.kind == Kind::Equal) return simplifyEqual(t, a, b);
  if (a == b) return t.bits(1, s.kind == Kind::ULessEqual || s.kind == Kind::SLessEqual);
  uint32_t width = t.width(a);
  if (width > 128) return {};
  if (isExtension(t, a) || isExtension(t, b))
    if (Term narrow = compareExtended(t, s.kind, a, b)) return narrow;
  if (width > 1 && (t.isConstant(a) || t.isConstant(b))) return compareAtEnd(t, s.kind, a, b);
  return {};
}

} // namespace faultline::logic

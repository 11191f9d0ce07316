#include "logic/encode_parts.h"
#include "replay/fp_ops.h"
#include "replay/int_ops.h"

namespace faultline::logic {

using fir::Intrinsic;

namespace {

Term zeros(Terms& t, uint32_t width) { return t.zeroExtend(t.no(), width); }
Term least(Terms& t, uint32_t width) { return width == 1 ? t.yes() : t.concat(t.yes(), zeros(t, width - 1)); }
Term isNegative(Terms& t, Term x) { return t.extract(x, t.width(x) - 1, 1); }
Term signedLess(Terms& t, Term a, Term b) { return t.binary(Kind::SLess, a, b); }

Term reversed(Terms& t, Term a, uint32_t unit) {
  uint32_t width = t.width(a);
  Term out;
  for (uint32_t k = 0; k + unit <= width; k += unit) {
    Term piece = t.extract(a, k, unit);
    out = out ? t.concat(out, piece) : piece;
  }
  return out;
}

Term population(Terms& t, Term a) {
  uint32_t width = t.width(a);
  Term sum = zeros(t, width);
  for (uint32_t k = 0; k < width; ++k) sum = t.add(sum, t.zeroExtend(t.extract(a, k, 1), width));
  return sum;
}

// The number of the first bit that is set, counted from the top or from the bottom; `width` if none is.
Term firstSet(Terms& t, Term a, bool fromTop) {
  uint32_t width = t.width(a);
  Term out = t.bits(width, width);
  for (uint32_t k = width; k-- > 0;)
    out = t.choose(t.extract(a, fromTop ? width - 1 - k : k, 1), t.bits(width, k), out);
  return out;
}

Term funnel(Terms& t, Term a, Term b, Term count, bool left) {
  uint32_t width = t.width(a);
  Term out = left ? a : b, c = t.binary(Kind::URem, count, t.bits(width, width));
  Term both = t.concat(a, b);
  for (uint32_t k = 1; k < width; ++k)
    out = t.choose(t.equal(c, t.bits(width, k)), t.extract(both, left ? width - k : k, width), out);
  return out;
}

struct Checked {
  Term value, overflow;
};

Checked added(Terms& t, Term a, Term b, bool isSigned, bool subtract) {
  Kind kind = subtract ? Kind::Sub : Kind::Add;
  Term value = t.binary(kind, a, b);
  if (!isSigned) return {value, subtract ? t.binary(Kind::ULess, a, b) : t.binary(Kind::ULess, value, a)};
  // Both operands of one sign (for a difference: of different ones), and the result of the other.
  Term sa = isNegative(t, a), sb = isNegative(t, b), sr = isNegative(t, value);
  Term mayOverflow = subtract ? t.binary(Kind::Xor, sa, sb) : t.equal(sa, sb);
  return {value, t.both(mayOverflow, t.binary(Kind::Xor, sa, sr))};
}

Checked multiplied(Terms& t, Term a, Term b, bool isSigned) {
  uint32_t width = t.width(a);
  Term value = t.binary(Kind::Mul, a, b);
  if (width <= 64) {
    auto wide = [&](Term x) { return isSigned ? t.signExtend(x, 2 * width) : t.zeroExtend(x, 2 * width); };
    return {value, t.negate(t.equal(t.binary(Kind::Mul, wide(a), wide(b)), wide(value)))};
  }
  // No room for the product: divide it again. The least number by -1 wraps to itself.
  Term back = t.binary(isSigned ? Kind::SDiv : Kind::UDiv, value, b);
  Term overflow = t.both(t.negate(t.equal(b, zeros(t, width))), t.negate(t.equal(back, a)));
  if (!isSigned) return {value, overflow};
  Term minusOne = t.unary(Kind::Not, zeros(t, width));
  return {value, t.either(overflow, t.both(t.equal(b, minusOne), t.equal(a, least(t, width))))};
}

Term saturated(Terms& t, Term a, Checked c, bool isSigned, bool subtract) {
  uint32_t width = t.width(a);
  Term limit;
  if (isSigned)
    limit = t.choose(isNegative(t, a), least(t, width), t.unary(Kind::Not, least(t, width)));
  else
    limit = subtract ? zeros(t, width) : t.unary(Kind::Not, zeros(t, width));
  return t.choose(c.overflow, limit, c.value);
}

Checked checkedOperation(Terms& t, Intrinsic which, Term a, Term b) {
  switch (which) {
  case Intrinsic::SAddOverflow:
  case Intrinsic::SAddSat:
    return added(t, a, b, true, false);
  case Intrinsic::SSubOverflow:
  case Intrinsic::SSubSat:
    return added(t, a, b, true, true);
  case Intrinsic::UAddOverflow:
  case Intrinsic::UAddSat:
    return added(t, a, b, false, false);
  case Intrinsic::USubOverflow:
  case Intrinsic::USubSat:
    return added(t, a, b, false, true);
  default:
    return multiplied(t, a, b, which == Intrinsic::SMulOverflow);
  }
}

Term encodeInteger(Terms& t, Intrinsic which, Term a, Term b, Term c) {
  switch (which) {
  case Intrinsic::Abs:
    return t.choose(isNegative(t, a), t.binary(Kind::Sub, zeros(t, t.width(a)), a), a);
  case Intrinsic::SMax:
    return t.choose(signedLess(t, b, a), a, b);
  case Intrinsic::SMin:
    return t.choose(signedLess(t, a, b), a, b);
  case Intrinsic::UMax:
    return t.choose(t.binary(Kind::ULess, a, b), b, a);
  case Intrinsic::UMin:
    return t.choose(t.binary(Kind::ULess, b, a), b, a);
  case Intrinsic::BSwap:
    return reversed(t, a, 8);
  case Intrinsic::BitReverse:
    return reversed(t, a, 1);
  case Intrinsic::CtPop:
    return population(t, a);
  case Intrinsic::CtLz:
  case Intrinsic::CtTz:
    return firstSet(t, a, which == Intrinsic::CtLz);
  case Intrinsic::FShl:
  case Intrinsic::FShr:
    return funnel(t, a, b, c, which == Intrinsic::FShl);
  case Intrinsic::SAddSat:
  case Intrinsic::SSubSat:
    return saturated(t, a, checkedOperation(t, which, a, b), true, false);
  case Intrinsic::UAddSat:
  case Intrinsic::USubSat:
    return saturated(t, a, checkedOperation(t, which, a, b), false, which == Intrinsic::USubSat);
  case Intrinsic::PtrMask:
    return t.binary(Kind::And, a, b);
  case Intrinsic::IsConstant:
    return zeros(t, t.width(a));
  default: // Expect, ObjectSize
    return a;
  }
}

bool isFlag(Intrinsic which, size_t k) { // an operand that is no lane of the others' type
  return k > 0 &&
         (which == Intrinsic::Abs || which == Intrinsic::CtLz || which == Intrinsic::CtTz ||
          which == Intrinsic::IsFPClass || which == Intrinsic::PtrMask || which == Intrinsic::Expect);
}

} // namespace

// {values, flags}: the flags lie behind the values, a bit for each lane.
static std::optional<Term> encodeOverflow(const Encoding& e, Intrinsic which) {
  const fir::Type &from = e.auxType(), &element = e.element(from);
  std::vector<Term> values, flags;
  for (uint32_t k = 0; k < from.lanes; ++k) {
    Checked c = checkedOperation(e.t, which, e.lane(e.operands[0], element.bits, k),
                                 e.lane(e.operands[1], element.bits, k));
    values.push_back(c.value);
    flags.push_back(c.overflow);
  }
  Term value = values[0], flag = flags[0];
  for (size_t k = 1; k < values.size(); ++k) {
    value = e.t.concat(values[k], value);
    flag = e.t.concat(flags[k], flag);
  }
  uint32_t width = widthOf(e.type()), bits = std::max(from.bytes, 1u) * 8;
  return e.fit(e.t.concat(flag, e.fit(value, bits)), width);
}

std::optional<Term> encodeIntrinsic(const Encoding& e) {
  auto which = Intrinsic(e.i.sub);
  const fir::Type &from = e.auxType(), &element = e.element(from);
  if (!e.isKnownWidth(from)) return std::nullopt;
  if (replay::isOverflowIntrinsic(which)) return encodeOverflow(e, which);
  bool isFloat = replay::isFp(element.kind);
  std::vector<Term> lanes;
  for (uint32_t k = 0; k < from.lanes; ++k) {
    auto operand = [&](size_t n) -> Term {
      if (n >= e.operands.size()) return isFloat ? Term{} : zeros(e.t, element.bits);
      if (!isFlag(which, n)) return e.lane(e.operands[n], element.bits, k);
      return e.operand(n, which == Intrinsic::IsFPClass ? 32 : element.bits);
    };
    Term a = operand(0), b = operand(1), c = operand(2);
    std::optional<Term> one;
    if (which == Intrinsic::IsFPClass)
      one = hasTheory(element.kind) ? std::optional(encodeFloatClass(e.t, element.kind, a, b)) : std::nullopt;
    else if (isFloat)
      one = replay::isFpIntrinsic(which) ? encodeFloatIntrinsic(e.t, which, element.kind, a, b, c)
                                         : std::optional(a);
    else
      one = encodeInteger(e.t, which, a, b, c);
    if (!one) return std::nullopt;
    lanes.push_back(*one);
  }
  return e.join(lanes, e.type());
}

} // namespace faultline::logic

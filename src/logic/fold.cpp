#include "logic/simplify.h"
#include "replay/fp_ops.h"
#include "replay/int_ops.h"

#include <array>
#include <cassert>

namespace faultline::logic {

using fir::Intrinsic;
using fir::TypeKind;
using replay::maskBits;
using replay::U128;

namespace {

U128 wide(const Terms& t, Term x) {
  std::span<const uint64_t> words = t.words(x);
  return words.size() > 1 ? U128(words[1]) << 64 | words[0] : U128(words[0]);
}
Term narrow(Terms& t, uint32_t width, U128 value) {
  std::array<uint64_t, 2> words = {uint64_t(value), uint64_t(value >> 64)};
  return t.constant(width, words);
}

// Bits from `from` on, as many as `into` has words for.
void cut(std::span<const uint64_t> words, uint64_t from, std::vector<uint64_t>& into) {
  auto word = [&](uint64_t k) { return k < words.size() ? words[k] : 0; };
  unsigned shift = from % 64;
  for (size_t k = 0; k < into.size(); ++k) {
    uint64_t at = from / 64 + k;
    into[k] = shift ? word(at) >> shift | word(at + 1) << (64 - shift) : word(at);
  }
}
void paste(std::span<const uint64_t> words, uint64_t to, std::vector<uint64_t>& into) {
  unsigned shift = to % 64;
  for (size_t k = 0; k < words.size(); ++k) {
    uint64_t at = to / 64 + k;
    if (at < into.size()) into[at] |= words[k] << shift;
    if (shift && at + 1 < into.size()) into[at + 1] |= words[k] >> (64 - shift);
  }
}
bool topBit(const Terms& t, Term x) {
  uint32_t top = t.width(x) - 1;
  return t.words(x)[top / 64] >> (top % 64) & 1;
}

Term foldPieces(Terms& t, const Shape& s) {
  if (s.kind == Kind::IfThenElse) return t.isTrue(s.a()) ? s.b() : s.c();
  std::vector<uint64_t> out((s.width + 63) / 64, 0);
  std::span<const uint64_t> a = t.words(s.a());
  switch (s.kind) {
  case Kind::Extract:
    cut(a, s.parameter, out);
    break;
  case Kind::Concat:
    paste(t.words(s.b()), 0, out);
    paste(a, t.width(s.b()), out);
    break;
  default:
    paste(a, 0, out);
    if (s.kind == Kind::SignExtend && topBit(t, s.a()))
      for (uint32_t k = t.width(s.a()); k < s.width; ++k) out[k / 64] |= uint64_t(1) << (k % 64);
  }
  return t.constant(s.width, out);
}

Term foldBitwise(Terms& t, const Shape& s) {
  std::span<const uint64_t> a = t.words(s.a());
  std::vector<uint64_t> out(a.begin(), a.end());
  for (size_t k = 0; k < out.size(); ++k) {
    if (s.kind == Kind::Not)
      out[k] = ~out[k];
    else if (s.kind == Kind::And)
      out[k] &= t.words(s.b())[k];
    else if (s.kind == Kind::Or)
      out[k] |= t.words(s.b())[k];
    else
      out[k] ^= t.words(s.b())[k];
  }
  return t.constant(s.width, out);
}

Term foldCompare(Terms& t, const Shape& s) {
  if (s.kind == Kind::Equal) return t.bits(1, s.a() == s.b());
  uint32_t width = t.width(s.a());
  assert(width <= 128);
  uint8_t predicate = s.kind == Kind::ULess        ? replay::ULT
                      : s.kind == Kind::ULessEqual ? replay::ULE
                      : s.kind == Kind::SLess      ? replay::SLT
                                                   : replay::SLE;
  return t.bits(1, replay::compareInt(predicate, width, wide(t, s.a()), wide(t, s.b())));
}

TypeKind format(uint32_t width) {
  assert(width == 16 || width == 32 || width == 64);
  return width == 16 ? TypeKind::Half : width == 32 ? TypeKind::Float : TypeKind::Double;
}

Intrinsic roundingOf(uint64_t how) {
  constexpr std::array all = {Intrinsic::Floor, Intrinsic::Ceil, Intrinsic::FTrunc, Intrinsic::Rint,
                              Intrinsic::Round};
  return all[how];
}

Term foldFloat(Terms& t, const Shape& s) {
  U128 a = wide(t, s.a()), b = s.operands.size() > 1 ? wide(t, s.b()) : 0;
  uint32_t from = t.width(s.a());
  if (s.kind == Kind::SignedToF || s.kind == Kind::UnsignedToF)
    return narrow(t, s.width, replay::intToFp(format(s.width), s.kind == Kind::SignedToF, from, a));
  TypeKind kind = format(from);
  auto compare = [&](uint8_t predicate, U128 y) {
    return t.bits(1, replay::compareFp(predicate, kind, a, y));
  };
  auto compute = [&](fir::Op op) { return narrow(t, s.width, replay::computeFp(op, kind, a, b)); };
  auto intrinsic = [&](Intrinsic which) {
    U128 c = s.operands.size() > 2 ? wide(t, s.c()) : 0;
    return narrow(t, s.width, replay::computeFpIntrinsic(which, kind, a, b, c));
  };
  switch (s.kind) {
  case Kind::FAdd:
    return compute(fir::Op::FAdd);
  case Kind::FSub:
    return compute(fir::Op::FSub);
  case Kind::FMul:
    return compute(fir::Op::FMul);
  case Kind::FDiv:
    return compute(fir::Op::FDiv);
  case Kind::FNeg:
    return compute(fir::Op::FNeg);
  case Kind::FAbs:
    return intrinsic(Intrinsic::FAbs);
  case Kind::FSqrt:
    return intrinsic(Intrinsic::Sqrt);
  case Kind::FFma:
    return intrinsic(Intrinsic::Fma);
  case Kind::FRound:
    return intrinsic(roundingOf(s.parameter));
  case Kind::FEqual:
    return compare(1, b);
  case Kind::FLess:
    return compare(4, b);
  case Kind::FLessEqual:
    return compare(5, b);
  case Kind::FIsNan:
    return compare(8, a);
  case Kind::FToSigned:
    assert((s.width == 32 || s.width == 64) && from != 16);
    return narrow(t, s.width, replay::fpToInt(kind, true, s.width, a));
  default:
    return narrow(t, s.width, replay::convertFp(kind, format(s.width), a));
  }
}

} // namespace

Term fold(Terms& t, const Shape& s) {
  if (s.kind <= Kind::AShr) {
    auto op = fir::Op(unsigned(fir::Op::Add) + unsigned(s.kind) - unsigned(Kind::Add));
    return narrow(t, s.width, replay::computeInt(op, s.width, wide(t, s.a()), wide(t, s.b())));
  }
  if (s.kind <= Kind::Not) return foldBitwise(t, s);
  if (s.kind <= Kind::SLessEqual) return foldCompare(t, s);
  if (s.kind <= Kind::SignExtend) return foldPieces(t, s);
  return foldFloat(t, s);
}

static_assert(unsigned(fir::Op::AShr) - unsigned(fir::Op::Add) == unsigned(Kind::AShr) - unsigned(Kind::Add),
              "the same order in both");

bool isAllOnes(const Terms& t, Term x) {
  if (!t.isConstant(x)) return false;
  std::span<const uint64_t> words = t.words(x);
  for (size_t k = 0; k + 1 < words.size(); ++k)
    if (~words[k]) return false;
  uint32_t rest = (t.width(x) - 1) % 64 + 1;
  return words.back() == (rest == 64 ? ~uint64_t(0) : (uint64_t(1) << rest) - 1);
}
Term invert(Terms& t, Term x) { return t.unary(Kind::Not, x); }
Term allOnes(Terms& t, uint32_t width) { return invert(t, zero(t, width)); }
Term minus(Terms& t, Term x) { return t.binary(Kind::Sub, zero(t, t.width(x)), x); }

} // namespace faultline::logic

#include "logic/encode.h"

#include "logic/encode_parts.h"
#include "replay/fp_ops.h"
#include "replay/int_ops.h"

#include <algorithm>

namespace faultline::logic {

using fir::Op;
using fir::TypeKind;

uint32_t widthOf(const fir::Type& type) {
  switch (type.kind) {
  case TypeKind::Int:
    return type.bits <= 128 ? type.bits : 64 * type.words;
  case TypeKind::Pointer:
    return 64;
  case TypeKind::Half:
  case TypeKind::Float:
  case TypeKind::Double:
  case TypeKind::X87:
  case TypeKind::Quad:
    return replay::fpBits(type.kind);
  default:
    return 64 * std::max(type.words, 1u);
  }
}

Term Encoding::fit(Term x, uint32_t width) const {
  return t.width(x) > width ? t.extract(x, 0, width) : t.zeroExtend(x, width);
}
Term Encoding::lane(Term value, uint32_t bits, uint32_t lane) const {
  uint32_t end = bits * (lane + 1);
  if (t.width(value) < end) value = t.zeroExtend(value, end);
  return t.extract(value, bits * lane, bits);
}
Term Encoding::join(std::span<const Term> lanes, const fir::Type& type) const {
  Term all = lanes[0];
  for (size_t k = 1; k < lanes.size(); ++k) all = t.concat(lanes[k], all);
  return fit(all, widthOf(type));
}
bool Encoding::isKnownWidth(const fir::Type& type) const {
  const fir::Type& e = element(type);
  return e.bits > 0 && e.bits <= 128;
}

std::optional<Term> encodeBinary(const Encoding& e, Op op, const fir::Type& element, Term a, Term b) {
  if (replay::isFp(element.kind)) return encodeFloat(e.t, op, element.kind, a, b);
  if (op < Op::Add || op > Op::Xor) return std::nullopt;
  return e.t.binary(Kind(unsigned(Kind::Add) + unsigned(op) - unsigned(Op::Add)), a, b);
}
static_assert(unsigned(Op::Xor) - unsigned(Op::Add) == unsigned(Kind::Xor) - unsigned(Kind::Add));

std::optional<Term> encodeCompare(const Encoding& e, const fir::Type& element, Term a, Term b) {
  Terms& t = e.t;
  uint8_t predicate = e.i.sub;
  if (e.i.op == Op::FCmp) {
    if (!hasTheory(element.kind)) return std::nullopt;
    return encodeFloatCompare(t, predicate, a, b);
  }
  switch (predicate) {
  case replay::EQ:
    return t.equal(a, b);
  case replay::NE:
    return t.negate(t.equal(a, b));
  case replay::UGT:
    return t.binary(Kind::ULess, b, a);
  case replay::UGE:
    return t.binary(Kind::ULessEqual, b, a);
  case replay::ULT:
    return t.binary(Kind::ULess, a, b);
  case replay::ULE:
    return t.binary(Kind::ULessEqual, a, b);
  case replay::SGT:
    return t.binary(Kind::SLess, b, a);
  case replay::SGE:
    return t.binary(Kind::SLessEqual, b, a);
  case replay::SLT:
    return t.binary(Kind::SLess, a, b);
  default:
    return t.binary(Kind::SLessEqual, a, b);
  }
}

std::optional<Term> encodeCast(const Encoding& e, const fir::Type& from, const fir::Type& to, Term a) {
  switch (e.i.op) {
  case Op::Trunc:
  case Op::ZExt:
    return e.fit(a, to.bits);
  case Op::SExt:
    return e.t.signExtend(a, to.bits);
  default:
    return encodeFloatCast(e, from, to, a);
  }
}

namespace {

// f(lane of each operand) for every lane of `lanes`, joined as a value of `type`.
template <class F>
std::optional<Term> lanewise(const Encoding& e, const fir::Type& type, uint32_t lanes, F&& f) {
  std::vector<Term> out;
  for (uint32_t k = 0; k < lanes; ++k) {
    std::optional<Term> one = f(k);
    if (!one) return std::nullopt;
    out.push_back(*one);
  }
  return e.join(out, type);
}

std::optional<Term> encodeArithmetic(const Encoding& e) {
  const fir::Type& type = e.type();
  const fir::Type& element = e.element(type);
  if (!e.isKnownWidth(type)) return std::nullopt;
  return lanewise(e, type, type.lanes, [&](uint32_t k) {
    Term a = e.lane(e.operands[0], element.bits, k);
    Term b = e.operands.size() > 1 ? e.lane(e.operands[1], element.bits, k) : a;
    return encodeBinary(e, e.i.op, element, a, b);
  });
}

std::optional<Term> encodeComparison(const Encoding& e) {
  const fir::Type& type = e.type();
  const fir::Type& element = e.element(type);
  if (!e.isKnownWidth(type)) return std::nullopt;
  auto one = [&](uint32_t k) {
    return encodeCompare(e, element, e.lane(e.operands[0], element.bits, k),
                         e.lane(e.operands[1], element.bits, k));
  };
  if (type.kind != TypeKind::Vector) return one(0);
  fir::Type flags{TypeKind::Vector,       {},         1,         (type.lanes + 7) / 8,
                  (type.lanes + 63) / 64, type.lanes, fir::kNone};
  return lanewise(e, flags, type.lanes, one);
}

std::optional<Term> encodeConversion(const Encoding& e) {
  const fir::Type &type = e.type(), &to = e.element(type), &from = e.element(e.auxType());
  if (!e.isKnownWidth(type) || !e.isKnownWidth(e.auxType())) return std::nullopt;
  return lanewise(e, type, type.lanes,
                  [&](uint32_t k) { return encodeCast(e, from, to, e.lane(e.operands[0], from.bits, k)); });
}

Term encodeSelect(const Encoding& e) {
  const fir::Type& type = e.type();
  uint32_t width = widthOf(type);
  Term a = e.operand(1, width), b = e.operand(2, width);
  if (e.auxType().kind != TypeKind::Vector) return e.t.choose(e.operand(0, 1), a, b);
  uint32_t bits = e.element(type).bits;
  return *lanewise(e, type, type.lanes, [&](uint32_t k) -> std::optional<Term> {
    return e.t.choose(e.lane(e.operands[0], 1, k), e.lane(a, bits, k), e.lane(b, bits, k));
  });
}

std::optional<Term> encodeAddress(const Encoding& e) {
  if (e.type().kind == TypeKind::Vector) return std::nullopt;
  std::span<const fir::Operand> raw = e.image.operandsOf(e.i);
  // Constant parts first: base + constant keeps together what is one place.
  Term address = e.t.add(e.operand(0, 64), e.t.bits(64, e.i.imm));
  for (size_t k = 1; k + 2 < raw.size(); k += 3) {
    uint32_t width = std::clamp(fir::operandIndex(raw[k + 2]), 1u, 64u);
    Term index = e.t.signExtend(e.operand(k, width), 64);
    address = e.t.add(address, e.t.binary(Kind::Mul, index, e.operand(k + 1, 64)));
  }
  return address;
}

} // namespace

std::optional<Term> encode(Terms& terms, const fir::Image& image, const fir::Instruction& i,
                           std::span<const Term> operands) {
  Encoding e{terms, image, i, operands};
  if (i.op >= Op::Add && i.op <= Op::FNeg) return encodeArithmetic(e);
  if (i.op >= Op::Trunc && i.op <= Op::FPExt) return encodeConversion(e);
  switch (i.op) {
  case Op::ICmp:
  case Op::FCmp:
    return encodeComparison(e);
  case Op::BitCast:
  case Op::LoadVar:
    return e.operand(0, widthOf(e.type()));
  case Op::StoreVar:
    return e.operand(1, widthOf(e.type()));
  case Op::Select:
    return encodeSelect(e);
  case Op::Gep:
    return encodeAddress(e);
  case Op::Intrinsic:
    return encodeIntrinsic(e);
  case Op::Extract:
  case Op::Insert:
  case Op::ExtractLane:
  case Op::InsertLane:
  case Op::Shuffle:
    return encodePieces(e);
  default:
    return std::nullopt;
  }
}

std::optional<Term> encodeBranch(Terms& t, const fir::Image& image, const fir::Instruction& branch,
                                 Term operand, uint32_t successor, std::span<const uint64_t> constants) {
  std::span<const fir::Operand> raw = image.operandsOf(branch);
  auto leadsThere = [&](size_t k) { return fir::operandIndex(raw[k]) == successor; };
  Encoding e{t, image, branch, {}};
  switch (branch.op) {
  case Op::Br:
    return t.bits(1, leadsThere(0));
  case Op::CondBr: {
    Term taken = e.fit(operand, 1);
    return t.either(leadsThere(1) ? taken : t.no(), leadsThere(2) ? t.negate(taken) : t.no());
  }
  case Op::Switch: {
    uint32_t width = widthOf(e.type());
    Term value = e.fit(operand, width), there = t.no(), elsewhere = t.no();
    for (size_t k = 2; k + 1 < raw.size(); k += 2) {
      uint32_t number = fir::operandIndex(raw[k]);
      const fir::Constant& c = image.constants[number];
      Term label = c.wide != fir::kNone
                       ? t.constant(width, image.wideWords.subspan(c.wide, e.type().words))
                       : t.bits(width, number < constants.size() ? constants[number] : c.value);
      Term isIt = t.equal(value, label);
      (leadsThere(k + 1) ? there : elsewhere) = t.either(leadsThere(k + 1) ? there : elsewhere, isIt);
    }
    return leadsThere(1) ? t.negate(elsewhere) : there;
  }
  default:
    return std::nullopt;
  }
}

} // namespace faultline::logic

#include "logic/encode_parts.h"

namespace faultline::logic {

namespace {

// `whole` with `part` from bit `from` on.
Term replaced(Terms& t, Term whole, Term part, uint64_t from) {
  uint64_t end = from + t.width(part);
  Term out = part;
  if (from) out = t.concat(out, t.extract(whole, 0, uint32_t(from)));
  if (end < t.width(whole))
    out = t.concat(t.extract(whole, uint32_t(end), uint32_t(t.width(whole) - end)), out);
  return out;
}

std::optional<Term> encodeExtract(const Encoding& e) {
  const fir::Type& type = e.type();
  uint64_t from = e.i.imm * 8, bits = uint64_t(type.bytes) * 8;
  if (bits == 0) return std::nullopt;
  Term whole =
      e.t.width(e.operands[0]) < from + bits ? e.fit(e.operands[0], uint32_t(from + bits)) : e.operands[0];
  return e.fit(e.t.extract(whole, uint32_t(from), uint32_t(bits)), widthOf(type));
}

std::optional<Term> encodeInsert(const Encoding& e) {
  uint32_t width = widthOf(e.type());
  uint64_t from = e.i.imm * 8, bits = uint64_t(e.auxType().bytes) * 8;
  if (bits == 0 || from + bits > width) return std::nullopt;
  return replaced(e.t, e.operand(0, width), e.operand(1, uint32_t(bits)), from);
}

// An index outside the vector gives 0 and changes nothing.
Term encodeExtractLane(const Encoding& e) {
  const fir::Type& vector = e.auxType();
  Term index = e.operand(1, 64), out = e.t.bits(vector.bits, 0);
  for (uint32_t k = 0; k < vector.lanes; ++k)
    out = e.t.choose(e.t.equal(index, e.t.bits(64, k)), e.lane(e.operands[0], vector.bits, k), out);
  return e.fit(out, widthOf(e.type()));
}

Term encodeInsertLane(const Encoding& e) {
  const fir::Type& vector = e.auxType();
  Term index = e.operand(2, 64), value = e.operand(1, vector.bits);
  std::vector<Term> lanes;
  for (uint32_t k = 0; k < vector.lanes; ++k)
    lanes.push_back(
        e.t.choose(e.t.equal(index, e.t.bits(64, k)), value, e.lane(e.operands[0], vector.bits, k)));
  return e.join(lanes, e.type());
}

Term encodeShuffle(const Encoding& e) {
  std::span<const fir::Operand> raw = e.image.operandsOf(e.i);
  const fir::Type& vector = e.auxType();
  std::vector<Term> lanes;
  for (uint32_t k = 0; k < e.type().lanes; ++k) {
    uint32_t from = fir::operandIndex(raw[2 + k]);
    if (from < vector.lanes)
      lanes.push_back(e.lane(e.operands[0], vector.bits, from));
    else if (from - vector.lanes < vector.lanes)
      lanes.push_back(e.lane(e.operands[1], vector.bits, from - vector.lanes));
    else
      lanes.push_back(e.t.bits(vector.bits, 0));
  }
  return e.join(lanes, e.type());
}

} // namespace

std::optional<Term> encodePieces(const Encoding& e) {
  switch (e.i.op) {
  case fir::Op::Extract:
    return encodeExtract(e);
  case fir::Op::Insert:
    return encodeInsert(e);
  case fir::Op::ExtractLane:
    return encodeExtractLane(e);
  case fir::Op::InsertLane:
    return encodeInsertLane(e);
  default:
    return encodeShuffle(e);
  }
}

} // namespace faultline::logic

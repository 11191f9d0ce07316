// What the families of encode() share: an instruction with its terms, lane by lane.
#pragma once

#include "logic/encode.h"

namespace faultline::logic {

struct Encoding {
  Terms& t;
  const fir::Image& image;
  const fir::Instruction& i;
  std::span<const Term> operands;

  const fir::Type& type() const { return image.types[i.type]; }
  const fir::Type& auxType() const { return image.types[i.aux]; }
  const fir::Type& element(const fir::Type& type) const {
    return type.kind == fir::TypeKind::Vector ? image.types[type.element] : type;
  }
  // Operand k with as many bits as asked for: more are cut off, missing ones are 0.
  Term operand(size_t k, uint32_t width) const { return fit(operands[k], width); }
  Term fit(Term x, uint32_t width) const;
  // `lanes` values of `bits` bits each, as a value of `type`.
  Term lane(Term value, uint32_t bits, uint32_t lane) const;
  Term join(std::span<const Term> lanes, const fir::Type& type) const;
  bool isKnownWidth(const fir::Type& type) const; // arithmetic on its elements can be told
};

// The widths of floats that the theory has: half, float, double.
bool hasTheory(fir::TypeKind kind);

// One lane of each family. Nothing: no theory.
std::optional<Term> encodeBinary(const Encoding& e, fir::Op op, const fir::Type& element, Term a, Term b);
std::optional<Term> encodeCompare(const Encoding& e, const fir::Type& element, Term a, Term b);
std::optional<Term> encodeCast(const Encoding& e, const fir::Type& from, const fir::Type& to, Term a);
std::optional<Term> encodeFloatCast(const Encoding& e, const fir::Type& from, const fir::Type& to, Term a);
std::optional<Term> encodeFloat(Terms& t, fir::Op op, fir::TypeKind kind, Term a, Term b);
Term encodeFloatCompare(Terms& t, uint8_t predicate, Term a, Term b);
std::optional<Term> encodeFloatIntrinsic(Terms& t, fir::Intrinsic which, fir::TypeKind kind, Term a, Term b,
                                         Term c);
Term encodeFloatClass(Terms& t, fir::TypeKind kind, Term a, Term mask);
// Whole instructions.
std::optional<Term> encodeIntrinsic(const Encoding& e);
std::optional<Term> encodePieces(const Encoding& e); // Extract, Insert, lanes, Shuffle

} // namespace faultline::logic

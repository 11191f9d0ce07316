// Formulas over bits. A term is a bit vector of any width; a condition is one of width 1. Terms live in a
// `Terms`, equal ones once, and are folded as they are made: an operation on constants is a constant,
// computed as replay would compute it.
//
//   Terms t;
//   Term x = t.variable(32, 7), y = t.add(x, t.bits(32, 1));
//   t.equal(y, t.bits(32, 5))                    x + 1 == 5
//   t.substitute(..., {{x, t.bits(32, 4)}})      true
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace faultline::logic {

// A number in its Terms. The default is no term.
struct Term {
  uint32_t id = ~uint32_t(0);
  explicit operator bool() const { return id != ~uint32_t(0); }
  bool operator==(const Term&) const = default;
};

enum class Kind : uint8_t {
  Constant,
  Variable,
  // Of operands of one width, with the meaning that replay gives them (int_ops.h): a division by zero is 0,
  // and a shift looks at the low 5 bits of its count (6 above 32 bits, 7 above 64). Arithmetic: at most 128
  // bits.
  Add,
  Sub,
  Mul,
  UDiv,
  SDiv,
  URem,
  SRem,
  Shl,
  LShr,
  AShr,
  And,
  Or,
  Xor,
  Not,
  // Conditions: width 1.
  Equal,
  ULess,
  ULessEqual,
  SLess,
  SLessEqual,
  IfThenElse, // condition, a, b
  Concat,     // high, low
  Extract,    // `width` bits from bit `parameter` on
  ZeroExtend,
  SignExtend,
  // Floating point on the bit patterns of IEEE half, single or double, as x86-64 computes it, NaNs included.
  FAdd,
  FSub,
  FMul,
  FDiv,
  FNeg,
  FAbs,
  FSqrt,
  FFma,
  FEqual, // conditions
  FLess,
  FLessEqual,
  FIsNan,
  FRound,    // to an integral number; parameter: a Rounding
  FToSigned, // cvttsd2si: 32 or 64 bits; what does not fit gives the least number
  SignedToF, // from at most 64 bits
  UnsignedToF,
  FToF,
};
enum class Rounding : uint8_t { Floor, Ceil, Trunc, NearestEven, NearestAway };

struct TermHash {
  size_t operator()(Term t) const { return t.id * size_t(0x9e3779b97f4a7c15); }
};

class Terms {
public:
  Terms();
  ~Terms();
  Terms(const Terms&) = delete;
  Terms& operator=(const Terms&) = delete;

  Term bits(uint32_t width, uint64_t value);                      // upper bits: 0
  Term constant(uint32_t width, std::span<const uint64_t> words); // low word first
  Term variable(uint32_t width, uint64_t tag);                    // the same tag and width: the same term
  Term yes() { return bits(1, 1); }
  Term no() { return bits(1, 0); }

  // width: of the result, where the operands do not tell (Extract, extensions, conversions).
  Term make(Kind kind, std::span<const Term> operands, uint32_t width = 0, uint64_t parameter = 0);
  Term unary(Kind kind, Term a, uint32_t width = 0, uint64_t parameter = 0);
  Term binary(Kind kind, Term a, Term b);
  Term add(Term a, Term b) { return binary(Kind::Add, a, b); }
  Term equal(Term a, Term b) { return binary(Kind::Equal, a, b); }
  Term negate(Term condition); // of width 1
  Term both(Term a, Term b);   // of width 1
  Term either(Term a, Term b);
  Term choose(Term condition, Term a, Term b);
  Term concat(Term high, Term low);
  Term extract(Term t, uint32_t from, uint32_t width);
  Term zeroExtend(Term t, uint32_t width);
  Term signExtend(Term t, uint32_t width);

  Kind kind(Term t) const;
  uint32_t width(Term t) const;
  uint64_t parameter(Term t) const; // Variable: its tag; Extract: the first bit; FRound: how
  std::span<const Term> operands(Term t) const;
  bool isConstant(Term t) const { return kind(t) == Kind::Constant; }
  bool isVariable(Term t) const { return kind(t) == Kind::Variable; }
  std::span<const uint64_t> words(Term constant) const;
  uint64_t value(Term constant) const { return words(constant)[0]; }
  bool isTrue(Term t) const;
  bool isFalse(Term t) const;

  // All variables in it, each once, in a fixed order. Kept: asking again costs nothing.
  const std::vector<Term>& variables(Term t);
  bool hasFloat(Term t) const; // there is an operation on floats in it
  size_t size() const;         // terms made

  using Map = std::unordered_map<Term, Term, TermHash>;
  // Every variable that `map` has is replaced. Without recursion: terms may be very deep.
  Term substitute(Term t, const Map& map);
  // The variables have these values: a constant. Each variable is asked for once.
  Term evaluate(Term t, const std::function<Term(Term variable)>& valueOf);

  struct Impl;

private:
  std::unique_ptr<Impl> impl_;
};

} // namespace faultline::logic

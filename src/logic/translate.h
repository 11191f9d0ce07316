// A term in the language of a solver. What replay and SMT-LIB define differently stands here once for all
// back ends: division by zero, shift counts, NaNs, conversions that do not fit. A term of width 1 is a truth
// value.
//
// A Backend has a type Expression and the operations of the theories, named as below; `floatBits(f, width)`
// gives the pattern of a float that is no NaN.
#pragma once

#include "logic/term.h"

#include <cassert>

namespace faultline::logic {

template <class Backend> class Translator {
public:
  using Expression = typename Backend::Expression;
  Translator(Terms& terms, Backend& backend) : t_(terms), b_(backend) {}

  // Of width 1: a truth value; else a bit vector. Without recursion.
  Expression translate(Term root) {
    std::vector<Term> open = {root};
    while (!open.empty()) {
      Term x = open.back();
      if (done_.count(x)) {
        open.pop_back();
        continue;
      }
      bool ready = true;
      for (Term o : t_.operands(x))
        if (!done_.count(o)) {
          open.push_back(o);
          ready = false;
        }
      if (!ready) continue;
      open.pop_back();
      done_.emplace(x, make(x));
    }
    return done_.at(root);
  }
  size_t size() const { return done_.size(); }
  void forget() { done_.clear(); }

private:
  using E = Expression;

  E truth(Term x) { return done_.at(x); } // of width 1
  E bits(Term x) {
    if (t_.width(x) > 1) return done_.at(x);
    return b_.choose(done_.at(x), b_.number(1, 1), b_.number(1, 0));
  }
  E fromBit(E bit) { return b_.equal(bit, b_.number(1, 1)); }
  E ifWide(Term x, E vector) { return t_.width(x) == 1 ? fromBit(vector) : vector; }
  E operand(Term x, size_t k) { return bits(t_.operands(x)[k]); }
  uint32_t operandWidth(Term x) { return t_.width(t_.operands(x)[0]); }

  E make(Term x) {
    Kind kind = t_.kind(x);
    uint32_t width = t_.width(x);
    if (kind == Kind::Constant) return width == 1 ? b_.truth(t_.isTrue(x)) : b_.constant(width, t_.words(x));
    if (kind == Kind::Variable) return b_.variable(x, width);
    if (kind <= Kind::AShr) return ifWide(x, arithmetic(x, kind, width));
    if (kind <= Kind::Not) return bitwise(x, kind, width);
    if (kind <= Kind::SLessEqual) return compare(x, kind);
    if (kind <= Kind::SignExtend) return pieces(x, kind, width);
    return floating(x, kind, width);
  }

  E arithmetic(Term x, Kind kind, uint32_t width) {
    E a = operand(x, 0), b = operand(x, 1);
    switch (kind) {
    case Kind::UDiv:
    case Kind::SDiv:
    case Kind::URem:
    case Kind::SRem:
      return b_.choose(b_.equal(b, b_.number(width, 0)), b_.number(width, 0), b_.arithmetic(kind, a, b));
    case Kind::Shl:
    case Kind::LShr:
    case Kind::AShr: {
      uint32_t counted = width > 64 ? 7 : width > 32 ? 6 : 5;
      if (width > counted) b = b_.extend(b_.extract(b, 0, counted), counted, width - counted, false);
      return b_.arithmetic(kind, a, b);
    }
    default:
      return b_.arithmetic(kind, a, b);
    }
  }

  E bitwise(Term x, Kind kind, uint32_t width) {
    std::span<const Term> o = t_.operands(x);
    if (width == 1)
      return kind == Kind::Not ? b_.negate(truth(o[0])) : b_.logical(kind, truth(o[0]), truth(o[1]));
    return kind == Kind::Not ? b_.invert(bits(o[0])) : b_.arithmetic(kind, bits(o[0]), bits(o[1]));
  }

  E compare(Term x, Kind kind) {
    std::span<const Term> o = t_.operands(x);
    if (kind == Kind::Equal) return b_.equal(done_.at(o[0]), done_.at(o[1]));
    return b_.compare(kind, bits(o[0]), bits(o[1]));
  }

  E pieces(Term x, Kind kind, uint32_t width) {
    std::span<const Term> o = t_.operands(x);
    switch (kind) {
    case Kind::IfThenElse:
      return b_.choose(truth(o[0]), done_.at(o[1]), done_.at(o[2]));
    case Kind::Concat:
      return b_.concat(bits(o[0]), bits(o[1]));
    case Kind::Extract:
      return ifWide(x, b_.extract(bits(o[0]), uint32_t(t_.parameter(x)), width));
    default:
      return b_.extend(bits(o[0]), t_.width(o[0]), width - t_.width(o[0]), kind == Kind::SignExtend);
    }
  }

  E number(uint32_t width, uint64_t value) { return b_.number(width, value); }
  static uint32_t mantissa(uint32_t width) { return width == 16 ? 10 : width == 32 ? 23 : 52; }
  E quiet(E pattern, uint32_t width) {
    return b_.arithmetic(Kind::Or, pattern, number(width, uint64_t(1) << (mantissa(width) - 1)));
  }
  // What x86 gives where no operand is a NaN and the result is: negative, quiet, no payload.
  E indefinite(uint32_t width) { return number(width, ~uint64_t(0) << (mantissa(width) - 1)); }
  E sign(uint32_t width) { return number(width, uint64_t(1) << (width - 1)); }

  E floating(Term x, Kind kind, uint32_t width) {
    uint32_t from = operandWidth(x);
    E a = operand(x, 0);
    switch (kind) {
    case Kind::FNeg:
      return b_.arithmetic(Kind::Xor, a, sign(width));
    case Kind::FAbs:
      return b_.arithmetic(Kind::And, a, b_.invert(sign(width)));
    case Kind::SignedToF:
    case Kind::UnsignedToF:
      return b_.floatBits(b_.floatFromInteger(a, width, kind == Kind::SignedToF), width);
    default:
      break;
    }
    E f = b_.floatFrom(a, from);
    switch (kind) {
    case Kind::FIsNan:
      return b_.isNan(f);
    case Kind::FEqual:
    case Kind::FLess:
    case Kind::FLessEqual:
      return b_.floatCompare(kind, f, b_.floatFrom(operand(x, 1), from));
    case Kind::FToSigned:
      return toSigned(f, from, width);
    case Kind::FToF:
      return b_.choose(b_.isNan(f), convertedNan(a, from, width),
                       b_.floatBits(b_.floatConvert(f, width), width));
    default:
      return computed(x, kind, width);
    }
  }

  // The first operand that is a NaN, made quiet, else the result.
  E computed(Term x, Kind kind, uint32_t width) {
    std::vector<E> patterns, floats;
    for (Term o : t_.operands(x)) {
      patterns.push_back(bits(o));
      floats.push_back(b_.floatFrom(patterns.back(), width));
    }
    E result = b_.floating(kind, floats, t_.parameter(x));
    E out = b_.choose(b_.isNan(result), indefinite(width), b_.floatBits(result, width));
    for (size_t k = patterns.size(); k-- > 0;)
      out = b_.choose(b_.isNan(floats[k]), quiet(patterns[k], width), out);
    return out;
  }

  E convertedNan(E pattern, uint32_t from, uint32_t to) {
    if (from == to) return quiet(pattern, to);
    E top = b_.extract(pattern, from - 1, 1);
    uint32_t m = mantissa(from), n = mantissa(to);
    E payload =
        m > n ? b_.extract(pattern, m - n, n) : b_.concat(b_.extract(pattern, 0, m), number(n - m, 0));
    uint32_t exponent = to - 1 - n;
    return quiet(b_.concat(top, b_.concat(number(exponent, ~uint64_t(0)), payload)), to);
  }

  // A number below -2^(width-1) by less than 1 is cut to that, which is also what stands for "does not fit".
  E toSigned(E f, uint32_t from, uint32_t width) {
    uint64_t bias = from == 32 ? 127 : 1023;
    uint64_t limit = (bias + width - 1) << mantissa(from);
    E high = b_.floatFrom(number(from, limit), from);
    E low = b_.floatFrom(number(from, limit | uint64_t(1) << (from - 1)), from);
    E fits = b_.logical(Kind::And, b_.floatCompare(Kind::FLessEqual, low, f),
                        b_.floatCompare(Kind::FLess, f, high));
    return b_.choose(fits, b_.floatToSigned(f, width), sign(width));
  }

  Terms& t_;
  Backend& b_;
  std::unordered_map<Term, Expression, TermHash> done_;
};

} // namespace faultline::logic

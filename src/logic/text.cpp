#include "logic/text.h"

#include "replay/fp_ops.h"

#include <fmt/format.h>

namespace faultline::logic {

namespace {

using How = Naming::Kind;

// How tightly an operator binds, as in C.
enum Binding {
  Choice,
  Disjunction,
  Conjunction,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Order,
  Shift,
  Sum,
  Product,
  Prefix
};

constexpr int kDeepestText = 24;

class Writer {
public:
  Writer(const Terms& terms, const Names& names) : t(terms), names_(names) {}

  std::string write(Term x, How how, Binding outer) {
    if (depth_ >= kDeepestText) return "...";
    ++depth_;
    std::string out = any(x, how, outer);
    --depth_;
    return out;
  }

  // What kind of value it is, by its variables.
  How kindOf(Term x, int depth = 0) const {
    if (t.isVariable(x)) return names_(t.parameter(x), t.width(x)).kind;
    if (t.isConstant(x) || depth > kDeepestText) return How::Unsigned;
    Kind kind = t.kind(x);
    if (t.width(x) == 1 && kind != Kind::Extract) return How::Bool;
    if (kind >= Kind::FAdd) return kind == Kind::FToSigned ? How::Signed : How::Float;
    if (kind == Kind::ZeroExtend) {
      How inner = kindOf(t.operands(x)[0], depth + 1);
      return inner == How::Signed ? How::Unsigned : inner;
    }
    if (kind == Kind::SignExtend) {
      How inner = kindOf(t.operands(x)[0], depth + 1);
      return inner == How::Unsigned || inner == How::Bool ? How::Signed : inner;
    }
    How found = How::Unsigned;
    for (size_t k = kind == Kind::IfThenElse ? 1 : 0; k < t.operands(x).size(); ++k) {
      How one = kindOf(t.operands(x)[k], depth + 1);
      if (one == How::Pointer) return one;
      if (one != How::Unsigned) found = one;
    }
    return found == How::Character && kind != Kind::Extract && kind != Kind::IfThenElse ? How::Signed : found;
  }

private:
  std::string operand(Term x, size_t k, How how, Binding outer) {
    return write(t.operands(x)[k], how, outer);
  }

  static std::string within(const std::string& text, Binding own, Binding outer) {
    return own < outer ? "(" + text + ")" : text;
  }

  std::string any(Term x, How how, Binding outer) {
    Kind kind = t.kind(x);
    if (kind == Kind::Constant) return number(x, how, outer);
    if (kind == Kind::Variable) return names_(t.parameter(x), t.width(x)).name;
    if (kind <= Kind::AShr) return arithmetic(x, kind, how, outer);
    if (kind <= Kind::Not) return bitwise(x, kind, how, outer);
    if (kind <= Kind::SLessEqual) return comparison(x, kind, false, outer);
    if (kind <= Kind::SignExtend) return pieces(x, kind, how, outer);
    return floating(x, kind, outer);
  }

  static std::string character(uint64_t value) {
    if (value == '\'' || value == '\\') return fmt::format("'\\{}'", char(value));
    if (value >= 32 && value < 127) return fmt::format("'{}'", char(value));
    if (value == '\n') return "'\\n'";
    if (value == '\t') return "'\\t'";
    if (value == 0) return "'\\0'";
    return {};
  }

  std::string number(Term x, How how, Binding outer) {
    uint32_t width = t.width(x);
    std::span<const uint64_t> words = t.words(x);
    if (width > 64) {
      std::string out = "0x";
      bool begun = false;
      for (size_t k = words.size(); k-- > 0;) {
        if (!begun && !words[k] && k) continue;
        out += begun ? fmt::format("{:016x}", words[k]) : fmt::format("{:x}", words[k]);
        begun = true;
      }
      return out;
    }
    uint64_t value = words[0];
    if (how == How::Pointer) return value ? fmt::format("{:#x}", value) : "NULL";
    if (width == 1) return value ? "true" : "false";
    if (how == How::Float && width == 64) return fmt::format("{}", replay::fpFromBits<double>(value));
    if (how == How::Float && width == 32) return fmt::format("{}", replay::fpFromBits<float>(value));
    if (how == How::Character && value < 127)
      if (std::string c = character(value); !c.empty()) return c;
    if (how == How::Signed || how == How::Character) {
      int64_t n = int64_t(replay::signExtend(value, width));
      return n < 0 ? within(fmt::format("{}", n), Prefix, outer) : fmt::format("{}", n);
    }
    return value >= (uint64_t(1) << 31) ? fmt::format("{:#x}", value) : fmt::format("{}", value);
  }

  std::string infix(Term x, const char* sign, How how, Binding own, Binding outer) {
    // The right operand binds closer: a - (b - c).
    return within(operand(x, 0, how, own) + " " + sign + " " + operand(x, 1, how, Binding(own + 1)), own,
                  outer);
  }

  std::string arithmetic(Term x, Kind kind, How how, Binding outer) {
    if (how == How::Character) how = How::Signed;
    switch (kind) {
    case Kind::Add: {
      Term b = t.operands(x)[1];
      if (t.isConstant(b) && t.width(b) <= 64) {
        int64_t n = int64_t(replay::signExtend(t.value(b), t.width(b)));
        if (n < 0 && n > -(int64_t(1) << 40))
          return within(fmt::format("{} - {}", operand(x, 0, how, Sum), -n), Sum, outer);
        if (how == How::Pointer)
          return within(fmt::format("{} + {}", operand(x, 0, how, Sum), n), Sum, outer);
      }
      return infix(x, "+", how, Sum, outer);
    }
    case Kind::Sub:
      if (isZeroConstant(t.operands(x)[0])) return "-" + operand(x, 1, how, Prefix);
      return infix(x, "-", how, Sum, outer);
    case Kind::Mul:
      return infix(x, "*", how == How::Pointer ? How::Signed : how, Product, outer);
    case Kind::UDiv:
      return infix(x, "/", How::Unsigned, Product, outer);
    case Kind::SDiv:
      return infix(x, "/", How::Signed, Product, outer);
    case Kind::URem:
      return infix(x, "%", How::Unsigned, Product, outer);
    case Kind::SRem:
      return infix(x, "%", How::Signed, Product, outer);
    default:
      return infix(x, kind == Kind::Shl ? "<<" : ">>", how, Shift, outer);
    }
  }

  bool isZeroConstant(Term x) const { return t.isConstant(x) && t.width(x) <= 64 && t.value(x) == 0; }

  std::string mask(Term x) const { return t.width(x) <= 64 ? fmt::format("{:#x}", t.value(x)) : "..."; }

  std::string bitwise(Term x, Kind kind, How how, Binding outer) {
    bool isCondition = t.width(x) == 1;
    if (kind == Kind::Not) {
      Term a = t.operands(x)[0];
      if (!isCondition) return "~" + write(a, how, Prefix);
      if (t.kind(a) == Kind::Equal) return comparison(a, Kind::Equal, true, outer);
      if (t.kind(a) == Kind::FEqual) return floating(a, Kind::FEqual, outer, true);
      return "!" + write(a, How::Bool, Prefix);
    }
    if (isCondition && kind != Kind::Xor) {
      Binding own = kind == Kind::And ? Conjunction : Disjunction;
      return within(operand(x, 0, How::Bool, own) + (kind == Kind::And ? " && " : " || ") +
                        operand(x, 1, How::Bool, own),
                    own, outer);
    }
    if (isCondition) return infix(x, "!=", How::Bool, Equality, outer);
    Binding own = kind == Kind::And ? BitAnd : kind == Kind::Or ? BitOr : BitXor;
    const char* sign = kind == Kind::And ? "&" : kind == Kind::Or ? "|" : "^";
    Term b = t.operands(x)[1];
    if (!t.isConstant(b)) return infix(x, sign, how, own, outer);
    return within(fmt::format("{} {} {}", operand(x, 0, how, own), sign, mask(b)), own, outer);
  }

  std::string comparison(Term x, Kind kind, bool negated, Binding outer) {
    Term a = t.operands(x)[0], b = t.operands(x)[1];
    bool swap = t.isConstant(a);
    if (swap) std::swap(a, b);
    How how = kindOf(a);
    if (How other = kindOf(b); other == How::Pointer || how == How::Unsigned) how = other;
    if (kind == Kind::Equal)
      return within(write(a, how, Order) + (negated ? " != " : " == ") + write(b, how, Order), Equality,
                    outer);
    bool isSigned = kind == Kind::SLess || kind == Kind::SLessEqual;
    bool orEqual = kind == Kind::ULessEqual || kind == Kind::SLessEqual;
    std::string left = write(a, isSigned && how == How::Unsigned ? How::Signed : how, Shift);
    // A signed variable that is compared as if it were not one.
    if (!isSigned && (how == How::Signed || how == How::Character)) {
      left = "(unsigned)" + write(a, how, Prefix);
      how = How::Unsigned;
    } else if (isSigned && how == How::Unsigned) {
      how = How::Signed;
    }
    const char* sign = swap ? (orEqual ? " >= " : " > ") : (orEqual ? " <= " : " < ");
    return within(left + sign + write(b, how, Shift), Order, outer);
  }

  static const char* castTo(uint32_t width, bool isSigned) {
    switch (width) {
    case 8:
      return isSigned ? "(signed char)" : "(unsigned char)";
    case 16:
      return isSigned ? "(short)" : "(unsigned short)";
    case 32:
      return isSigned ? "(int)" : "(unsigned)";
    default:
      return nullptr;
    }
  }

  // Bits from..from+width of a term.
  std::string piece(Term whole, uint64_t from, uint32_t width, bool isSigned, How how, Binding outer) {
    if (from == 0 && width > 1)
      if (const char* cast = castTo(width, isSigned)) return cast + write(whole, how, Prefix);
    bool toTheTop = from + width == t.width(whole);
    if (toTheTop && (isSigned || width > 1))
      return within(fmt::format("{} >> {}", write(whole, how, Shift), from), Shift, outer);
    if (width == 1 && from < 64)
      return within(fmt::format("{} & {:#x}", write(whole, how, BitAnd), uint64_t(1) << from), BitAnd, outer);
    uint64_t ones = width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    if (from == 0) return within(fmt::format("{} & {:#x}", write(whole, how, BitAnd), ones), BitAnd, outer);
    return within(fmt::format("({} >> {}) & {:#x}", write(whole, how, Shift), from, ones), BitAnd, outer);
  }

  std::string pieces(Term x, Kind kind, How how, Binding outer) {
    Term a = t.operands(x)[0];
    switch (kind) {
    case Kind::IfThenElse:
      return within(operand(x, 0, How::Bool, Disjunction) + " ? " + operand(x, 1, how, Disjunction) + " : " +
                        operand(x, 2, how, Choice),
                    Choice, outer);
    case Kind::Concat: {
      Term low = t.operands(x)[1];
      std::string high = fmt::format("{} << {}", shifted(a, t.width(low), how), t.width(low));
      if (t.isConstant(low) && isZeroConstant(low)) return within(high, Shift, outer);
      return within(high + " | " + write(low, how, BitXor), BitOr, outer);
    }
    case Kind::Extract:
      return piece(a, t.parameter(x), t.width(x), how == How::Signed, kindOf(a), outer);
    default: {
      bool isSigned = kind == Kind::SignExtend;
      if (t.kind(a) == Kind::Extract)
        return piece(t.operands(a)[0], t.parameter(a), t.width(a), isSigned, kindOf(t.operands(a)[0]), outer);
      return write(a, how, outer);
    }
    }
  }
  // x << n keeps the low bits of x only: that these are cut goes without saying.
  std::string shifted(Term high, uint32_t count, How how) {
    bool cut = t.kind(high) == Kind::Extract && t.parameter(high) == 0 &&
               t.width(high) + count == t.width(t.operands(high)[0]);
    return write(cut ? t.operands(high)[0] : high, how, Shift);
  }

  std::string call(const char* name, Term x) {
    std::string out = name;
    out += "(";
    for (size_t k = 0; k < t.operands(x).size(); ++k)
      out += (k ? ", " : "") + operand(x, k, How::Float, Choice);
    return out + ")";
  }

  std::string floating(Term x, Kind kind, Binding outer, bool negated = false) {
    constexpr const char* rounding[] = {"floor", "ceil", "trunc", "rint", "round"};
    switch (kind) {
    case Kind::FAdd:
      return infix(x, "+", How::Float, Sum, outer);
    case Kind::FSub:
      return infix(x, "-", How::Float, Sum, outer);
    case Kind::FMul:
      return infix(x, "*", How::Float, Product, outer);
    case Kind::FDiv:
      return infix(x, "/", How::Float, Product, outer);
    case Kind::FNeg:
      return "-" + operand(x, 0, How::Float, Prefix);
    case Kind::FAbs:
      return call("fabs", x);
    case Kind::FSqrt:
      return call("sqrt", x);
    case Kind::FFma:
      return call("fma", x);
    case Kind::FEqual:
      return infix(x, negated ? "!=" : "==", How::Float, Equality, outer);
    case Kind::FLess:
      return infix(x, "<", How::Float, Order, outer);
    case Kind::FLessEqual:
      return infix(x, "<=", How::Float, Order, outer);
    case Kind::FIsNan:
      return call("isnan", x);
    case Kind::FRound:
      return call(rounding[t.parameter(x)], x);
    case Kind::FToSigned:
      return (t.width(x) == 32 ? "(int)" : "(long)") + operand(x, 0, How::Float, Prefix);
    case Kind::FToF:
      return t.width(x) < t.width(t.operands(x)[0]) ? "(float)" + operand(x, 0, How::Float, Prefix)
                                                    : operand(x, 0, How::Float, outer);
    default: // an integer as it is
      return operand(x, 0, kind == Kind::SignedToF ? How::Signed : How::Unsigned, outer);
    }
  }

  const Terms& t;
  const Names& names_;
  int depth_ = 0;
};

} // namespace

std::string text(const Terms& terms, Term term, const Names& names) {
  Writer writer(terms, names);
  return writer.write(term, writer.kindOf(term), Choice);
}

} // namespace faultline::logic

#include "logic/c_text.h"

#include <cassert>
#include <fmt/format.h>

namespace faultline::logic {

namespace {

constexpr const char* kFunctions = R"(
static float asFloat(u32 x) { unsigned n = x; float f; memcpy(&f, &n, 4); return f; }
static double asDouble(u64 x) { unsigned long n = x; double f; memcpy(&f, &n, 8); return f; }
static u32 bitsOfFloat(float f) { unsigned n; memcpy(&n, &f, 4); return n; }
static u64 bitsOfDouble(double f) { unsigned long n; memcpy(&n, &f, 8); return n; }
)";

} // namespace

std::string CWriter::type(uint32_t width) {
  widths_.insert(width);
  return fmt::format("u{}", width);
}
std::string CWriter::signedType(uint32_t width) {
  widths_.insert(width);
  return fmt::format("s{}", width);
}

std::string CWriter::prelude() const {
  std::set<uint32_t> widths = widths_;
  widths.insert({32, 64});
  std::string out = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
  for (uint32_t w : widths) {
    out += fmt::format("typedef unsigned _BitInt({0}) u{0};\n", w);
    if (w > 1) out += fmt::format("typedef _BitInt({0}) s{0};\n", w);
  }
  return out + kFunctions;
}

void CWriter::comment(std::string_view text) {
  out_ += "  // ";
  for (char c : text) out_ += c == '\n' || c == '\\' ? ' ' : c;
  out_ += "\n";
}

void CWriter::assign(Term variable, Term value) {
  std::string computed = compute(value), name = fmt::format("v{}", variable.id);
  out_ += fmt::format("  {} {} = {};\n", type(t_.width(variable)), name, computed);
  names_[variable] = name;
}

void CWriter::declare(Term variable, Term value, std::string_view why) {
  assign(variable, value);
  out_.pop_back();
  out_ += fmt::format(" // {}\n", why);
}

void CWriter::ifTrue(Term condition, std::string_view statement) {
  out_ += fmt::format("  if ({}) {}\n", compute(condition), statement);
}

std::string CWriter::constant(Term x) {
  std::span<const uint64_t> words = t_.words(x);
  std::string own = type(t_.width(x));
  if (words.size() == 1) return fmt::format("({}){:#x}ull", own, words[0]);
  std::string out;
  for (size_t k = 0; k < words.size(); ++k)
    out += fmt::format("{}({}){:#x}ull << {}", k ? " | " : "", own, words[k], 64 * k);
  return "(" + out + ")";
}

// Everything below it first, then itself, each once.
std::string CWriter::compute(Term root) {
  std::vector<Term> open = {root};
  while (!open.empty()) {
    Term x = open.back();
    if (names_.contains(x)) {
      open.pop_back();
      continue;
    }
    if (t_.isConstant(x)) {
      names_[x] = constant(x);
      continue;
    }
    assert(!t_.isVariable(x) && "a variable that nobody has defined");
    bool ready = true;
    for (Term o : t_.operands(x))
      if (!names_.contains(o)) {
        open.push_back(o);
        ready = false;
      }
    if (!ready) continue;
    open.pop_back();
    std::string text = operation(x), name = fmt::format("t{}", fresh_++);
    out_ += fmt::format("  {} {} = {};\n", type(t_.width(x)), name, text);
    names_[x] = name;
  }
  return names_.at(root);
}

std::string CWriter::operation(Term x) {
  uint32_t width = t_.width(x);
  std::vector<std::string> o;
  for (Term operand : t_.operands(x)) o.push_back(names_.at(operand));
  uint32_t from = t_.width(t_.operands(x)[0]);
  std::string own = type(width);
  auto infix = [&](const char* sign) { return fmt::format("({})({} {} {})", own, o[0], sign, o[1]); };
  // A number of one bit has no signed type: 1 is -1.
  auto less = [&](const std::string& a, const std::string& b) {
    return from == 1 ? fmt::format("({} & ~{})", a, b)
                     : fmt::format("(({0}){1} < ({0}){2})", signedType(from), a, b);
  };
  unsigned counted = width > 64 ? 127 : width > 32 ? 63 : 31;
  auto shift = [&](const std::string& value, const char* sign, const std::string& beyond) {
    std::string count = fmt::format("((unsigned){} & {}u)", o[1], counted);
    return fmt::format("{0} >= {1}u ? {2} : ({3})({4} {5} {0})", count, width, beyond, own, value, sign);
  };
  switch (t_.kind(x)) {
  case Kind::Add:
    return infix("+");
  case Kind::Sub:
    return infix("-");
  case Kind::Mul:
    return infix("*");
  case Kind::UDiv:
    return fmt::format("{1} ? ({2})({0} / {1}) : ({2})0", o[0], o[1], own);
  case Kind::URem:
    return fmt::format("{1} ? ({2})({0} % {1}) : ({2})0", o[0], o[1], own);
  case Kind::SDiv:
    if (width == 1) return infix("&");
    return fmt::format("!{1} ? ({2})0 : {1} == ({2})~({2})0 ? ({2})-{0} : ({2})(({3}){0} / ({3}){1})", o[0],
                       o[1], own, signedType(width));
  case Kind::SRem:
    if (width == 1) return fmt::format("({})0", own);
    return fmt::format("!{1} || {1} == ({2})~({2})0 ? ({2})0 : ({2})(({3}){0} % ({3}){1})", o[0], o[1], own,
                       signedType(width));
  case Kind::Shl:
    return shift(o[0], "<<", fmt::format("({})0", own));
  case Kind::LShr:
    return shift(o[0], ">>", fmt::format("({})0", own));
  case Kind::AShr: {
    if (width == 1) return o[0];
    std::string value = fmt::format("({}){}", signedType(width), o[0]);
    return shift(value, ">>", fmt::format("({0})({1} < 0 ? ~({0})0 : ({0})0)", own, value));
  }
  case Kind::And:
    return infix("&");
  case Kind::Or:
    return infix("|");
  case Kind::Xor:
    return infix("^");
  case Kind::Not:
    return fmt::format("({})~{}", own, o[0]);
  case Kind::Equal:
    return infix("==");
  case Kind::ULess:
    return infix("<");
  case Kind::ULessEqual:
    return infix("<=");
  case Kind::SLess:
    return fmt::format("({}){}", own, less(o[0], o[1]));
  case Kind::SLessEqual:
    return fmt::format("({})!{}", own, less(o[1], o[0]));
  case Kind::IfThenElse:
    return fmt::format("{} ? {} : {}", o[0], o[1], o[2]);
  case Kind::Concat:
    return fmt::format("({0})({0}){1} << {2} | ({0}){3}", own, o[0], t_.width(t_.operands(x)[1]), o[1]);
  case Kind::Extract:
    return fmt::format("({})({} >> {})", own, o[0], t_.parameter(x));
  case Kind::ZeroExtend:
    return fmt::format("({}){}", own, o[0]);
  case Kind::SignExtend:
    if (from == 1) return fmt::format("{0} ? ({1})~({1})0 : ({1})0", o[0], own);
    return fmt::format("({})({})({}){}", own, signedType(width), signedType(from), o[0]);
  default:
    return floating(x, o);
  }
}

std::string CWriter::floating(Term x, const std::vector<std::string>& o) {
  uint32_t width = t_.width(x), from = t_.width(t_.operands(x)[0]);
  auto read = [&](size_t k) { return fmt::format("{}({})", from == 32 ? "asFloat" : "asDouble", o[k]); };
  auto made = [&](const std::string& value) {
    return fmt::format("{}({})", width == 32 ? "bitsOfFloat" : "bitsOfDouble", value);
  };
  auto call = [&](const char* name) {
    std::string text = fmt::format("{}{}(", name, from == 32 ? "f" : "");
    for (size_t k = 0; k < o.size(); ++k) text += (k ? ", " : "") + read(k);
    return made(text + ")");
  };
  auto infix = [&](const char* sign) { return fmt::format("{} {} {}", read(0), sign, read(1)); };
  constexpr const char* rounding[] = {"floor", "ceil", "trunc", "rint", "round"};
  switch (t_.kind(x)) {
  case Kind::FAdd:
    return made(infix("+"));
  case Kind::FSub:
    return made(infix("-"));
  case Kind::FMul:
    return made(infix("*"));
  case Kind::FDiv:
    return made(infix("/"));
  case Kind::FNeg:
    return fmt::format("{} ^ ({})1 << {}", o[0], type(width), width - 1);
  case Kind::FAbs:
    return fmt::format("{} & ~(({})1 << {})", o[0], type(width), width - 1);
  case Kind::FSqrt:
    return call("sqrt");
  case Kind::FFma:
    return call("fma");
  case Kind::FEqual:
    return infix("==");
  case Kind::FLess:
    return infix("<");
  case Kind::FLessEqual:
    return infix("<=");
  case Kind::FIsNan:
    return fmt::format("{0} != {0}", read(0));
  case Kind::FRound:
    return call(rounding[t_.parameter(x)]);
  case Kind::FToSigned:
    return fmt::format("{0} >= -0x1p{1} && {0} < 0x1p{1} ? ({2}){0} : ({2})1 << {1}", read(0), width - 1,
                       width == 32 ? "int" : "long");
  case Kind::SignedToF:
    return made(from == 1 ? fmt::format("-(int){}", o[0]) : fmt::format("({}){}", signedType(from), o[0]));
  case Kind::UnsignedToF:
    return made(o[0]);
  default:
    return made(read(0));
  }
}

} // namespace faultline::logic

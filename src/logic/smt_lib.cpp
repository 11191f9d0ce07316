// A back end that writes. Every operation becomes a definition of its own, so that what terms share is
// written once and nothing is nested.
#include "logic/logged_solver.h"
#include "logic/translate.h"

#include <fmt/format.h>

namespace faultline::logic {

namespace {

struct Text { // of an expression: its name or value, and its sort
  std::string text;
  std::string sort;
};

struct TextBackend {
  using Expression = Text;
  std::string out = {};
  uint32_t fresh = 0;

  static std::string bitsSort(uint32_t width) { return fmt::format("(_ BitVec {})", width); }
  static std::string format(uint32_t width) {
    uint32_t e = width == 16 ? 5 : width == 32 ? 8 : 11;
    return fmt::format("{} {}", e, width - e);
  }
  static std::string floatSort(uint32_t width) { return fmt::format("(_ FloatingPoint {})", format(width)); }
  static uint32_t widthOf(const Text& a) {
    return uint32_t(std::stoul(a.sort.substr(std::string("(_ BitVec ").size())));
  }

  Text define(std::string sort, std::string text) {
    std::string name = fmt::format("t{}", fresh++);
    out += fmt::format("(define-fun {} () {} {})\n", name, sort, text);
    return {name, sort};
  }
  Text truth(bool value) { return {value ? "true" : "false", "Bool"}; }
  Text number(uint32_t width, uint64_t value) {
    if (width < 64) value &= (uint64_t(1) << width) - 1;
    return {fmt::format("(_ bv{} {})", value, width), bitsSort(width)};
  }
  Text constant(uint32_t width, std::span<const uint64_t> words) {
    std::string digits = "#b";
    for (uint32_t k = width; k-- > 0;) digits += words[k / 64] >> (k % 64) & 1 ? '1' : '0';
    return {digits, bitsSort(width)};
  }
  Text variable(Term x, uint32_t width) {
    std::string name = fmt::format("v{}", x.id), sort = width == 1 ? "Bool" : bitsSort(width);
    out += fmt::format("(declare-const {} {})\n", name, sort);
    return {name, sort};
  }
  Text choose(const Text& p, const Text& a, const Text& b) {
    return define(a.sort, fmt::format("(ite {} {} {})", p.text, a.text, b.text));
  }
  Text two(const std::string& sort, const char* name, const Text& a, const Text& b) {
    return define(sort, fmt::format("({} {} {})", name, a.text, b.text));
  }
  Text equal(const Text& a, const Text& b) { return two("Bool", "=", a, b); }
  Text negate(const Text& a) { return define("Bool", fmt::format("(not {})", a.text)); }
  Text invert(const Text& a) { return define(a.sort, fmt::format("(bvnot {})", a.text)); }
  Text logical(Kind kind, const Text& a, const Text& b) {
    return two("Bool", kind == Kind::And ? "and" : kind == Kind::Or ? "or" : "xor", a, b);
  }
  Text arithmetic(Kind kind, const Text& a, const Text& b) {
    constexpr const char* names[] = {"bvadd", "bvsub",  "bvmul",  "bvudiv", "bvsdiv", "bvurem", "bvsrem",
                                     "bvshl", "bvlshr", "bvashr", "bvand",  "bvor",   "bvxor"};
    return two(a.sort, names[unsigned(kind) - unsigned(Kind::Add)], a, b);
  }
  Text compare(Kind kind, const Text& a, const Text& b) {
    constexpr const char* names[] = {"bvult", "bvule", "bvslt", "bvsle"};
    return two("Bool", names[unsigned(kind) - unsigned(Kind::ULess)], a, b);
  }
  Text concat(const Text& high, const Text& low) {
    return two(bitsSort(widthOf(high) + widthOf(low)), "concat", high, low);
  }
  Text extract(const Text& a, uint32_t from, uint32_t width) {
    return define(bitsSort(width), fmt::format("((_ extract {} {}) {})", from + width - 1, from, a.text));
  }
  Text extend(const Text& a, uint32_t width, uint32_t by, bool isSigned) {
    return define(bitsSort(width + by),
                  fmt::format("((_ {}_extend {}) {})", isSigned ? "sign" : "zero", by, a.text));
  }

  static const char* mode(uint64_t how) {
    constexpr const char* names[] = {"RTN", "RTP", "RTZ", "RNE", "RNA"};
    return names[how];
  }
  Text floatFrom(const Text& pattern, uint32_t width) {
    return define(floatSort(width), fmt::format("((_ to_fp {}) {})", format(width), pattern.text));
  }
  // Not in SMT-LIB: a pattern that stands for f.
  Text floatBits(const Text& f, uint32_t width) {
    std::string name = fmt::format("p{}", fresh++);
    out += fmt::format("(declare-const {} {})\n", name, bitsSort(width));
    out += fmt::format("(assert (= ((_ to_fp {}) {}) {}))\n", format(width), name, f.text);
    return {name, bitsSort(width)};
  }
  Text floatFromInteger(const Text& a, uint32_t width, bool isSigned) {
    return define(floatSort(width),
                  fmt::format("((_ to_fp{} {}) RNE {})", isSigned ? "" : "_unsigned", format(width), a.text));
  }
  Text floatConvert(const Text& f, uint32_t width) {
    return define(floatSort(width), fmt::format("((_ to_fp {}) RNE {})", format(width), f.text));
  }
  Text floatToSigned(const Text& f, uint32_t width) {
    return define(bitsSort(width), fmt::format("((_ fp.to_sbv {}) RTZ {})", width, f.text));
  }
  Text isNan(const Text& f) { return define("Bool", fmt::format("(fp.isNaN {})", f.text)); }
  Text floatCompare(Kind kind, const Text& a, const Text& b) {
    return two("Bool", kind == Kind::FEqual ? "fp.eq" : kind == Kind::FLess ? "fp.lt" : "fp.leq", a, b);
  }
  Text floating(Kind kind, const std::vector<Text>& x, uint64_t parameter) {
    const char* name = kind == Kind::FAdd    ? "fp.add RNE"
                       : kind == Kind::FSub  ? "fp.sub RNE"
                       : kind == Kind::FMul  ? "fp.mul RNE"
                       : kind == Kind::FDiv  ? "fp.div RNE"
                       : kind == Kind::FSqrt ? "fp.sqrt RNE"
                       : kind == Kind::FFma  ? "fp.fma RNE"
                                             : "fp.roundToIntegral";
    std::string text = fmt::format("({}", name);
    if (kind == Kind::FRound) text += fmt::format(" {}", mode(parameter));
    for (const Text& operand : x) text += " " + operand.text;
    return define(x[0].sort, text + ")");
  }
};

} // namespace

std::string smtLib(Terms& terms, std::span<const Term> conditions) {
  TextBackend backend;
  Translator<TextBackend> translator(terms, backend);
  std::string asserts;
  for (size_t k = 0; k < conditions.size(); ++k)
    asserts += fmt::format("(assert (! {} :named c{}))\n", translator.translate(conditions[k]).text, k);
  return "(set-logic QF_BVFP)\n" + backend.out + asserts + "(check-sat)\n";
}

} // namespace faultline::logic

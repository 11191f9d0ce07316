// cvc5 in this process. Every request has a solver and a translation of its own: a term of cvc5 belongs to
// one solver, and what one request left behind would slow down the next.
#include "logic/solvers/table.h"
#include "logic/translate.h"

#include <algorithm>
#include <chrono>
#include <cvc5/cvc5.h>

namespace faultline::logic {

namespace {

namespace c5 = cvc5;

struct Cvc5Backend {
  using Expression = c5::Term;
  c5::Solver& s;
  std::vector<c5::Term> definitions = {}; // hold whatever the conditions say
  uint32_t fresh = 0;
  bool usesHalf = false;

  c5::Term truth(bool value) { return s.mkBoolean(value); }
  c5::Term number(uint32_t width, uint64_t value) {
    if (width < 64) value &= (uint64_t(1) << width) - 1;
    return s.mkBitVector(width, value);
  }
  c5::Term constant(uint32_t width, std::span<const uint64_t> words) {
    if (width <= 64) return number(width, words[0]);
    c5::Term out = number(width % 64 ? width % 64 : 64, words.back());
    for (size_t k = words.size() - 1; k-- > 0;) out = concat(out, number(64, words[k]));
    return out;
  }
  c5::Term variable(Term x, uint32_t width) {
    return s.mkConst(width == 1 ? s.getBooleanSort() : s.mkBitVectorSort(width), "v" + std::to_string(x.id));
  }
  c5::Term choose(const c5::Term& p, const c5::Term& a, const c5::Term& b) {
    return s.mkTerm(c5::ITE, {p, a, b});
  }
  c5::Term equal(const c5::Term& a, const c5::Term& b) { return s.mkTerm(c5::EQUAL, {a, b}); }
  c5::Term negate(const c5::Term& a) { return s.mkTerm(c5::NOT, {a}); }
  c5::Term invert(const c5::Term& a) { return s.mkTerm(c5::BITVECTOR_NOT, {a}); }
  c5::Term logical(Kind kind, const c5::Term& a, const c5::Term& b) {
    return s.mkTerm(kind == Kind::And ? c5::AND : kind == Kind::Or ? c5::OR : c5::XOR, {a, b});
  }
  c5::Term arithmetic(Kind kind, const c5::Term& a, const c5::Term& b) {
    static const std::unordered_map<Kind, c5::Kind> names = {
        {Kind::Add, c5::BITVECTOR_ADD},   {Kind::Sub, c5::BITVECTOR_SUB},   {Kind::Mul, c5::BITVECTOR_MULT},
        {Kind::UDiv, c5::BITVECTOR_UDIV}, {Kind::SDiv, c5::BITVECTOR_SDIV}, {Kind::URem, c5::BITVECTOR_UREM},
        {Kind::SRem, c5::BITVECTOR_SREM}, {Kind::Shl, c5::BITVECTOR_SHL},   {Kind::LShr, c5::BITVECTOR_LSHR},
        {Kind::AShr, c5::BITVECTOR_ASHR}, {Kind::And, c5::BITVECTOR_AND},   {Kind::Or, c5::BITVECTOR_OR},
        {Kind::Xor, c5::BITVECTOR_XOR}};
    return s.mkTerm(names.at(kind), {a, b});
  }
  c5::Term compare(Kind kind, const c5::Term& a, const c5::Term& b) {
    return s.mkTerm(kind == Kind::ULess        ? c5::BITVECTOR_ULT
                    : kind == Kind::ULessEqual ? c5::BITVECTOR_ULE
                    : kind == Kind::SLess      ? c5::BITVECTOR_SLT
                                               : c5::BITVECTOR_SLE,
                    {a, b});
  }
  c5::Term concat(const c5::Term& high, const c5::Term& low) {
    return s.mkTerm(c5::BITVECTOR_CONCAT, {high, low});
  }
  c5::Term extract(const c5::Term& a, uint32_t from, uint32_t width) {
    return s.mkTerm(s.mkOp(c5::BITVECTOR_EXTRACT, {from + width - 1, from}), {a});
  }
  c5::Term extend(const c5::Term& a, uint32_t, uint32_t by, bool isSigned) {
    return s.mkTerm(s.mkOp(isSigned ? c5::BITVECTOR_SIGN_EXTEND : c5::BITVECTOR_ZERO_EXTEND, {by}), {a});
  }

  uint32_t exponent(uint32_t width) {
    usesHalf |= width == 16;
    return width == 16 ? 5 : width == 32 ? 8 : 11;
  }
  c5::Op to(c5::Kind kind, uint32_t width) {
    return s.mkOp(kind, {exponent(width), width - exponent(width)});
  }
  c5::Term mode(uint64_t how) {
    constexpr std::array modes = {c5::ROUND_TOWARD_NEGATIVE, c5::ROUND_TOWARD_POSITIVE, c5::ROUND_TOWARD_ZERO,
                                  c5::ROUND_NEAREST_TIES_TO_EVEN, c5::ROUND_NEAREST_TIES_TO_AWAY};
    return s.mkRoundingMode(modes[how]);
  }
  c5::Term nearest() { return mode(uint64_t(Rounding::NearestEven)); }
  c5::Term floatFrom(const c5::Term& pattern, uint32_t width) {
    return s.mkTerm(to(c5::FLOATINGPOINT_TO_FP_FROM_IEEE_BV, width), {pattern});
  }
  // There is no function for it: a pattern that stands for f. Two zeros differ, so it is the only one.
  c5::Term floatBits(const c5::Term& f, uint32_t width) {
    c5::Term pattern = s.mkConst(s.mkBitVectorSort(width), "p" + std::to_string(fresh++));
    definitions.push_back(equal(floatFrom(pattern, width), f));
    return pattern;
  }
  c5::Term floatFromInteger(const c5::Term& a, uint32_t width, bool isSigned) {
    auto kind = isSigned ? c5::FLOATINGPOINT_TO_FP_FROM_SBV : c5::FLOATINGPOINT_TO_FP_FROM_UBV;
    return s.mkTerm(to(kind, width), {nearest(), a});
  }
  c5::Term floatConvert(const c5::Term& f, uint32_t width) {
    return s.mkTerm(to(c5::FLOATINGPOINT_TO_FP_FROM_FP, width), {nearest(), f});
  }
  c5::Term floatToSigned(const c5::Term& f, uint32_t width) {
    return s.mkTerm(s.mkOp(c5::FLOATINGPOINT_TO_SBV, {width}), {mode(uint64_t(Rounding::Trunc)), f});
  }
  c5::Term isNan(const c5::Term& f) { return s.mkTerm(c5::FLOATINGPOINT_IS_NAN, {f}); }
  c5::Term floatCompare(Kind kind, const c5::Term& a, const c5::Term& b) {
    return s.mkTerm(kind == Kind::FEqual  ? c5::FLOATINGPOINT_EQ
                    : kind == Kind::FLess ? c5::FLOATINGPOINT_LT
                                          : c5::FLOATINGPOINT_LEQ,
                    {a, b});
  }
  c5::Term floating(Kind kind, const std::vector<c5::Term>& x, uint64_t parameter) {
    switch (kind) {
    case Kind::FAdd:
      return s.mkTerm(c5::FLOATINGPOINT_ADD, {nearest(), x[0], x[1]});
    case Kind::FSub:
      return s.mkTerm(c5::FLOATINGPOINT_SUB, {nearest(), x[0], x[1]});
    case Kind::FMul:
      return s.mkTerm(c5::FLOATINGPOINT_MULT, {nearest(), x[0], x[1]});
    case Kind::FDiv:
      return s.mkTerm(c5::FLOATINGPOINT_DIV, {nearest(), x[0], x[1]});
    case Kind::FSqrt:
      return s.mkTerm(c5::FLOATINGPOINT_SQRT, {nearest(), x[0]});
    case Kind::FFma:
      return s.mkTerm(c5::FLOATINGPOINT_FMA, {nearest(), x[0], x[1], x[2]});
    default:
      return s.mkTerm(c5::FLOATINGPOINT_RTI, {mode(parameter), x[0]});
    }
  }
};

class Cvc5Solver : public Solver {
public:
  explicit Cvc5Solver(Terms& terms) : t_(terms) {}
  std::string name() const override { return "cvc5"; }

  Answer check(const Request& request) override {
    try {
      return ask(request);
    } catch (const std::exception& e) { // CVC5ApiException, LogicException and std::bad_alloc among them
      return {Answer::Unknown, {}, {}, std::string("cvc5: ") + e.what()};
    }
  }

private:
  Answer ask(const Request& request) {
    auto start = std::chrono::steady_clock::now();
    c5::Solver solver;
    Cvc5Backend backend{solver};
    Translator<Cvc5Backend> translator(t_, backend);
    std::vector<c5::Term> conditions;
    for (Term x : request.conditions) conditions.push_back(translator.translate(x));
    auto spent =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
    if (spent.count() >= request.milliseconds) return {Answer::Unknown, {}, {}, "timeout"};
    solver.setLogic("QF_BVFP");
    solver.setOption("tlimit-per", std::to_string(request.milliseconds - spent.count()));
    solver.setOption("produce-unsat-cores", "true");
    solver.setOption("simplification",
                     "none"); // else one conjunct is solved away and the core names the rest
    if (backend.usesHalf) solver.setOption("fp-exp", "true"); // other formats than float and double
    if (request.wantsModel) solver.setOption("produce-models", "true");
    for (const c5::Term& d : backend.definitions) solver.assertFormula(d);
    for (const c5::Term& c : conditions) solver.assertFormula(c);
    c5::Result result = solver.checkSat();
    if (result.isUnsat()) return unsatisfiable(solver, conditions);
    if (result.isUnknown()) return {Answer::Unknown, {}, {}, reasonOf(result)};
    Answer answer{Answer::Satisfiable, {}, {}, {}};
    for (Term condition : request.conditions)
      for (Term x : request.wantsModel ? t_.variables(condition) : std::vector<Term>())
        if (!answer.model.count(x))
          answer.model.emplace(x, number(solver.getValue(translator.translate(x)), x));
    return answer;
  }

  static std::string reasonOf(const c5::Result& result) {
    c5::UnknownExplanation why = result.getUnknownExplanation();
    bool late = why == c5::TIMEOUT || why == c5::RESOURCEOUT || why == c5::INTERRUPTED;
    return late ? "timeout" : "cvc5: " + result.toString();
  }

  static Answer unsatisfiable(const c5::Solver& solver, const std::vector<c5::Term>& conditions) {
    Answer answer{Answer::Unsatisfiable, {}, {}, {}};
    for (const c5::Term& needed : solver.getUnsatCore()) {
      auto at = std::find(conditions.begin(), conditions.end(), needed);
      if (at != conditions.end()) answer.core.push_back(uint32_t(at - conditions.begin()));
    }
    std::sort(answer.core.begin(), answer.core.end());
    return answer;
  }

  Term number(const c5::Term& value, Term x) {
    uint32_t width = t_.width(x);
    if (width == 1) return t_.bits(1, value.getBooleanValue());
    std::string digits = value.getBitVectorValue(2); // highest first
    std::vector<uint64_t> words((width + 63) / 64, 0);
    for (uint32_t k = 0; k < width && k < digits.size(); ++k)
      if (digits[digits.size() - 1 - k] == '1') words[k / 64] |= uint64_t(1) << (k % 64);
    return t_.constant(width, words);
  }

  Terms& t_;
};

} // namespace

std::unique_ptr<Solver> newCvc5(Terms& terms) { return std::make_unique<Cvc5Solver>(terms); }

} // namespace faultline::logic

// Z3 in this process. Terms are translated once for all requests; every request has a solver of its own.
#include "logic/solvers/table.h"
#include "logic/translate.h"

#include <algorithm>
#include <chrono>
#include <z3++.h>

namespace faultline::logic {

namespace {

struct Z3Backend {
  using Expression = z3::expr;
  z3::context& c;

  z3::expr wrap(Z3_ast ast) {
    c.check_error();
    return z3::expr(c, ast);
  }
  z3::expr truth(bool value) { return c.bool_val(value); }
  z3::expr number(uint32_t width, uint64_t value) {
    if (width < 64) value &= (uint64_t(1) << width) - 1;
    return c.bv_val(value, width);
  }
  z3::expr constant(uint32_t width, std::span<const uint64_t> words) {
    if (width <= 64) return c.bv_val(words[0], width);
    z3::expr out = number(width % 64 ? width % 64 : 64, words.back());
    for (size_t k = words.size() - 1; k-- > 0;) out = z3::concat(out, number(64, words[k]));
    return out;
  }
  z3::expr variable(Term x, uint32_t width) {
    std::string name = "v" + std::to_string(x.id);
    return width == 1 ? c.bool_const(name.c_str()) : c.bv_const(name.c_str(), width);
  }
  z3::expr choose(const z3::expr& p, const z3::expr& a, const z3::expr& b) { return z3::ite(p, a, b); }
  z3::expr equal(const z3::expr& a, const z3::expr& b) { return a == b; }
  z3::expr negate(const z3::expr& a) { return !a; }
  z3::expr invert(const z3::expr& a) { return ~a; }
  z3::expr logical(Kind kind, const z3::expr& a, const z3::expr& b) {
    return kind == Kind::And ? a && b : kind == Kind::Or ? a || b : a != b;
  }
  z3::expr arithmetic(Kind kind, const z3::expr& a, const z3::expr& b) {
    switch (kind) {
    case Kind::Add:
      return a + b;
    case Kind::Sub:
      return a - b;
    case Kind::Mul:
      return a * b;
    case Kind::UDiv:
      return z3::udiv(a, b);
    case Kind::SDiv:
      return a / b;
    case Kind::URem:
      return z3::urem(a, b);
    case Kind::SRem:
      return z3::srem(a, b);
    case Kind::Shl:
      return z3::shl(a, b);
    case Kind::LShr:
      return z3::lshr(a, b);
    case Kind::AShr:
      return z3::ashr(a, b);
    case Kind::And:
      return a & b;
    case Kind::Or:
      return a | b;
    default:
      return a ^ b;
    }
  }
  z3::expr compare(Kind kind, const z3::expr& a, const z3::expr& b) {
    switch (kind) {
    case Kind::ULess:
      return z3::ult(a, b);
    case Kind::ULessEqual:
      return z3::ule(a, b);
    case Kind::SLess:
      return z3::slt(a, b);
    default:
      return z3::sle(a, b);
    }
  }
  z3::expr concat(const z3::expr& high, const z3::expr& low) { return z3::concat(high, low); }
  z3::expr extract(const z3::expr& a, uint32_t from, uint32_t width) {
    return a.extract(from + width - 1, from);
  }
  z3::expr extend(const z3::expr& a, uint32_t, uint32_t by, bool isSigned) {
    return isSigned ? z3::sext(a, by) : z3::zext(a, by);
  }

  z3::sort format(uint32_t width) {
    return width == 16 ? c.fpa_sort(5, 11) : width == 32 ? c.fpa_sort(8, 24) : c.fpa_sort(11, 53);
  }
  z3::expr mode(uint64_t how) {
    switch (Rounding(how)) {
    case Rounding::Floor:
      return wrap(Z3_mk_fpa_rtn(c));
    case Rounding::Ceil:
      return wrap(Z3_mk_fpa_rtp(c));
    case Rounding::Trunc:
      return wrap(Z3_mk_fpa_rtz(c));
    case Rounding::NearestAway:
      return wrap(Z3_mk_fpa_rna(c));
    default:
      return wrap(Z3_mk_fpa_rne(c));
    }
  }
  z3::expr nearest() { return mode(uint64_t(Rounding::NearestEven)); }
  z3::expr floatFrom(const z3::expr& pattern, uint32_t width) {
    return wrap(Z3_mk_fpa_to_fp_bv(c, pattern, format(width)));
  }
  z3::expr floatBits(const z3::expr& f, uint32_t) { return wrap(Z3_mk_fpa_to_ieee_bv(c, f)); }
  z3::expr floatFromInteger(const z3::expr& a, uint32_t width, bool isSigned) {
    z3::sort s = format(width);
    return wrap(isSigned ? Z3_mk_fpa_to_fp_signed(c, nearest(), a, s)
                         : Z3_mk_fpa_to_fp_unsigned(c, nearest(), a, s));
  }
  z3::expr floatConvert(const z3::expr& f, uint32_t width) {
    return wrap(Z3_mk_fpa_to_fp_float(c, nearest(), f, format(width)));
  }
  z3::expr floatToSigned(const z3::expr& f, uint32_t width) {
    return wrap(Z3_mk_fpa_to_sbv(c, mode(uint64_t(Rounding::Trunc)), f, width));
  }
  z3::expr isNan(const z3::expr& f) { return wrap(Z3_mk_fpa_is_nan(c, f)); }
  z3::expr floatCompare(Kind kind, const z3::expr& a, const z3::expr& b) {
    return wrap(kind == Kind::FEqual  ? Z3_mk_fpa_eq(c, a, b)
                : kind == Kind::FLess ? Z3_mk_fpa_lt(c, a, b)
                                      : Z3_mk_fpa_leq(c, a, b));
  }
  z3::expr floating(Kind kind, const std::vector<z3::expr>& x, uint64_t parameter) {
    switch (kind) {
    case Kind::FAdd:
      return wrap(Z3_mk_fpa_add(c, nearest(), x[0], x[1]));
    case Kind::FSub:
      return wrap(Z3_mk_fpa_sub(c, nearest(), x[0], x[1]));
    case Kind::FMul:
      return wrap(Z3_mk_fpa_mul(c, nearest(), x[0], x[1]));
    case Kind::FDiv:
      return wrap(Z3_mk_fpa_div(c, nearest(), x[0], x[1]));
    case Kind::FSqrt:
      return wrap(Z3_mk_fpa_sqrt(c, nearest(), x[0]));
    case Kind::FFma:
      return wrap(Z3_mk_fpa_fma(c, nearest(), x[0], x[1], x[2]));
    default:
      return wrap(Z3_mk_fpa_round_to_integral(c, mode(parameter), x[0]));
    }
  }
};

class Z3Solver : public Solver {
public:
  explicit Z3Solver(Terms& terms) : t_(terms), backend_{c_}, translator_(terms, backend_) {}
  std::string name() const override { return "z3"; }

  Answer check(const Request& request) override {
    try {
      return ask(request);
    } catch (const z3::exception& e) {
      return {Answer::Unknown, {}, {}, std::string("z3: ") + e.msg()};
    } catch (const std::bad_alloc&) {
      return {Answer::Unknown, {}, {}, "z3: out of memory"};
    }
  }

private:
  using Clock = std::chrono::steady_clock;

  // Two ways to ask. With names, it tells which conditions were needed, but equations among them are not
  // solved beforehand, and products and floats then take too long. So numbers are tried with names first,
  // floats without.
  Answer ask(const Request& request) {
    auto end = Clock::now() + std::chrono::milliseconds(request.milliseconds);
    auto left = [&] {
      return std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    };
    std::vector<z3::expr> conditions;
    bool floats = false;
    for (Term x : request.conditions) {
      conditions.push_back(translator_.translate(x));
      floats |= t_.hasFloat(x);
    }
    Answer answer =
        floats ? plain(request, conditions, left(), true) : named(request, conditions, left() / 2);
    if (floats && answer.kind == Answer::Unsatisfiable) {
      Answer other = named(request, conditions, left() / 2);
      if (other.kind == Answer::Unsatisfiable) return other;
    }
    if (!floats && answer.kind == Answer::Unknown) return plain(request, conditions, left(), false);
    return answer;
  }

  Answer named(const Request& request, const std::vector<z3::expr>& conditions, int64_t milliseconds) {
    z3::solver solver(c_, "QF_BV");
    z3::expr_vector names(c_);
    for (size_t k = 0; k < conditions.size(); ++k) {
      names.push_back(c_.bool_const(("c" + std::to_string(k)).c_str()));
      solver.add(z3::implies(names[unsigned(k)], conditions[k]));
    }
    if (!limit(solver, milliseconds)) return {Answer::Unknown, {}, {}, "timeout"};
    z3::check_result result = solver.check(names);
    Answer answer = answerOf(request, solver, result);
    if (answer.kind != Answer::Unsatisfiable) return answer;
    z3::expr_vector core = solver.unsat_core();
    answer.core.clear();
    for (unsigned k = 0; k < core.size(); ++k)
      answer.core.push_back(uint32_t(std::stoul(core[int(k)].decl().name().str().substr(1))));
    std::sort(answer.core.begin(), answer.core.end());
    return answer;
  }

  Answer plain(const Request& request, const std::vector<z3::expr>& conditions, int64_t milliseconds,
               bool floats) {
    z3::solver solver = z3::tactic(c_, floats ? "qffpbv" : "qfbv").mk_solver();
    for (const z3::expr& x : conditions) solver.add(x);
    if (!limit(solver, milliseconds)) return {Answer::Unknown, {}, {}, "timeout"};
    return answerOf(request, solver, solver.check());
  }

  bool limit(z3::solver& solver, int64_t milliseconds) {
    if (milliseconds <= 0) return false;
    z3::params parameters(c_);
    parameters.set("timeout", unsigned(milliseconds));
    solver.set(parameters);
    return true;
  }

  // Unsatisfiable: all conditions, until it is known which.
  Answer answerOf(const Request& request, z3::solver& solver, z3::check_result result) {
    if (result == z3::sat) return satisfiable(request, solver);
    if (result == z3::unknown) return unknown(solver.reason_unknown());
    Answer answer{Answer::Unsatisfiable, {}, {}, {}};
    for (uint32_t k = 0; k < request.conditions.size(); ++k) answer.core.push_back(k);
    return answer;
  }

  Answer unknown(const std::string& reason) {
    bool late =
        reason == "timeout" || reason == "canceled" || reason.find("interrupted") != std::string::npos;
    return {Answer::Unknown, {}, {}, late ? "timeout" : "z3: " + reason};
  }

  Answer satisfiable(const Request& request, z3::solver& solver) {
    Answer answer{Answer::Satisfiable, {}, {}, {}};
    if (!request.wantsModel) return answer;
    z3::model model = solver.get_model();
    for (Term condition : request.conditions)
      for (Term x : t_.variables(condition))
        if (!answer.model.count(x)) answer.model.emplace(x, valueIn(model, x));
    return answer;
  }

  Term valueIn(z3::model& model, Term x) {
    z3::expr value = model.eval(translator_.translate(x), true);
    uint32_t width = t_.width(x);
    if (width == 1) return t_.bits(1, value.is_true());
    std::vector<uint64_t> words;
    for (uint32_t from = 0; from < width; from += 64) {
      uint32_t n = std::min(width - from, 64u);
      words.push_back(value.extract(from + n - 1, from).simplify().get_numeral_uint64());
    }
    return t_.constant(width, words);
  }

  Terms& t_;
  z3::context c_;
  Z3Backend backend_;
  Translator<Z3Backend> translator_;
};

} // namespace

std::unique_ptr<Solver> newZ3(Terms& terms) { return std::make_unique<Z3Solver>(terms); }

} // namespace faultline::logic

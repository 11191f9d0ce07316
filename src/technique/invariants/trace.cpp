#include "technique/invariants/trace.h"

#include "technique/invariants/reduce.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

namespace faultline::technique {

using depend::Executed;
using fir::Op;
using logic::Definition;
using logic::Kind;
using logic::Term;

namespace {

constexpr uint64_t kPlace = uint64_t(1) << 61; // tags of variables that stand for places

// Unoptimised code copies each argument to a variable of its own first thing.
bool isParameter(const Executed& x) {
  if (x.instruction->op != Op::StoreVar && x.instruction->op != Op::Store) return false;
  fir::Operand o = x.image->operandsOf(*x.instruction)[1];
  if (fir::operandKind(o) != fir::OperandKind::Word) return false;
  for (const fir::Argument& a : x.image->argumentsOf(x.image->functions[x.function]))
    if (a.word == fir::operandIndex(o)) return true;
  return false;
}

struct Statement { // what instances of one statement have in common
  uint32_t thread = 0, depth = 0, module = 0, function = 0, line = 0;
  bool isParameter = false;
  bool operator==(const Statement&) const = default;
};

Statement statementOf(const Executed& x) {
  uint32_t line = x.image->locations[x.instruction->location].line;
  if (isParameter(x)) return {x.thread, x.depth, x.module, x.function, 0, true};
  return {x.thread, x.depth, x.module, x.function, line, false};
}

int telling(Op op) {
  switch (op) {
  case Op::StoreVar:
  case Op::Store:
    return 5;
  case Op::Call:
  case Op::Copy:
  case Op::Fill:
    return 4;
  case Op::Ret:
    return 3;
  case Op::CondBr:
  case Op::Switch:
    return 2;
  default:
    return 1;
  }
}

class Walk {
public:
  Walk(logic::InstanceTerms& terms, logic::Solver& solver, logic::Solver* checker,
       const InvariantOptions& options)
      : instances_(terms), t_(terms.terms()), solver_(solver), checker_(checker), options_(options) {}

  Result<InvariantTrace> run(std::optional<Term> condition, uint64_t time) {
    trace_.time = time;
    if (!condition) {
      FL_TRY(decided, decidedBy(time));
      condition = decided;
    }
    addAll(*condition, current_);
    wish_ = t_.negate(*condition);
    FL_CHECK(failingStatement());
    while (true) {
      std::optional<Term> next = latest();
      if (!next) break;
      if (trace_.steps.size() >= options_.mostSteps ||
          (options_.watch && !options_.watch(trace_.steps.size()))) {
        trace_.isComplete = false;
        break;
      }
      FL_CHECK(statement(*next));
    }
    checkEnough();
    std::reverse(trace_.steps.begin(), trace_.steps.end());
    trace_.instances = defined_.size();
    trace_.holds = t_.negate(wish_);
    trace_.definitions = std::move(defined_);
    std::sort(trace_.definitions.begin(), trace_.definitions.end(), [&](const auto& a, const auto& b) {
      return std::pair(instances_.timeOf(a.first), a.first.id) <
             std::pair(instances_.timeOf(b.first), b.first.id);
    });
    trace_.definitions.erase(std::unique(trace_.definitions.begin(), trace_.definitions.end()),
                             trace_.definitions.end());
    return std::move(trace_);
  }

private:
  // A loop may stand in one line, and be one statement: its rounds would become one condition, which grows
  // with each.
  static constexpr size_t kMostInstances = 400, kMostDecisions = 16;

  // The decision, nearest to the instance, that let it be executed, and others of the same statement (a &&
  // b).
  Result<Term> decidedBy(uint64_t time) {
    std::optional<Term> all;
    Statement which;
    size_t count = 0;
    for (uint64_t at = time; at != depend::kNoInstance && count < kMostDecisions; ++count) {
      FL_TRY(by, instances_.instances().control(at));
      if (by == depend::kNoInstance) break;
      FL_TRY(x, instances_.instances().at(by));
      if (all && statementOf(x) != which) break;
      Definition passed;
      FL_TRY(decision, instances_.decision(by, passed));
      if (decision && !t_.isConstant(*decision)) {
        if (!all) trace_.time = by, which = statementOf(x);
        all = all ? t_.both(*all, *decision) : *decision;
      }
      at = by;
    }
    if (all) return *all;
    return errorf(
        "no decision of the program led to the failure, and no value is known that did: ask about one, "
        "with --at FILE:LINE:EXPRESSION");
  }

  void addAll(Term condition, std::vector<Term>& to) const {
    std::vector<Term> open = {condition};
    while (!open.empty()) {
      Term x = open.back();
      open.pop_back();
      if (t_.kind(x) == Kind::And && t_.width(x) == 1) {
        open.push_back(t_.operands(x)[1]);
        open.push_back(t_.operands(x)[0]);
      } else if (!t_.isTrue(x) && std::find(to.begin(), to.end(), x) == to.end()) {
        to.push_back(x);
      }
    }
  }

  std::optional<Term> latest() {
    std::optional<Term> found;
    uint64_t last = 0;
    for (Term c : current_)
      for (Term v : t_.variables(c)) {
        uint64_t time = instances_.timeOf(v);
        if (time != depend::kNoInstance && (!found || time > last)) found = v, last = time;
      }
    return found;
  }

  // What the failing statement itself computed is part of the failure.
  Result<void> failingStatement() {
    FL_TRY(x, instances_.instances().at(trace_.time));
    InvariantStep none;
    for (std::optional<Term> next = latest(); next && none.instances < kMostInstances; next = latest()) {
      FL_TRY(made, instances_.instances().at(instances_.timeOf(*next)));
      if (statementOf(made) != statementOf(x)) break;
      ++none.instances;
      FL_CHECK(goBack(*next, made, none));
    }
    none.time = trace_.time;
    if (options_.decisions) FL_CHECK(addDecision(none));
    FL_CHECK(reduce(none, options_.asValues));
    trace_.failure = current_;
    FL_TRY(key, keyOf(current_));
    seen_.emplace(std::move(key), 0);
    return {};
  }

  // One statement: everything of it that made what the invariant speaks of.
  Result<void> statement(Term first) {
    FL_TRY(x, instances_.instances().at(instances_.timeOf(first)));
    Statement which = statementOf(x);
    InvariantStep step;
    FL_CHECK(goBackOver(which, step));
    if (which.isParameter) { // the call, and what computed its arguments
      FL_TRY(call, instances_.instances().caller(step.time));
      if (call != depend::kNoInstance) {
        FL_TRY(calling, instances_.instances().at(call));
        step.passesArguments = true;
        FL_CHECK(goBackOver(statementOf(calling), step));
        step.time = call;
        step.count = 1;
      }
    }
    if (options_.decisions) FL_CHECK(addDecision(step));
    step.isEnough = true;
    FL_CHECK(reduce(step));
    FL_CHECK(checkImplied(step));
    step.before = current_;
    step.defined = defined_.size();
    FL_TRY(key, keyOf(current_));
    if (auto same = seen_.find(key); same != seen_.end()) {
      // The same holds of the same variables as after a later statement: what lies between does not matter.
      trace_.dropped += trace_.steps.size() - same->second + 1;
      for (auto it = seen_.begin(); it != seen_.end();)
        it = it->second > same->second ? seen_.erase(it) : std::next(it);
      trace_.steps.resize(same->second);
      if (!trace_.steps.empty()) {
        trace_.steps.back().before = current_;
        trace_.steps.back().defined = defined_.size();
        trace_.steps.back().isEnough &= step.isEnough;
      }
      return {};
    }
    trace_.steps.push_back(std::move(step));
    seen_.emplace(std::move(key), trace_.steps.size());
    return {};
  }

  // As long as what was made last was made by this statement.
  Result<void> goBackOver(const Statement& which, InvariantStep& step) {
    int told = 0;
    uint32_t id = fir::kNone;
    for (std::optional<Term> next = latest(); next && step.instances < kMostInstances; next = latest()) {
      FL_TRY(made, instances_.instances().at(instances_.timeOf(*next)));
      if (statementOf(made) != which) break;
      if (telling(made.instruction->op) > told) {
        told = telling(made.instruction->op);
        step.time = made.time;
        step.count = 0;
        id = made.id;
      }
      step.count += made.id == id;
      step.first = made.time;
      ++step.instances;
      FL_CHECK(goBack(*next, made, step));
    }
    return {};
  }

  Result<void> addDecision(const InvariantStep& step) {
    FL_TRY(by, instances_.instances().control(step.time));
    if (by == depend::kNoInstance) return {};
    Definition passed;
    FL_TRY(decision, instances_.decision(by, passed));
    if (!decision) return {};
    FL_TRY(branch, instances_.instances().at(by));
    Statement which = statementOf(branch);
    Term condition = *decision;
    for (bool more = true; more;) { // what the branch's own statement computed is part of the decision
      more = false;
      for (Term v : t_.variables(condition)) {
        uint64_t time = instances_.timeOf(v);
        if (time == depend::kNoInstance) continue;
        FL_TRY(x, instances_.instances().at(time));
        if (statementOf(x) != which || telling(x.instruction->op) > 2) continue;
        FL_TRY(definition, instances_.define(v));
        defined_.push_back({v, definition->value});
        condition = t_.substitute(condition, {{v, definition->value}});
        more = true;
        break;
      }
    }
    FL_TRY(placed, withoutPlaces(condition));
    addAll(placed, current_);
    return {};
  }

  // The invariant as one about places: variables in frames and in memory.
  Result<std::vector<uint32_t>> keyOf(const std::vector<Term>& conditions) {
    logic::Terms::Map map;
    for (Term c : conditions)
      for (Term v : t_.variables(c)) {
        if (map.contains(v)) continue;
        FL_TRY(place, placeOf(v));
        if (place) map.emplace(v, *place);
      }
    std::vector<uint32_t> key;
    for (Term c : conditions) key.push_back(t_.substitute(c, map).id);
    std::sort(key.begin(), key.end());
    return key;
  }

  Result<std::optional<Term>> placeOf(Term variable) {
    FL_TRY(x, instances_.instances().at(instances_.timeOf(variable)));
    std::array<uint64_t, 3> place = {};
    if (x.time != t_.parameter(variable)) return std::optional<Term>();
    if (x.instruction->op == Op::StoreVar) {
      FL_TRY(call, instances_.instances().caller(x.time));
      place = {call, uint64_t(x.thread) << 32 | x.depth,
               fir::operandIndex(x.image->operandsOf(*x.instruction)[0])};
    } else if (x.instruction->op == Op::Store) {
      FL_TRY(access, instances_.instances().access(x.time));
      if (!access) return std::optional<Term>();
      place = {~uint64_t(0), access->size, access->address};
    } else {
      return std::optional<Term>();
    }
    auto number = places_.try_emplace(place, places_.size()).first->second;
    return std::optional(t_.variable(t_.width(variable), kPlace | number));
  }

  Result<void> goBack(Term variable, const Executed& x, InvariantStep& step) {
    FL_TRY(definition, instances_.define(variable));
    defined_.push_back({variable, definition->value});
    if (definition->isOpaque &&
        std::find(step.opaque.begin(), step.opaque.end(), definition->opaque) == step.opaque.end())
      step.opaque.push_back(definition->opaque);
    step.leaves.insert(step.leaves.end(), definition->leaves.begin(), definition->leaves.end());
    std::vector<Term> before;
    logic::Terms::Map map = {{variable, definition->value}};
    for (Term c : current_) {
      FL_TRY(next, withoutPlaces(t_.substitute(c, map)));
      addAll(next, before);
    }
    if (options_.addresses && (x.instruction->op == Op::Load || x.instruction->op == Op::Store)) {
      FL_TRY(access, instances_.instances().access(x.time));
      Definition passed;
      FL_TRY(address, instances_.operand(x.time, 0, passed));
      if (access && address) {
        FL_TRY(there, withoutPlaces(t_.equal(address, t_.bits(64, access->address))));
        addAll(there, before);
      }
    }
    current_ = std::move(before);
    return {};
  }

  // Where the variables of a function lie is as it is: nothing that a program computes.
  Result<Term> withoutPlaces(Term condition) {
    logic::Terms::Map map;
    for (Term v : t_.variables(condition)) {
      uint64_t time = instances_.timeOf(v);
      if (time == depend::kNoInstance) continue;
      FL_TRY(x, instances_.instances().at(time));
      if (x.instruction->op != Op::Alloca && x.instruction->op != Op::ThreadLocal) continue;
      FL_TRY(value, instances_.valueOf(v));
      map.emplace(v, value);
    }
    return map.empty() ? condition : t_.substitute(condition, map);
  }

  bool standsForAnything(Term condition) {
    for (Term v : t_.variables(condition))
      if (instances_.timeOf(v) == depend::kNoInstance) return true;
    return false;
  }

  // Conditions that are too large, or outside of the theory, become values.
  Result<void> reduce(InvariantStep& step, bool all = false) {
    std::vector<Term> small;
    for (Term c : current_) {
      if (!all && !standsForAnything(c) &&
          operationsIn(t_, c, options_.mostNodes + 1) <= options_.mostNodes) {
        addAll(c, small);
        continue;
      }
      ++trace_.reductions;
      FL_TRY(values, reduceToValues(instances_, solver_, checker_, c, options_.checkMilliseconds));
      trace_.solverCalls += values.solverCalls;
      if (!values.isChecked) step.isEnough = false;
      if (!values.doubt.empty()) step.doubt = values.doubt;
      for (Term v : values.conditions) addAll(v, small);
    }
    current_ = simplified(std::move(small));
    return {};
  }

  // x == 3 makes every other condition about x alone superfluous, as far as it is the same value that they
  // allow.
  std::vector<Term> simplified(std::vector<Term> conditions) {
    logic::Terms::Map known;
    for (Term c : conditions)
      if (t_.kind(c) == Kind::Equal && t_.isVariable(t_.operands(c)[0]) && t_.isConstant(t_.operands(c)[1]))
        known.emplace(t_.operands(c)[0], t_.operands(c)[1]);
    std::vector<Term> kept;
    for (Term c : conditions) {
      bool isKnown = t_.kind(c) == Kind::Equal && known.contains(t_.operands(c)[0]);
      addAll(isKnown ? c : t_.substitute(c, known), kept);
    }
    return kept;
  }

  // Checked both ways: the recorded state has it ...
  Result<void> checkImplied(InvariantStep& step) {
    step.isImplied = true;
    for (Term c : current_) {
      Result<void> failed;
      Term value = t_.evaluate(c, [&](Term v) {
        auto was = instances_.valueOf(v);
        if (was) return *was;
        failed = was.error();
        return t_.zeroExtend(t_.no(), t_.width(v));
      });
      FL_CHECK(failed);
      if (!t_.isTrue(value)) step.isImplied = false;
    }
    if (!step.isImplied) step.doubt = "the recorded state contradicts it";
    return {};
  }

  // Unsatisfiable for both solvers; nothing: not decided.
  std::optional<bool> excludes(std::vector<Term> all) {
    ++trace_.solverCalls;
    logic::Answer answer = solver_.check({all, false, options_.checkMilliseconds});
    if (answer.kind == logic::Answer::Unsatisfiable && checker_) {
      std::vector<Term> core;
      for (uint32_t n : answer.core) core.push_back(all[n]);
      answer = checker_->check({core, false, options_.checkMilliseconds});
    }
    if (answer.kind == logic::Answer::Unknown) return std::nullopt;
    return answer.kind == logic::Answer::Unsatisfiable;
  }

  // ... and with it, and what was executed up to the next, the next cannot be avoided; nor, after the last,
  // the failure. The steps were made so; this asks solvers that know nothing of how. Of the first step, all
  // that follows is asked about as a whole.
  void checkEnough() {
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.checksMilliseconds);
    auto add = [&](std::vector<Term>& to, size_t from, size_t until) {
      for (size_t k = from; k < until; ++k) to.push_back(t_.equal(defined_[k].first, defined_[k].second));
    };
    bool rest = true; // all later ones are enough
    for (size_t n = 0; n < trace_.steps.size(); ++n) {
      InvariantStep& step = trace_.steps[n];
      std::vector<Term> all = step.before;
      const size_t from = n ? trace_.steps[n - 1].defined : 0;
      // Rounds of a loop that were dropped may lie between: solvers take minutes, whatever time they are
      // given.
      const bool isLong = step.defined - from > options_.mostChecked;
      if (!isLong) add(all, from, step.defined);
      Term next = t_.yes();
      for (Term c : n ? trace_.steps[n - 1].before : std::vector{t_.negate(wish_)}) next = t_.both(next, c);
      all.push_back(t_.negate(next));
      if (!isLong && std::chrono::steady_clock::now() < end)
        if (auto isEnough = excludes(std::move(all))) {
          step.isEnough = *isEnough, step.isAsked = true;
          if (!*isEnough) step.doubt = "a solver knows a way from it that does not fail";
        }
      rest &= step.isEnough;
      step.isEnough = rest;
    }
    if (trace_.steps.empty() || trace_.steps.back().defined > options_.mostChecked) return;
    std::vector<Term> all = trace_.steps.back().before;
    add(all, 0, trace_.steps.back().defined);
    all.push_back(wish_);
    if (excludes(std::move(all)) == std::optional(false)) {
      trace_.steps.back().isEnough = false;
      trace_.steps.back().doubt = "a solver knows a way from it that does not fail";
    }
  }

  logic::InstanceTerms& instances_;
  logic::Terms& t_;
  logic::Solver& solver_;
  logic::Solver* checker_;
  const InvariantOptions& options_;
  InvariantTrace trace_;
  std::vector<Term> current_; // holds before everything in `defined_`
  std::vector<std::pair<Term, Term>> defined_;
  std::map<std::array<uint64_t, 3>, uint64_t> places_;
  std::map<std::vector<uint32_t>, size_t> seen_; // invariants, and how many steps there were then
  Term wish_;
};

} // namespace

Result<InvariantTrace> traceInvariants(logic::InstanceTerms& terms, logic::Solver& solver,
                                       logic::Solver* checker, std::optional<Term> condition, uint64_t time,
                                       const InvariantOptions& options) {
  return Walk(terms, solver, checker, options).run(condition, time);
}

} // namespace faultline::technique

#include "technique/causes/cause.h"

#include <algorithm>
#include <ctime>
#include <queue>
#include <unordered_set>

namespace faultline::technique {

using logic::Definition;
using logic::Term;

namespace {

// After so many steps it is asked whether the wish can still hold; whoever needs more is led to the end.
constexpr size_t kChecked[] = {4, 32, 256};
constexpr size_t kMostDecisions = 20'000;
constexpr size_t kSameBranch = 4;
// So many executions of one instruction tell what a loop does with a value; the others are followed to where
// it came from, without a formula.
constexpr size_t kSameInstruction = 1000;

} // namespace

// What the wish speaks of, as it goes back: the latest is taken first.
struct CauseFinder::Walk {
  struct Later {
    bool operator()(const std::pair<uint64_t, Term>& a, const std::pair<uint64_t, Term>& b) const {
      return std::pair(a.first, a.second.id) < std::pair(b.first, b.second.id);
    }
  };
  std::priority_queue<std::pair<uint64_t, Term>, std::vector<std::pair<uint64_t, Term>>, Later> open = {};
  std::vector<std::pair<uint64_t, Term>> taken = {};
  std::unordered_map<uint32_t, uint32_t> distances = {};
  std::unordered_map<uint32_t, uint64_t> executions = {}; // of an instruction, taken or skipped
  std::unordered_set<uint64_t> skipped = {};
  uint64_t lastWindow = 0; // of all that may be made
  bool isCut = false;
  void add(logic::InstanceTerms& instances, Term t, uint32_t distance) {
    for (Term v : instances.terms().variables(t)) {
      uint64_t time = instances.timeOf(v);
      if (time == depend::kNoInstance) continue;
      auto [it, isNew] = distances.try_emplace(v.id, distance);
      it->second = std::min(it->second, distance);
      if (isNew) open.push({time, v});
    }
  }
};

bool CauseFinder::isFar(Walk& walk) {
  walk.isCut |= instances_.instances().windowsMade() >= walk.lastWindow;
  return walk.isCut;
}

Result<void> CauseFinder::follow(Walk& walk, size_t steps) {
  while (walk.taken.size() < steps && !walk.open.empty() && !isFar(walk)) {
    auto next = walk.open.top();
    walk.open.pop();
    FL_TRY(x, instances_.instances().at(next.first));
    FL_TRY(isMore, isRepeated(walk, x));
    if (isMore) {
      FL_CHECK(skipRepeated(walk, next.first, walk.distances[next.second.id]));
      continue;
    }
    FL_TRY(definition, instances_.define(next.second));
    walk.taken.push_back(next);
    // A loop is one step, however often it went round.
    bool isFirst = walk.executions[x.id]++ == 0;
    bool isStep = isFirst && (x.instruction->op == fir::Op::StoreVar || x.instruction->op == fir::Op::Store ||
                              x.instruction->op == fir::Op::Ret || x.instruction->op == fir::Op::Call);
    walk.add(instances_, definition->value, walk.distances[next.second.id] + isStep);
  }
  return {};
}

// Whether enough executions of the instruction were taken, and this one is easily followed.
Result<bool> CauseFinder::isRepeated(const Walk& walk, const depend::Executed& x) {
  auto it = walk.executions.find(x.id);
  if (it == walk.executions.end() || it->second < kSameInstruction) return false;
  using fir::Op;
  switch (x.instruction->op) {
  case Op::Call:
  case Op::Ret:
  case Op::Copy:
  case Op::Fill:
  case Op::Phi:
  case Op::AtomicRMW:
  case Op::CmpXchg:
    return false;
  case Op::Load: {
    FL_TRY(pieces, instances_.instances().loaded(x.time));
    for (const depend::OriginPiece& p : pieces) {
      if (p.origin.kind != depend::Origin::Made) return false;
      FL_TRY(maker, instances_.instances().at(p.origin.time));
      if (maker.instruction->op != Op::Store) return false;
    }
    return true;
  }
  default: // what the caller passed is followed by who knows calls
    for (uint32_t k = 0; k < x.instruction->operandCount; ++k) {
      FL_TRY(origin, instances_.instances().operand(x.time, k));
      if (origin.kind == depend::Origin::Argument) return false;
    }
    return true;
  }
}

Result<void> CauseFinder::skipRepeated(Walk& walk, uint64_t time, uint32_t distance) {
  std::vector<uint64_t> open{time};
  while (!open.empty() && walk.skipped.size() < options_.mostRepeated && !isFar(walk)) {
    uint64_t at = open.back();
    open.pop_back();
    if (!walk.skipped.insert(at).second) continue;
    FL_TRY(x, instances_.instances().at(at));
    FL_TRY(isMore, isRepeated(walk, x));
    if (!isMore) {
      FL_TRY(variable, instances_.made(at));
      walk.add(instances_, variable, distance);
      continue;
    }
    ++walk.executions[x.id];
    if (x.instruction->op == fir::Op::Load) {
      FL_TRY(pieces, instances_.instances().loaded(at));
      for (const depend::OriginPiece& p : pieces) open.push_back(p.origin.time);
      continue;
    }
    for (uint32_t k = x.instruction->op == fir::Op::Store ? 1 : 0; k < x.instruction->operandCount; ++k) {
      FL_TRY(origin, instances_.instances().operand(at, k));
      if (origin.kind == depend::Origin::Made) open.push_back(origin.time);
    }
  }
  walk.isCut |= !open.empty();
  return {};
}

// One level of definitions, all of which are in the expansion.
Result<Term> CauseFinder::substitute(Term t, const Expansion& expansion) {
  logic::Terms::Map few;
  for (Term v : terms_.variables(t))
    if (auto it = expansion.map.find(v); it != expansion.map.end()) few.insert(*it);
  return few.empty() ? t : terms_.substitute(t, few);
}

Result<Term> CauseFinder::expand(Term t, Expansion& expansion, std::set<uint64_t>* used) {
  std::vector<Term> cone;
  std::unordered_set<uint32_t> seen;
  auto add = [&](Term of) {
    for (Term v : terms_.variables(of)) {
      uint64_t time = instances_.timeOf(v);
      if (time == depend::kNoInstance || time < expansion.from || !seen.insert(v.id).second) continue;
      if (used || !expansion.map.contains(v)) cone.push_back(v);
    }
  };
  add(t);
  for (size_t k = 0; k < cone.size(); ++k) {
    FL_TRY(definition, instances_.define(cone[k]));
    if (used) used->insert(instances_.timeOf(cone[k]));
    add(definition->value);
  }
  std::sort(cone.begin(), cone.end(),
            [&](Term a, Term b) { return instances_.timeOf(a) < instances_.timeOf(b); });
  for (Term v : cone) {
    if (expansion.map.contains(v)) continue;
    FL_TRY(definition, instances_.define(v));
    FL_TRY(term, substitute(definition->value, expansion));
    expansion.map.emplace(v, term);
  }
  return substitute(t, expansion);
}

// Branches between `from` and the wish, the latest first; of one branch only its last executions.
Result<std::vector<uint64_t>> CauseFinder::decisionsNear(const Wish& wish, uint64_t from) {
  std::vector<uint64_t> found;
  std::unordered_map<uint32_t, size_t> same;
  size_t scanned = 0;
  FL_CHECK(instances_.instances().branches(from, wish.time, [&](uint64_t time, uint32_t id, uint32_t) {
    if (same[id]++ < kSameBranch) found.push_back(time);
    return found.size() < options_.mostDecisions && ++scanned < kMostDecisions;
  }));
  return found;
}

Result<uint64_t> CauseFinder::evaluationStart(uint64_t branch) {
  Definition passed;
  FL_TRY(decided, instances_.decision(branch, passed));
  uint64_t first = branch;
  std::vector<Term> open;
  if (decided) open.push_back(*decided);
  std::unordered_set<uint32_t> seen;
  while (!open.empty()) {
    Term t = open.back();
    open.pop_back();
    for (Term v : terms_.variables(t)) {
      uint64_t time = instances_.timeOf(v);
      if (time == depend::kNoInstance || !seen.insert(v.id).second) continue;
      FL_TRY(x, instances_.instances().at(time));
      using fir::Op;
      Op op = x.instruction->op;
      if (op == Op::StoreVar || op == Op::Store || op == Op::Ret || op == Op::Call || op == Op::Copy ||
          op == Op::Fill)
        continue; // a statement of its own
      first = std::min(first, time);
      FL_TRY(definition, instances_.define(v));
      open.push_back(definition->value);
    }
  }
  return first;
}

// Conditions that some simple change of what was recorded satisfies need no solver.
bool CauseFinder::isSatisfiedByGuess(std::span<const Term> conditions) {
  std::vector<Term> variables;
  std::unordered_set<uint32_t> seen;
  for (Term c : conditions)
    for (Term v : terms_.variables(c))
      if (seen.insert(v.id).second) variables.push_back(v);
  std::unordered_map<uint32_t, Term> recorded;
  for (Term v : variables)
    if (auto value = instances_.valueOf(v)) recorded[v.id] = *value;
  constexpr size_t kMostVariables = 12;
  for (size_t k = 0; k < variables.size() && k < kMostVariables; ++k) {
    Term v = variables[k], was = recorded[v.id];
    if (!was) continue;
    uint32_t width = terms_.width(v);
    if (width > 64) continue;
    Term one = terms_.bits(width, 1);
    Term guesses[] = {terms_.add(was, one),
                      terms_.binary(logic::Kind::Sub, was, one),
                      terms_.bits(width, 0),
                      one,
                      terms_.binary(logic::Kind::Sub, terms_.bits(width, 0), one),
                      terms_.bits(width, 0x5a5a1234)};
    for (Term guess : guesses) {
      bool all = std::all_of(conditions.begin(), conditions.end(), [&](Term c) {
        return terms_.isTrue(terms_.evaluate(c, [&](Term x) { return x == v ? guess : recorded[x.id]; }));
      });
      if (all) return true;
    }
  }
  return false;
}

Result<bool> CauseFinder::isContradiction(const Wish& wish, uint64_t from, bool wantsCore, Cause& cause) {
  Expansion expansion{from};
  FL_TRY(condition, expand(wish.condition, expansion));
  cause.core = {condition};
  cause.decisions.clear();
  if (terms_.isFalse(condition)) return true;
  if (!solver_ || terms_.isConstant(condition)) return false;
  std::vector<Term> conditions{condition};
  std::vector<uint64_t> times{wish.time};
  // Only decisions that speak, perhaps by way of others, of what the wish speaks of.
  std::unordered_set<uint32_t> spoken;
  for (Term v : terms_.variables(condition)) spoken.insert(v.id);
  FL_TRY(near, decisionsNear(wish, from));
  std::vector<std::pair<uint64_t, Term>> others;
  for (uint64_t time : near) {
    Definition passed;
    FL_TRY(decided, instances_.decision(time, passed));
    if (!decided) continue;
    FL_TRY(term, expand(*decided, expansion));
    if (!terms_.isConstant(term)) others.push_back({time, term});
  }
  for (bool more = true; more;) {
    more = false;
    for (auto& [time, term] : others) {
      if (!term) continue;
      const std::vector<Term>& variables = terms_.variables(term);
      if (std::none_of(variables.begin(), variables.end(), [&](Term v) { return spoken.contains(v.id); }))
        continue;
      for (Term v : variables) spoken.insert(v.id);
      conditions.push_back(term);
      times.push_back(time);
      term = Term{};
      more = true;
    }
  }
  if (isSatisfiedByGuess(conditions)) return false;
  ++cause.solverCalls;
  logic::Answer answer = solver_->check({conditions, false, options_.checkMilliseconds});
  if (answer.kind == logic::Answer::Unknown) cause.doubt = "a solver gave up (" + answer.reason + ")";
  if (answer.kind != logic::Answer::Unsatisfiable) return false;
  if (!wantsCore) return true;
  constexpr uint32_t kWish[] = {0};
  auto core =
      logic::minimalCore(*solver_, checker_, terms_, conditions, options_.checkMilliseconds * 15, kWish);
  if (!core) return false;
  cause.isMinimal = core->isMinimal;
  cause.isChecked = core->isChecked;
  if (!core->doubt.empty()) cause.doubt = core->doubt;
  cause.core.clear();
  for (uint32_t number : core->conditions) {
    cause.core.push_back(conditions[number]);
    if (number != 0) cause.decisions.push_back(times[number]);
  }
  std::sort(cause.decisions.rbegin(), cause.decisions.rend());
  return true;
}

Result<Cause> CauseFinder::find(const Wish& wish) {
  Cause cause;
  Walk walk;
  walk.lastWindow = instances_.instances().windowsMade() + options_.mostWindows;
  walk.add(instances_, wish.condition, 0);
  size_t end = 0; // steps after which it cannot hold; 0: none found
  size_t low = 0;
  std::clock_t start = std::clock(); // of the processor: a busy machine answers the same
  bool usesSolver = solver_ && options_.usesSolver && solverSeconds_ < options_.solverSeconds;
  if (solver_ && options_.usesSolver && !usesSolver) ++unchecked_;
  for (size_t steps : kChecked) {
    if (!usesSolver) break;
    FL_CHECK(follow(walk, steps));
    if (walk.taken.empty()) break;
    size_t have = std::min(steps, walk.taken.size());
    Cause tried;
    FL_TRY(isOver, isContradiction(wish, walk.taken[have - 1].first, false, tried));
    cause.solverCalls += tried.solverCalls;
    cause.doubt = tried.doubt;
    if (isOver) {
      end = have;
      break;
    }
    low = have;
    if (have < steps || !tried.doubt.empty()) break;
  }
  // The first point at which it cannot: from there on it never can again.
  while (end && end - low > 1) {
    size_t middle = low + (end - low) / 2;
    Cause tried;
    FL_TRY(isOver, isContradiction(wish, walk.taken[middle - 1].first, false, tried));
    cause.solverCalls += tried.solverCalls;
    (isOver ? end : low) = middle;
  }
  uint64_t from = end ? walk.taken[end - 1].first : 0;
  if (end) {
    FL_TRY(isOver, isContradiction(wish, from, true, cause));
    if (!isOver) end = 0; // a core was not found in time
  }
  // The earliest decision in the core may be enough, without what was made before it.
  while (end && !cause.decisions.empty()) {
    FL_TRY(begun, evaluationStart(cause.decisions.back()));
    if (begun <= from) break;
    Cause tried = cause;
    FL_TRY(isOver, isContradiction(wish, begun, true, tried));
    if (!isOver) break;
    from = begun;
    cause = std::move(tried);
  }
  solverSeconds_ += double(std::clock() - start) / CLOCKS_PER_SEC;
  std::set<uint64_t> instances;
  std::vector<Term> variables;
  if (end) {
    Expansion expansion{from};
    FL_TRY(checked, expand(wish.condition, expansion, &instances));
    (void)checked;
    for (uint64_t time : cause.decisions) {
      Definition passed;
      FL_TRY(decided, instances_.decision(time, passed));
      if (!decided) continue;
      FL_TRY(known, expand(*decided, expansion, &instances));
      (void)known;
      instances.insert(time);
      instances.insert(passed.through.begin(), passed.through.end());
    }
    cause.isEarly = !walk.open.empty() || from > walk.taken.back().first;
    for (auto& [time, variable] : walk.taken)
      if (instances.contains(time)) variables.push_back(variable);
  } else {
    FL_CHECK(follow(walk, options_.mostInstances));
    cause.isBounded = !walk.open.empty() || walk.isCut;
    for (auto [id, count] : walk.executions)
      if (count > kSameInstruction) cause.repeated[id] = count - kSameInstruction;
    for (auto& [time, variable] : walk.taken) {
      instances.insert(time);
      variables.push_back(variable);
    }
    cause.core = {terms_.no()};
  }
  instances.insert(wish.passed.through.begin(), wish.passed.through.end());
  cause.leaves = wish.passed.leaves;
  for (Term v : variables) {
    FL_TRY(definition, instances_.define(v));
    uint32_t distance = walk.distances[v.id];
    auto near = [&](uint64_t time) {
      auto [it, isNew] = cause.distances.try_emplace(time, distance);
      it->second = std::min(it->second, distance);
    };
    near(instances_.timeOf(v));
    for (uint64_t time : definition->through) near(time);
    instances.insert(definition->through.begin(), definition->through.end());
    for (const logic::TermLeaf& leaf : definition->leaves)
      if (cause.leaves.size() < 64) cause.leaves.push_back(leaf);
    if (definition->isOpaque) cause.opaque.push_back({instances_.timeOf(v), v, definition->opaque});
  }
  cause.instances.assign(instances.rbegin(), instances.rend());
  return cause;
}

} // namespace faultline::technique

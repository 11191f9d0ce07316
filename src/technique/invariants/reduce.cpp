#include "technique/invariants/reduce.h"

#include <algorithm>
#include <unordered_set>

namespace faultline::technique {

using logic::Answer;
using logic::Term;

namespace {

// Leaves out variables without which the condition folds to true as well: no solver is needed for that.
void dropByFolding(logic::Terms& t, Term condition, std::vector<std::pair<Term, Term>>& values) {
  auto holds = [&](size_t without) {
    logic::Terms::Map map;
    for (size_t k = 0; k < values.size(); ++k)
      if (k != without) map.insert(values[k]);
    return t.isTrue(t.substitute(condition, map));
  };
  for (size_t k = values.size(); k-- > 0;)
    if (holds(k)) values.erase(values.begin() + long(k));
}

} // namespace

size_t operationsIn(const logic::Terms& terms, Term term, size_t most) {
  std::vector<Term> open = {term};
  std::unordered_set<uint32_t> seen;
  size_t count = 0;
  while (!open.empty() && count < most) {
    Term x = open.back();
    open.pop_back();
    if (terms.operands(x).empty() || !seen.insert(x.id).second) continue;
    ++count;
    for (Term o : terms.operands(x)) open.push_back(o);
  }
  return count;
}

Result<Reduced> reduceToValues(logic::InstanceTerms& terms, logic::Solver& solver, logic::Solver* checker,
                               Term condition, uint32_t milliseconds) {
  logic::Terms& t = terms.terms();
  std::vector<std::pair<Term, Term>> values;
  logic::Terms::Map all;
  for (Term v : t.variables(condition)) {
    if (terms.timeOf(v) == depend::kNoInstance) continue;
    FL_TRY(value, terms.valueOf(v));
    values.push_back({v, value});
    all.emplace(v, value);
  }
  Reduced out;
  bool folds = t.isTrue(t.substitute(condition, all));
  // Many variables: each trial folds the whole condition.
  constexpr size_t kMostTried = 64;
  if (folds && values.size() <= kMostTried) dropByFolding(t, condition, values);
  out.isMinimal = values.size() <= kMostTried;

  std::vector<Term> asked;
  for (auto [v, value] : values) asked.push_back(t.equal(v, value));
  asked.push_back(t.negate(condition));
  // What folds to nothing but itself may still follow from fewer values.
  constexpr size_t kMostAsked = 12;
  if (values.size() <= kMostAsked && !t.isFalse(asked.back())) {
    ++out.solverCalls;
    std::vector<uint32_t> kept = {uint32_t(values.size())};
    if (auto core = logic::minimalCore(solver, checker, t, asked, milliseconds, kept)) {
      for (uint32_t n : core->conditions)
        if (n < values.size()) out.conditions.push_back(asked[n]);
      out.isMinimal &= core->isMinimal;
      out.isChecked = core->isChecked || !checker;
      out.doubt = core->doubt;
      return out;
    }
  }
  asked.pop_back();
  out.conditions = std::move(asked);
  out.isChecked = folds; // the condition, with these values in it, is true
  if (!folds) out.doubt = "no solver could show in time that these values suffice";
  return out;
}

} // namespace faultline::technique

#include "technique/invariants/confirm.h"

#include <algorithm>
#include <map>
#include <set>

namespace faultline::technique {

using depend::Executed;
using experiment::Alteration;
using fir::Op;
using logic::Term;

namespace {

constexpr uint32_t kMilliseconds = 200;

class Confirm {
public:
  Confirm(logic::InstanceTerms& terms, const InvariantTrace& trace, logic::Solver& solver)
      : instances_(terms), t_(terms.terms()), trace_(trace), solver_(solver) {}

  // The experiment on the invariant after step `n`; nothing: no other state could be made.
  Result<std::vector<Alteration>> experimentAfter(size_t n, size_t& changed) {
    const std::vector<Term>& invariant = after(n);
    std::set<Term, ById> spoken = variablesOf(invariant);
    FL_TRY(values, otherState(invariant, spoken));
    std::vector<Alteration> made;
    changed = 0;
    for (Term v : spoken) {
      FL_TRY(was, instances_.valueOf(v));
      auto other = values.find(v);
      uint64_t value = t_.value(other == values.end() ? was : other->second);
      FL_TRY(alteration, replaced(v, value));
      if (!alteration) return std::vector<Alteration>(); // it cannot be held at its value
      changed += value != t_.value(was);
      made.push_back(*alteration);
    }
    for (Term v : variablesOf(trace_.steps[n].before)) {
      if (spoken.contains(v)) continue;
      FL_TRY(was, instances_.valueOf(v));
      FL_TRY(alteration, replaced(v, t_.value(was) + 1));
      FL_TRY(isNumber, makesNumber(v));
      if (!alteration || !isNumber) continue;
      ++changed;
      made.push_back(*alteration);
    }
    if (!changed) made.clear();
    return made;
  }

private:
  struct ById {
    bool operator()(Term a, Term b) const { return a.id < b.id; }
  };

  const std::vector<Term>& after(size_t n) const {
    return n + 1 < trace_.steps.size() ? trace_.steps[n + 1].before : trace_.failure;
  }

  std::set<Term, ById> variablesOf(const std::vector<Term>& conditions) {
    std::set<Term, ById> all;
    for (Term c : conditions)
      for (Term v : t_.variables(c)) all.insert(v);
    return all;
  }

  // Values of the variables that the invariant allows as well; empty: there are none, or none is known.
  Result<std::map<Term, Term, ById>> otherState(const std::vector<Term>& invariant,
                                                const std::set<Term, ById>& variables) {
    std::vector<Term> conditions = invariant;
    Term same = t_.yes();
    for (Term v : variables) {
      FL_TRY(was, instances_.valueOf(v));
      same = t_.both(same, t_.equal(v, was));
    }
    conditions.push_back(t_.negate(same));
    logic::Answer answer = solver_.check({conditions, true, kMilliseconds});
    std::map<Term, Term, ById> values;
    if (answer.kind == logic::Answer::Satisfiable)
      for (Term v : variables)
        if (auto it = answer.model.find(v); it != answer.model.end()) values.emplace(v, it->second);
    return values;
  }

  // Nothing: its instance is of a kind that no experiment can alter, or the variable is only a part of it.
  Result<std::optional<Alteration>> replaced(Term variable, uint64_t value) {
    uint64_t time = instances_.timeOf(variable);
    if (time == depend::kNoInstance || t_.parameter(variable) != time || t_.width(variable) > 64)
      return std::optional<Alteration>();
    FL_TRY(x, instances_.instances().at(time));
    Op op = x.instruction->op;
    bool alters = op == Op::StoreVar || op == Op::Store || op == Op::Load || op == Op::LoadVar ||
                  (op == Op::Call && x.instruction->dst != fir::kNone);
    if (!alters) return std::optional<Alteration>();
    FL_TRY(epoch, epochOf(time));
    uint32_t width = t_.width(variable);
    if (width < 64) value &= (uint64_t(1) << width) - 1;
    return std::optional(
        Alteration{.kind = Alteration::ReplaceValue, .epoch = epoch, .instruction = x.id, .value = value});
  }

  // Another pointer leads anywhere.
  Result<bool> makesNumber(Term variable) {
    FL_TRY(x, instances_.instances().at(instances_.timeOf(variable)));
    fir::TypeKind kind = x.image->types[x.instruction->type].kind;
    return kind == fir::TypeKind::Int;
  }

  Result<uint64_t> epochOf(uint64_t time) {
    auto [it, isNew] = epochs_.try_emplace(time, 0);
    if (!isNew) return it->second;
    replay::Replay& replay = instances_.instances().history().replay();
    FL_CHECK(replay.seek(time));
    return it->second = replay.current().epoch;
  }

  logic::InstanceTerms& instances_;
  logic::Terms& t_;
  const InvariantTrace& trace_;
  logic::Solver& solver_;
  std::map<uint64_t, uint64_t> epochs_;
};

InvariantConfirmation::Outcome outcomeOf(experiment::Verdict verdict) {
  switch (verdict) {
  case experiment::Verdict::SameFailure:
    return InvariantConfirmation::SameFailure;
  case experiment::Verdict::None:
    return InvariantConfirmation::NoVerdict;
  default:
    return InvariantConfirmation::OtherWay;
  }
}

// All of them took place, or the state was not the one that was meant.
bool wasMade(const experiment::Ending& ending, size_t alterations) {
  uint64_t all = alterations >= 64 ? ~uint64_t(0) : (uint64_t(1) << alterations) - 1;
  return (ending.reached & all) == all;
}

} // namespace

Result<std::vector<InvariantConfirmation>>
confirmInvariants(logic::InstanceTerms& terms, const InvariantTrace& trace, logic::Solver& solver,
                  experiment::Experimenter& experimenter, const experiment::Judge& judge,
                  const std::function<bool(size_t done)>& watch) {
  Confirm confirm(terms, trace, solver);
  std::vector<InvariantConfirmation> out(trace.steps.size());
  std::vector<experiment::Experiment> experiments;
  std::vector<size_t> stepOf;
  for (size_t n = 0; n < trace.steps.size() && (!watch || watch(n)); ++n) {
    FL_TRY(alterations, confirm.experimentAfter(n, out[n].changed));
    if (alterations.empty()) continue;
    experiments.push_back({.alterations = std::move(alterations)});
    stepOf.push_back(n);
    out[n].outcome = InvariantConfirmation::NoVerdict;
  }
  Result<void> problem;
  FL_TRY(endings, experimenter.run(experiments, [&](size_t number, const experiment::Ending& ending) {
    auto verdict = judge.judge(ending);
    if (!verdict) problem = verdict.error();
    bool made = wasMade(ending, experiments[number].alterations.size());
    if (verdict && made) out[stepOf[number]].outcome = outcomeOf(*verdict);
    if (verdict && !made && *verdict != experiment::Verdict::None)
      out[stepOf[number]].outcome = InvariantConfirmation::OtherWay;
    return bool(problem) && (!watch || watch(trace.steps.size()));
  }));
  FL_CHECK(problem);
  return out;
}

} // namespace faultline::technique

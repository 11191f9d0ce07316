// A condition, replaced by recorded values of few of its variables that imply it.
#pragma once

#include "logic/instance_terms.h"
#include "logic/solver.h"

namespace faultline::technique {

struct Reduced {
  std::vector<logic::Term> conditions = {}; // variable == what it was
  bool isMinimal = true;
  bool isChecked = false; // a solver agrees that they imply it
  std::string doubt = {};
  size_t solverCalls = 0;
};

// The condition holds in the run. Variables that stand for anything (an outside step that was given something
// else) are not in the answer.
Result<Reduced> reduceToValues(logic::InstanceTerms& terms, logic::Solver& solver, logic::Solver* checker,
                               logic::Term condition, uint32_t milliseconds);

// Operations in it, counted up to `most`.
size_t operationsIn(const logic::Terms& terms, logic::Term term, size_t most);

} // namespace faultline::technique

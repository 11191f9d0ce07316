// Whether an invariant is all that the failure needs, asked of the program itself: the state is overwritten
// with another that has the invariant, and the run must fail as before.
//
//   x = 0;  y = x + 2;  { y == 2 }  assert(y != 2);     x is made 1 and y, all the same, 2: it fails
//   n = 7;  { n > 3 }   ...                             n is made 5: it fails
//
// Other values come from a solver where the invariant has room for them. Where it has none, what the
// statement before it was made from is changed, and what the invariant speaks of is given the value that it
// had.
#pragma once

#include "experiment/experimenter.h"
#include "experiment/judge.h"
#include "technique/invariants/trace.h"

namespace faultline::technique {

struct InvariantConfirmation {
  enum Outcome {
    NothingElse, // no other state that could be made
    SameFailure, // confirmed
    OtherWay,    // it passed, or failed otherwise: what was changed led the run another way
    NoVerdict,
  };
  Outcome outcome = NothingElse;
  size_t changed = 0; // values that were not what they had been
};

// Of the invariant after each step of the trace, in its order.
Result<std::vector<InvariantConfirmation>>
confirmInvariants(logic::InstanceTerms& terms, const InvariantTrace& trace, logic::Solver& solver,
                  experiment::Experimenter& experimenter, const experiment::Judge& judge,
                  const std::function<bool(size_t done)>& watch);

} // namespace faultline::technique

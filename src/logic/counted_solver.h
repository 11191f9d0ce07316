// Counts what a solver was asked, how it answered, and how long that took.
#pragma once

#include "logic/solver.h"

namespace faultline::logic {

struct SolverCounts {
  uint64_t satisfiable = 0, unsatisfiable = 0, unknown = 0;
  double seconds = 0, longest = 0;
  uint64_t requests() const { return satisfiable + unsatisfiable + unknown; }
};

// `counts` outlives it.
std::unique_ptr<Solver> makeCounted(std::unique_ptr<Solver> inner, SolverCounts& counts);

} // namespace faultline::logic

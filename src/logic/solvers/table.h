// What libfaultline_solvers.so gives to those who open it.
#pragma once

#include "logic/solver.h"

namespace faultline::logic {

std::unique_ptr<Solver> newZ3(Terms& terms);
std::unique_ptr<Solver> newCvc5(Terms& terms);

struct SolverTable {
  std::unique_ptr<Solver> (*newZ3)(Terms& terms);
  std::unique_ptr<Solver> (*newCvc5)(Terms& terms);
};

} // namespace faultline::logic

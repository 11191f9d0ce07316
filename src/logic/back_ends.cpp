#include "base/module.h"
#include "logic/solvers/table.h"

namespace faultline::logic {

Result<std::unique_ptr<Solver>> makeZ3(Terms& terms) {
  FL_TRY(solvers, moduleTable<SolverTable>("solvers"));
  return solvers->newZ3(terms);
}

Result<std::unique_ptr<Solver>> makeCvc5(Terms& terms) {
  FL_TRY(solvers, moduleTable<SolverTable>("solvers"));
  return solvers->newCvc5(terms);
}

} // namespace faultline::logic

#include "logic/solvers/table.h"

using namespace faultline::logic;

extern "C" {
extern const SolverTable faultline_solvers;
__attribute__((visibility("default")))
const SolverTable faultline_solvers = {.newZ3 = newZ3, .newCvc5 = newCvc5};
}

// Remembers answers by the set of conditions, in whatever order they come. An answer that was not found in
// time is asked for again if there is more time now.
#pragma once

#include "logic/solver.h"

namespace faultline::logic {

std::unique_ptr<Solver> makeCached(std::unique_ptr<Solver> inner);

} // namespace faultline::logic

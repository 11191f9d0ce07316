// One budget of time for all requests: none gets more than what is left, and when it is used up every answer
// is Unknown, with that as its reason.
#pragma once

#include "logic/solver.h"

namespace faultline::logic {

std::unique_ptr<Solver> makeLimited(std::unique_ptr<Solver> inner, uint64_t milliseconds);

} // namespace faultline::logic

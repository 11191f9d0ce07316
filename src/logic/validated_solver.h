// Believes no answer: a model is put into the conditions, and that conditions exclude each other is asked of
// a second solver (if there is one) about the core alone. An answer that turns out wrong is Unknown, and its
// reason says who was wrong; one that the second solver could not decide stands, with a reason that says so.
#pragma once

#include "logic/solver.h"

namespace faultline::logic {

std::unique_ptr<Solver> makeValidated(Terms& terms, std::unique_ptr<Solver> inner,
                                      std::unique_ptr<Solver> second);

} // namespace faultline::logic

// Error invariants of a failing run, as `invariants` and `explain` ask for them.
#pragma once

#include "cli/cause_question.h"
#include "technique/invariants/trace.h"

namespace faultline::cli {

// `how.watch` and `how.asValues` are set here. `causes`: for this question alone; afterwards it has the
// solvers that were used.
Result<technique::InvariantTrace> findInvariants(const Context& context, ValueRun& run, CauseRun& causes,
                                                 bool isAtFailure, technique::InvariantOptions how,
                                                 std::chrono::steady_clock::time_point deadline);

} // namespace faultline::cli

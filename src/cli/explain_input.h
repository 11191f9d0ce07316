// What `explain` asks `minimize` and `chop`.
#pragma once

#include "cli/laboratory.h"
#include "explain/fuse.h"

namespace faultline::cli {

// Whether a smaller input may be looked for: there is some, and whether the run fails with another can be
// told. What is right for this input alone says nothing of a smaller one.
bool hasInputToReduce(const ValueRun& run, const ValueOptions& options, const std::string& reference);

// The smallest input with which the run fails in the same way, and what carries it to the failure. Nothing is
// left behind. An error: not all of it could be found, and why.
Result<void> lookAtInput(const Context& context, const ValueOptions& options,
                         const LaboratoryOptions& laboratory, const std::string& reference, double seconds,
                         explain::Found& found, finding::Explanation& explanation);

} // namespace faultline::cli

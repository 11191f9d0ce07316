// What `explain` asks `memory`.
#pragma once

#include "cli/cause_question.h"
#include "explain/fuse.h"

namespace faultline::cli {

// Accesses that no run may make, whether the run died of them or not; and what led to the first of them.
// Reads on which the failure does not depend, as `slice` has it, come last; null: that is not known.
Result<void> lookAtMemory(ValueRun& run, CauseRun& causes, std::chrono::steady_clock::time_point end,
                          const depend::Slice* slice, finding::MemoryReport& report, explain::Found& found,
                          finding::Explanation& explanation);

} // namespace faultline::cli

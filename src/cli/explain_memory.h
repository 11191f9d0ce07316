// What `explain` asks `memory`.
#pragma once

#include "cli/cause_question.h"
#include "explain/fuse.h"

namespace faultline::cli {

// Accesses that no run may make, whether the run died of them or not; and what led to the first of them.
Result<void> lookAtMemory(ValueRun& run, CauseRun& causes, std::chrono::steady_clock::time_point end,
                          finding::MemoryReport& report, explain::Found& found,
                          finding::Explanation& explanation);

} // namespace faultline::cli

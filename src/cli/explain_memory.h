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

// The decisions that led to an instance, in its own function, from inside out.
Result<std::vector<finding::Place>> decisionsTo(ValueRun& run, CauseRun& causes, uint64_t at,
                                                size_t most = 2);

Result<std::vector<uint64_t>> decisionTimesTo(ValueRun& run, CauseRun& causes, uint64_t at, size_t most);

// Where functions were called that the instance is in, from inside out; at most so many, of the user's code.
Result<std::vector<finding::Place>> callsTo(ValueRun& run, CauseRun& causes, uint64_t at, size_t most);

} // namespace faultline::cli

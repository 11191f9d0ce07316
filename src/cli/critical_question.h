// The search for decisions that, taken the other way, make a run pass, as `critical` and `explain` make it.
#pragma once

#include "cli/laboratory.h"
#include "finding/critical_report.h"

#include <chrono>

namespace faultline::cli {

// What the failure depends on, decisions that might have led elsewhere included.
Result<depend::Slice> relevantSlice(ValueRun& run);

Result<finding::CriticalReport> findCritical(const Context& context, ValueRun& run, Laboratory& laboratory,
                                             const depend::Slice& slice, const Effort& effort,
                                             std::chrono::steady_clock::time_point deadline);

} // namespace faultline::cli

// The search for small changes of the code that make a run pass, as `changes` and `explain` make it.
#pragma once

#include "cli/laboratory.h"
#include "finding/changes_report.h"

#include <chrono>
#include <map>

namespace faultline::cli {

// Lines that are to be tried first, in this order: file and line, to number.
using LineOrder = std::map<std::pair<std::string, uint32_t>, size_t>;

Result<finding::ChangesReport> findChanges(const Context& context, ValueRun& run, Laboratory& laboratory,
                                           const depend::Slice& slice, const LineOrder& first, size_t most,
                                           std::chrono::steady_clock::time_point deadline);

} // namespace faultline::cli

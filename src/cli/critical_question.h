// The search for decisions that, taken the other way, make a run pass, as `critical` and `explain` make it.
#pragma once

#include "cli/alterable_run.h"
#include "cli/value_question.h"
#include "finding/critical_report.h"

#include <chrono>

namespace faultline::cli {

struct CriticalArguments {
  size_t most = 3;
  bool uncontained = false;
  std::string method = "auto";
};

// `run` is that of the alterable recording.
Result<finding::CriticalReport> findCritical(const Context& context, ValueRun& run,
                                             const AlterableRun& alterable, const RunOptions& options,
                                             const CriticalArguments& arguments,
                                             std::chrono::steady_clock::time_point deadline);

} // namespace faultline::cli

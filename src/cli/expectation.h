// What counts as failing, for all questions: --expect, --expect-status, --oracle, or what was said when the
// run was recorded.
#pragma once

#include "cli/run.h"
#include "replay/verdict.h"

namespace faultline::cli {

Result<recording::Expectation> expectationOf(const RunOptions& options);

replay::Outcome outcomeOf(const recording::Recording& recording);

// What is said now counts; else what the recording has kept. The recording must have its end.
Result<replay::Verdict> verdictOf(const recording::Recording& recording, const RunOptions& options);

nlohmann::json verdictJson(const replay::Verdict& verdict);

} // namespace faultline::cli

// Names a run by what it got from outside, so that verdicts on one recording hold for another one of the same
// run: the log has all that the program could not compute by itself.
//
// Some of it is other in every repetition, whatever the program does (the number of a file in memory, the
// time it was made): what the repetition before the experiments got otherwise is named by its place alone.
#pragma once

#include "base/result.h"
#include "experiment/compare_logs.h"
#include "recording/log_source.h"

namespace faultline::experiment {

// Equal for two logs of one variant only if what came from outside was the same, in the same places,
// except for the values at `passing`.
Result<std::string> runDigest(const recording::LogSource& log, std::span<const OutsideValue> passing = {});

} // namespace faultline::experiment

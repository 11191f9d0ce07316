// Which verdicts of earlier searches hold for this one: the cache, and a name for all that a run got from
// outside.
#pragma once

#include "cli/value_question.h"
#include "experiment/compare_logs.h"
#include "experiment/verdict_cache.h"

#include <span>

namespace faultline::cli {

// Nothing, with a warning, if it cannot be opened.
std::shared_ptr<experiment::VerdictCache> knownVerdicts(const Context& context);

// Names the content of the files that the run opened, all of it: an altered run may read further. Files at
// `except` are not among them.
std::string filesDigest(const depend::Inputs& inputs, const std::string& cwd,
                        std::span<const std::string> except = {});

// Names all that the run got from outside, without what was `passing` (run_digest.h). The same for each
// recording of the same run; for a very long run it is that of this recording.
Result<std::string> outsideOf(ValueRun& run, std::span<const experiment::OutsideValue> passing);

} // namespace faultline::cli

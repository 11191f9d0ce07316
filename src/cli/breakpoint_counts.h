// How often a debugger would stop at the lines of a chain before it comes to the executions that it is about.
#pragma once

#include "cli/cause_question.h"
#include "finding/explanation.h"

namespace faultline::cli {

// Of the first suspect's chain. Where it cannot be counted the steps stay without, and a caveat says why.
Result<void> countBreakpoints(ValueRun& run, CauseRun& causes, finding::Explanation& explanation);

} // namespace faultline::cli

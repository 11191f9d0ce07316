// What the program brings along had no maker in the run; but somebody chose it: constants and texts that had
// a part in the failure.
#pragma once

#include "cli/cause_question.h"
#include "explain/fuse.h"

#include <chrono>

namespace faultline::cli {

// Of a wrong output or status, a pointer or a divisor that was a constant at last: what decided that it was
// set; and who only passed it on.
Result<void> lookAtSource(ValueRun& run, CauseRun& causes, explain::Found& found);

// Who names the texts from which the wrong byte was copied, and by which the decisions were made that repair
// the run.
Result<void> lookAtTexts(ValueRun& run, CauseRun& causes, std::chrono::steady_clock::time_point end,
                         explain::Found& found);

// What the decisions led to that repair the run if they are taken the other way.
Result<void> lookUnder(ValueRun& run, CauseRun& causes, std::chrono::steady_clock::time_point end,
                       explain::Found& found);

} // namespace faultline::cli

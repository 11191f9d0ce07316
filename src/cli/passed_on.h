// Decisions that only ask what a call gave back.
//
//   if (!parse(text)) return 1;        parse() gave 0: that was decided within it, and a decision there
//                                      repairs the run as well
//
// Then the one within says what is wrong, and the one that asks only passes it on.
#pragma once

#include "cli/cause_question.h"
#include "explain/fuse.h"

#include <chrono>

namespace faultline::cli {

// Marks such decisions of found.critical (isPassedOn), and the last ones within what they ask (isAsked). And
// which calls led to the first decisions (found.led).
Result<void> lookAtResults(ValueRun& run, CauseRun& causes, std::chrono::steady_clock::time_point end,
                           finding::CriticalReport& critical, explain::Found& found);

} // namespace faultline::cli

// What the program itself said of a failure, on standard error, and who said it.
#pragma once

#include "cli/cause_question.h"
#include "explain/fuse.h"

namespace faultline::cli {

// Of a run that ended with another status than it should, whose output ended too early, or that crashed:
// where it complained, what led to that, and who did not look at what it gave back.
Result<void> lookAtComplaints(ValueRun& run, CauseRun& causes, explain::Found& found);

} // namespace faultline::cli

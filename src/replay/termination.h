// The sentence about a run that ended itself by SIGABRT: an assertion, an exception that nobody caught, a
// check of the C library's, or plain abort(). The outside call that the innermost frame is in tells which;
// what the program wrote to standard error, where it was captured, tells more.
#pragma once

#include "replay/failure.h"

namespace faultline::replay {

Failure diagnoseTermination(const RunEnd& end, const StoppedProgram& program);

} // namespace faultline::replay

// The sentence about a signal that the processor raised: what the instruction did, with which address or
// divisor, and what the source calls it.
#pragma once

#include "replay/failure.h"

namespace faultline::replay {

// SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP.
Failure diagnoseCrash(const RunEnd& end, const StoppedProgram& program);

} // namespace faultline::replay

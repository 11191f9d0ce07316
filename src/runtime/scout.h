// Between the files of a scout (abi/parked.h).
#pragma once

#include "runtime/dispatch.h"

namespace fl {

// Whether the call is the same in each run and leaves nothing behind that copies of the process would share;
// then it is made, and `result` is what the kernel returned. `ours`: a descriptor that is not the program's.
bool madeForAll(const Call& c, int ours, long& result);

} // namespace fl

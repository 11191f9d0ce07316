// Whether this thread, the only one, holds a lock of libc's in which its number stands and counts: a copy of
// the process, whose number is another, could never release it.
#pragma once

namespace fl {

bool holdsLocks();

} // namespace fl

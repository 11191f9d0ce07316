// Where a run that does not end failed: at the test that would have left the loop it goes round in, not at
// the accidental instruction at which its time was over.
//
//   while (*p) { p = skip(p); }     stopped somewhere in skip(): the failure is at `*p`, which was not 0
#pragma once

#include "replay/failure.h"
#include "replay/replay.h"

namespace faultline::replay {

// Expects the replay at its end, and brings it to the failure. `since`: the step before which it had come
// into what it does not get out of. Nothing: no such place is known, and the replay stays at its end.
Result<std::optional<Failure>> goToHang(Replay& replay, uint64_t since);

} // namespace faultline::replay

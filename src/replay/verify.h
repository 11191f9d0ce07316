// Proof that a replay is the run: every record was used, and memory ends as the run's did.
#pragma once

#include "replay/replay.h"

namespace faultline::replay {

Result<VerifyReport> verifyRun(Replay& replay);

} // namespace faultline::replay

// Brings a replay to the instance at which a judged run failed, and says what failed there.
//
//   wrong output     the call that wrote the first wrong byte; criterion: the argument it comes from
//   output missing   where the run ended, since no call wrote it
//                    In both cases the call before may have written too little: Criterion::before.
//   wrong status     the call of exit, or the Ret of main; criterion: its value
//   in a handler     of a fault or an abort of its own: where that was, not where the handler ended the run
//   all others       the end of the run; what failed there is for diagnose() to say
#pragma once

#include "replay/failure.h"
#include "replay/output_map.h"
#include "replay/verdict.h"

namespace faultline::replay {

struct FailurePoint {
  std::optional<Failure> failure = {};     // nothing: see diagnose()
  std::optional<OutputOrigin> origin = {}; // of the wrong byte
  std::vector<std::string> caveats = {};
};

// Frame numbers in the failure are those of replay.frames() afterwards.
Result<FailurePoint> goToFailure(Replay& replay, const Verdict& verdict, const Outcome& outcome);

} // namespace faultline::replay

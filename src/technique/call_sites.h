// What serves the whole program: functions that are called from many places do what they are told.
#pragma once

#include "replay/replay.h"

#include <algorithm>

namespace faultline::technique {

inline bool isCalledByMany(const replay::FrameView& frame) {
  constexpr auto kMany = 5; // calls in the code
  if (frame.function == fir::kNone) return false;
  return std::ranges::count(frame.image->calls, frame.image->functions[frame.function].symbol,
                            &fir::CallInfo::symbol) >= kMany;
}

} // namespace faultline::technique

// Follows a run while it is recorded, for `record --last`: replays what has been logged so far and tells the
// state there, as chunks of a recording.
#pragma once

#include "program/image.h"
#include "recording/follower.h"

namespace faultline::replay {

recording::MakeFollower followerOf(std::vector<fir::Image> images);

} // namespace faultline::replay

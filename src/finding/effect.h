// What an alteration of the run came to, in words: "the run passes", or how much more of its output is right.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace faultline::finding {

// `share`: of the wrong output that comes out right; 1: all of it, and the run passes.
inline std::string effectText(double share) {
  if (share >= 1) return "the run passes";
  int percent = std::clamp(int(share * 100), 1, 99);
  return fmt::format("{} % of the output that was wrong comes out right", percent);
}

// `reaches`: which share of the executions of what failed there were again, the one that failed included. A
// run that passes because it goes another way says little. To follow the sentence above.
inline std::string wayText(std::optional<double> reaches) {
  if (reaches.value_or(1) >= 1) return "";
  return *reaches > 0 ? ", but gets to where it failed less often" : ", but never gets to where it failed";
}

} // namespace faultline::finding

// How many experiments are asked for at once. All of a batch are made in one walk through the run, in the
// order in which the run comes to them: the larger it is, the less is walked twice, and the longer the likely
// ones wait for the others. So the first is small, and the next ones are as large as what takes about a
// second; where to walk alone takes longer, as what takes twice as long as the shortest so far.
//
//   Batches batches;                              64
//   batches.took(64, 0.01s);                      then 512, eight times as many at most
//   batches.took(512, 4s);                        then 128
//
// What was known already takes no time, and tells nothing: it is not counted.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace faultline::technique {

class Batches {
public:
  using Seconds = std::chrono::duration<double>;

  size_t next() const { return next_; }
  void took(size_t count, Seconds time) {
    if (count == 0) return;
    shortest_ = std::min(shortest_, time);
    const Seconds wanted = std::max(kWanted, 2 * shortest_);
    const double inTime = time > wanted / kGrowth ? double(count) * (wanted / time) : double(count) * kGrowth;
    next_ = std::clamp(size_t(std::min(inTime, double(kMost))), kLeast, std::min(next_ * kGrowth, kMost));
  }

private:
  static constexpr size_t kLeast = 64, kMost = 8192, kGrowth = 8;
  static constexpr Seconds kWanted{1};
  size_t next_ = kLeast;
  Seconds shortest_ = Seconds::max();
};

} // namespace faultline::technique

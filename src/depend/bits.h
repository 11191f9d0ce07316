#pragma once
// Masks of the bits of a word.

#include <cstdint>

namespace faultline::depend {

inline constexpr uint64_t kAllBits = ~uint64_t(0);

inline uint64_t lowBits(uint64_t count) { return count >= 64 ? kAllBits : (uint64_t(1) << count) - 1; }

} // namespace faultline::depend

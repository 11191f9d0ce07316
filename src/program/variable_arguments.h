// Which of a call's variable arguments (`...`) are floating-point numbers that go in registers of their own.
// A constant has no type in an image; so the call says it, in bits of CallInfo::flags.
#pragma once

#include <cstdint>

namespace faultline::fir {

inline constexpr uint32_t kMostFloatingArguments = 6; // of one call; constants behind are taken for integers

// number: from 0, behind the fixed ones.
constexpr uint32_t floatingArgumentFlag(uint32_t number) {
  return number < kMostFloatingArguments ? uint32_t(1) << (2 + number) : 0;
}

} // namespace faultline::fir

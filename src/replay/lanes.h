// Values in frame words: element `lane` of `bits` bits, where memory would have it. A scalar is lane 0.
#pragma once

#include "program/fir.h"

#include <cstdint>
#include <cstring>

namespace faultline::replay {

using U128 = unsigned __int128;
using I128 = __int128;

constexpr U128 maskBits(unsigned bits) { return bits >= 128 ? ~U128(0) : (U128(1) << bits) - 1; }
constexpr I128 signExtend(U128 value, unsigned bits) {
  return bits >= 128 || bits == 0 ? I128(value) : I128(value << (128 - bits)) >> (128 - bits);
}

// `bits` is at most 128. Elements of whole bytes start at bytes; others are packed bit by bit.
inline U128 getLane(const uint64_t* words, unsigned bits, unsigned lane) {
  uint64_t at = uint64_t(bits) * lane;
  auto* bytes = reinterpret_cast<const uint8_t*>(words);
  U128 value = 0;
  if (bits % 8 == 0) {
    std::memcpy(&value, bytes + at / 8, bits / 8);
  } else {
    for (unsigned k = 0; k < bits; ++k) value |= U128((bytes[(at + k) / 8] >> ((at + k) % 8)) & 1) << k;
  }
  return value;
}

inline void setLane(uint64_t* words, unsigned bits, unsigned lane, U128 value) {
  uint64_t at = uint64_t(bits) * lane;
  auto* bytes = reinterpret_cast<uint8_t*>(words);
  if (bits % 8 == 0) {
    std::memcpy(bytes + at / 8, &value, bits / 8);
    return;
  }
  for (unsigned k = 0; k < bits; ++k) {
    uint8_t& byte = bytes[(at + k) / 8];
    unsigned bit = (at + k) % 8;
    byte = uint8_t((byte & ~(1u << bit)) | (unsigned(value >> k) & 1u) << bit);
  }
}

} // namespace faultline::replay

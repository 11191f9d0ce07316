#include "replay/computed_call.h"

#include "abi/computed.h"

#include <algorithm>

namespace faultline::replay {
namespace {

constexpr uint64_t kMostBytes = FL_COMPUTED_MOST + 1;

class Bytes {
public:
  Bytes(Memory& memory, uint64_t at) : memory_(memory), at_(at) {}
  // Nothing where there can be no memory: whoever reads there is mistaken.
  bool at(uint64_t offset, uint8_t& byte) { return memory_.load(at_ + offset, byte); }

private:
  Memory& memory_;
  uint64_t at_;
};

uint64_t compare(Bytes a, Bytes b, uint64_t size, bool strings) {
  uint8_t x = 0, y = 0;
  for (uint64_t k = 0; k < std::min(size, kMostBytes) && a.at(k, x) && b.at(k, y); ++k)
    if (x != y || (strings && x == 0)) return uint32_t(int(x) - int(y));
  return 0;
}

// The offset of `byte`, or of the end if `strings`; kMostBytes if it is not there.
uint64_t find(Bytes bytes, uint8_t byte, uint64_t size, bool strings, uint8_t& found) {
  for (uint64_t k = 0; k < std::min(size, kMostBytes) && bytes.at(k, found); ++k)
    if (found == byte || (strings && found == 0)) return k;
  return kMostBytes;
}

} // namespace

uint64_t computedResult(Memory& memory, uint32_t kind, uint64_t a0, uint64_t a1, uint64_t a2) {
  Bytes first(memory, a0);
  uint8_t found = 0;
  switch (kind) {
  case FL_COMPUTED_MEMCMP:
    return compare(first, {memory, a1}, a2, false);
  case FL_COMPUTED_STRCMP:
    return compare(first, {memory, a1}, kMostBytes, true);
  case FL_COMPUTED_STRNCMP:
    return compare(first, {memory, a1}, a2, true);
  case FL_COMPUTED_STRLEN:
    return find(first, 0, kMostBytes, true, found);
  case FL_COMPUTED_MEMCHR: {
    uint64_t at = find(first, uint8_t(a1), a2, false, found);
    return at == kMostBytes ? 0 : a0 + at;
  }
  case FL_COMPUTED_STRCHR: {
    uint64_t at = find(first, uint8_t(a1), kMostBytes, true, found);
    return at == kMostBytes || found != uint8_t(a1) ? 0 : a0 + at;
  }
  default:
    return 0;
  }
}

} // namespace faultline::replay

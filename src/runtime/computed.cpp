// Results of outside calls that replay computes itself (abi/computed.h): whether the shadow, which is the
// memory that replay will have, leads to the result that the C library gave.
#include "abi/computed.h"

#include "runtime/effects.h"
#include "runtime/log.h"

#include <string.h>

namespace fl {
namespace {

const uint8_t* shadowAt(uint64_t address) { return shadowOf(reinterpret_cast<const void*>(address)); }

// Of the first bytes that differ, in the order of memory.
uint32_t differenceOf(uint64_t x, uint64_t y) {
  unsigned shift = unsigned(__builtin_ctzll(x ^ y)) & ~7u;
  return uint32_t(int(x >> shift & 0xff) - int(y >> shift & 0xff));
}

uint64_t eightAt(const uint8_t* at) {
  uint64_t value;
  memcpy(&value, at, 8);
  return value;
}

// The first four and the last four of 4 to 8 bytes.
uint64_t endsOf(const uint8_t* at, uint64_t size) {
  uint32_t first, last;
  memcpy(&first, at, 4);
  memcpy(&last, at + size - 4, 4);
  return first | uint64_t(last) << 32;
}

uint32_t difference(const uint8_t* a, const uint8_t* b, uint64_t size) {
  if (size < 4) {
    for (uint64_t at = 0; at < size; ++at)
      if (a[at] != b[at]) return uint32_t(int(a[at]) - int(b[at]));
    return 0;
  }
  if (size < 8) {
    uint64_t x = endsOf(a, size), y = endsOf(b, size);
    return x == y ? 0 : differenceOf(x, y);
  }
  for (uint64_t at = 0; at + 8 <= size; at += 8)
    if (uint64_t x = eightAt(a + at), y = eightAt(b + at); x != y) return differenceOf(x, y);
  // The rest once more with bytes before it, which are equal.
  uint64_t x = eightAt(a + size - 8), y = eightAt(b + size - 8);
  return x == y ? 0 : differenceOf(x, y);
}

// Replay has it, and does not need for ever to look at it.
bool isInReach(uint64_t address, uint64_t size) {
  return size <= FL_COMPUTED_MOST && hasShadow(address, size);
}

bool comparesTo(uint32_t result, uint64_t a, uint64_t b, uint64_t size) {
  return isInReach(a, size) && isInReach(b, size) && difference(shadowAt(a), shadowAt(b), size) == result;
}

// Memory itself need not have an end where the strings differ before. The shadow has: it is zero where
// nothing is.
bool stringsCompareTo(uint32_t result, uint64_t a, uint64_t b, uint64_t most) {
  if (!hasShadow(a, 1) || !hasShadow(b, 1)) return false;
  const uint8_t *x = shadowAt(a), *y = shadowAt(b);
  for (uint64_t at = 0; at < most && at < FL_COMPUTED_MOST; ++at)
    if (x[at] != y[at] || x[at] == 0) return uint32_t(int(x[at]) - int(y[at])) == result;
  return result == 0 && most <= FL_COMPUTED_MOST;
}

bool hasLength(uint64_t length, uint64_t string) {
  if (!isInReach(string, length + 1)) return false;
  const uint8_t* shadow = shadowAt(string);
  return shadow[length] == 0 && !memchr(shadow, 0, length);
}

bool isFoundAt(uint64_t result, uint64_t memory, uint8_t byte, uint64_t size) {
  uint64_t before = result ? result - memory : size;
  if (!isInReach(memory, result ? before + 1 : size)) return false;
  const uint8_t* shadow = shadowAt(memory);
  return !memchr(shadow, byte, before) && (!result || shadow[before] == byte);
}

bool isFoundInString(uint64_t result, uint64_t string, uint8_t byte) {
  uint64_t length = result ? result - string : strlen(reinterpret_cast<const char*>(string));
  if (!isInReach(string, length + 1)) return false;
  const uint8_t* shadow = shadowAt(string);
  bool ends = result ? shadow[length] == byte : shadow[length] == 0;
  return ends && !memchr(shadow, 0, length) && !memchr(shadow, byte, length);
}

// How many bytes two comparisons of memory have read: up to the first that differ.
uint64_t bytesCompared(uint64_t a, uint64_t b, uint64_t most, bool strings) {
  auto *x = reinterpret_cast<const uint8_t*>(a), *y = reinterpret_cast<const uint8_t*>(b);
  for (uint64_t at = 0; at < most; ++at)
    if (x[at] != y[at] || (strings && x[at] == 0)) return at + 1;
  return most;
}

// What the call has read becomes known: whoever reads it again need not tell.
void learn(uint32_t kind, uint64_t result, uint64_t a0, uint64_t a1, uint64_t a2, uint32_t id) {
  auto range = [id](uint64_t address, uint64_t size) {
    if (isInReach(address, size)) syncRange(reinterpret_cast<const void*>(address), size, id);
  };
  uint64_t size = 0;
  switch (kind) {
  case FL_COMPUTED_STRLEN:
    return range(a0, result + 1);
  case FL_COMPUTED_MEMCHR:
    return range(a0, result ? result - a0 + 1 : a2);
  case FL_COMPUTED_STRCHR:
    return range(a0, (result ? result - a0 : strlen(reinterpret_cast<const char*>(a0))) + 1);
  case FL_COMPUTED_STRCMP:
    size = bytesCompared(a0, a1, SIZE_MAX, true);
    break;
  default:
    size = bytesCompared(a0, a1, a2, kind == FL_COMPUTED_STRNCMP);
  }
  range(a0, size);
  range(a1, size);
}

bool follows(uint32_t kind, uint64_t result, uint64_t a0, uint64_t a1, uint64_t a2) {
  switch (kind) {
  case FL_COMPUTED_MEMCMP:
    return comparesTo(uint32_t(result), a0, a1, a2);
  case FL_COMPUTED_STRCMP:
    return stringsCompareTo(uint32_t(result), a0, a1, SIZE_MAX);
  case FL_COMPUTED_STRNCMP:
    return stringsCompareTo(uint32_t(result), a0, a1, a2);
  case FL_COMPUTED_STRLEN:
    return hasLength(result, a0);
  case FL_COMPUTED_MEMCHR:
    return isFoundAt(result, a0, uint8_t(a1), a2);
  case FL_COMPUTED_STRCHR:
    return isFoundInString(result, a0, uint8_t(a1));
  default:
    return false;
  }
}

} // namespace
} // namespace fl

using namespace fl;

FL_EXPORT void fl_computed(uint64_t value, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t idAndKind,
                           fl_module* module) {
  FL_STATE.ext = 0;
  barrier();
  auto kind = uint32_t(idAndKind >> 32);
  if (__builtin_expect(follows(kind, value, a0, a1, a2), 1)) return;
  uint32_t id = globalId(uint32_t(idAndKind), module);
  learn(kind, value, a0, a1, a2, id);
  if (follows(kind, value, a0, a1, a2)) return;
  uint8_t* at = putTagAt(open(kSmallRecord), FL_LOG_LOAD8);
  close(put(putUleb(at, id), value));
}

#include "runtime/random.h"

#include "runtime/raw.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

namespace fl {
namespace {

// Who reads more than that gets zeros, but no end of the file: each experiment that opens it pays for it.
constexpr size_t kInFile = 16 << 10, kFileSize = 64 << 20;

// Neighbouring counts must not look alike.
uint64_t mixed(uint64_t x) {
  for (int round = 0; round < 3; ++round) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
  }
  return x ^ (x >> 32);
}

uint64_t numbered(uint64_t number) { return mixed(FL_STATE.world_clock ^ mixed(number)); }
uint64_t next() { return numbered(__atomic_add_fetch(&FL_STATE.world_random, 1, __ATOMIC_RELAXED)); }

} // namespace

bool isRandomGiven() { return started() && FL_STATE.world_clock != 0; }

void drawRandom(void* to, size_t size) {
  auto* at = static_cast<uint8_t*>(to);
  for (size_t k = 0; k < size; k += sizeof(uint64_t)) {
    const uint64_t word = next();
    memcpy(at + k, &word, size - k < sizeof word ? size - k : sizeof word);
  }
}

bool isRandomDevice(const char* path) {
  return strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

long openRandom() {
  long file = raw(SYS_memfd_create, long("random"), MFD_CLOEXEC);
  if (file < 0) return file;
  // Its numbers are its own: whoever draws others besides gets those that he would get without it.
  constexpr uint64_t kFiles = uint64_t(1) << 63;
  uint64_t number = kFiles | __atomic_add_fetch(&FL_STATE.world_files, 1, __ATOMIC_RELAXED) << 32;
  uint64_t some[512];
  for (size_t written = 0; written < kInFile; written += sizeof some) {
    for (uint64_t& word : some) word = numbered(++number);
    if (raw(SYS_write, file, long(some), sizeof some) == sizeof some) continue;
    raw(SYS_close, file);
    return -ENOSPC;
  }
  raw(SYS_lseek, file, 0, SEEK_SET);
  raw(SYS_ftruncate, file, kFileSize);
  return file;
}

} // namespace fl

using namespace fl;

FL_EXPORT ssize_t getrandom(void* to, size_t size, unsigned flags) {
  if (!isRandomGiven()) return REAL(getrandom)(to, size, flags);
  drawRandom(to, size);
  return ssize_t(size);
}

FL_EXPORT int getentropy(void* to, size_t size) {
  constexpr size_t kMost = 256;
  if (!isRandomGiven() || size > kMost) return REAL(getentropy)(to, size);
  drawRandom(to, size);
  return 0;
}

FL_EXPORT uint32_t arc4random() noexcept {
  if (!isRandomGiven()) return REAL(arc4random)();
  uint32_t word;
  drawRandom(&word, sizeof word);
  return word;
}

FL_EXPORT void arc4random_buf(void* to, size_t size) noexcept {
  if (!isRandomGiven()) return REAL(arc4random_buf)(to, size);
  drawRandom(to, size);
}

FL_EXPORT uint32_t arc4random_uniform(uint32_t bound) noexcept {
  if (!isRandomGiven() || bound == 0) return REAL(arc4random_uniform)(bound);
  uint64_t word;
  drawRandom(&word, sizeof word);
  return uint32_t(word % bound);
}

// std::random_device asks the processor, which nobody else would notice.
extern "C" unsigned _ZNSt13random_device9_M_getvalEv(void* device);
FL_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  if (isRandomGiven()) return arc4random();
  eachForItself();
  return REAL(_ZNSt13random_device9_M_getvalEv)(device);
}

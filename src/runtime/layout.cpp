// Another layout of memory, for an experiment: the same run with its variables and heap blocks in other
// places, and with other bytes in memory that nobody has written. A failure that goes away, or becomes
// another one, comes from memory that the program had no business with.
//
// - The first frame lies lower, and what is below it is not zero. (The machine's stack is moved by who starts
// us:
//   the variable that says which layout is as long as it takes.)
// - The heap begins with blocks of all small sizes, of which some are free again: what the program asks for
// comes
//   from the holes between them, in an order of its own, and its neighbours are others. New and freed blocks
//   are filled with a byte that says nothing.
#include "runtime/runtime.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

extern "C" void* __libc_malloc(size_t);
extern "C" void __libc_free(void*);

namespace fl {
namespace {

uint64_t state; // 0: the usual layout

uint64_t next() {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

constexpr size_t kSizes = 64, kEach = 12, kBlocks = kSizes * kEach; // 24, 40, 56 ... bytes
constexpr size_t kFilled = 256 << 10;

void mixHeap() {
  void* blocks[kBlocks];
  size_t sizes[kBlocks];
  for (size_t k = 0; k < kBlocks; ++k) sizes[k] = 24 + 16 * (k % kSizes);
  for (size_t k = kBlocks - 1; k > 0; --k) {
    size_t other = next() % (k + 1), size = sizes[k];
    sizes[k] = sizes[other];
    sizes[other] = size;
  }
  for (size_t k = 0; k < kBlocks; ++k) blocks[k] = __libc_malloc(sizes[k]);
  // Never two neighbours: they would become one.
  size_t first = next() & 1;
  for (size_t k = first; k < kBlocks; k += 2) {
    size_t other = first + 2 * (next() % ((kBlocks - first + 1) / 2));
    void* block = blocks[k];
    blocks[k] = blocks[other];
    blocks[other] = block;
  }
  for (size_t k = first; k < kBlocks; k += 2) __libc_free(blocks[k]);
}

} // namespace

uint64_t frameShift() { return state == 0 ? 0 : 64 * (1 + next() % 1024); }

void startLayout(const char* text) {
  if (!text || (state = strtoull(text, nullptr, 10) * 0x9e3779b97f4a7c15ull) == 0) return;
  mallopt(M_PERTURB, int(1 + next() % 254));
  mixHeap();
}

void fillBelow(uint64_t frameTop) {
  if (state == 0) return;
  auto* words = reinterpret_cast<uint64_t*>(frameTop - kFilled);
  for (size_t k = 0; k < kFilled / sizeof *words; ++k) words[k] = next();
}

} // namespace fl

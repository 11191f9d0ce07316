// Copies of pages, found by hashing. They live behind Server, and are not rolled back themselves.
#include "runtime/pages.h"
#include "runtime/raw.h"

namespace fl {
namespace {

struct Store {
  uint64_t pages[kStoreSlots]; // page number + 1; 0: free
  uint32_t copies[kStoreSlots];
  uint32_t count;
};
static_assert(sizeof(Store) <= kCopiesAddress - kStoreAddress);

Store& store() { return *reinterpret_cast<Store*>(kStoreAddress); }
uint8_t* copyAt(uint32_t number) {
  return reinterpret_cast<uint8_t*>(kCopiesAddress + uint64_t(number) * kPage);
}

uint64_t slotOf(uintptr_t page) {
  uint64_t number = page / kPage;
  uint64_t slot = (number * 0x9e3779b97f4a7c15ull) >> 42;
  while (store().pages[slot] != 0 && store().pages[slot] != number + 1) slot = (slot + 1) & (kStoreSlots - 1);
  return slot;
}

void copyPage(void* to, const void* from) {
  size_t words = kPage / 8;
  asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

void zeroPage(void* page) {
  size_t words = kPage / 8;
  asm volatile("rep stosq" : "+D"(page), "+c"(words) : "a"(0) : "memory");
}

bool isKept(uint64_t slot) { return store().pages[slot] != 0; }

uint8_t* makeRoom(uint64_t slot, uintptr_t page) {
  if (!isKept(slot)) {
    if (store().count >= kStoreSlots / 2)
      fail("the program has too much memory for experiments in one process", "use --method fresh");
    store().pages[slot] = page / kPage + 1;
    store().copies[slot] = store().count++;
  }
  return copyAt(store().copies[slot]);
}

} // namespace

void keepPage(uintptr_t page) {
  copyPage(makeRoom(slotOf(page), page), reinterpret_cast<void*>(page));
  ++FL_EXPERIMENTS.pages_saved;
}

void restorePage(uintptr_t page) {
  uint64_t slot = slotOf(page);
  ++FL_EXPERIMENTS.pages_restored;
  if (!isKept(slot)) {
    if (!hasDonor()) return zeroPage(reinterpret_cast<void*>(page)); // it was not there yet
    // What one experiment wrote the next one will likely write too: from now on the copy is at hand.
    uint8_t* copy = makeRoom(slot, page);
    if (!readDonor(page, copy)) zeroPage(copy);
  }
  copyPage(reinterpret_cast<void*>(page), copyAt(store().copies[slot]));
}

void dropPages() {
  raw(SYS_madvise, long(kStoreAddress), long(sizeof(Store)), MADV_DONTNEED);
  raw(SYS_madvise, long(kCopiesAddress), long(kStoreSlots * kPage), MADV_DONTNEED);
}

void forgetPages(uintptr_t begin, uintptr_t size) {
  forgetDonor(begin, size);
  unwatch(begin, size);
  auto clear = [&](uint64_t slot) {
    if (isKept(slot)) zeroPage(copyAt(store().copies[slot]));
  };
  if (size / kPage < kStoreSlots / 16) {
    for (uintptr_t page = begin & ~(kPage - 1); page < begin + size; page += kPage) clear(slotOf(page));
    return;
  }
  for (uint64_t slot = 0; slot < kStoreSlots; ++slot)
    if (store().pages[slot] > begin / kPage && store().pages[slot] <= (begin + size) / kPage) clear(slot);
}

} // namespace fl

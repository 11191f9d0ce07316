// FINAL: a hash of every shadow page in use, so that replay can prove that it ended in the same memory. Runs
// when the process is about to die, maybe of a ruined heap or a full stack: static buffers, raw system calls.
#include "runtime/log.h"
#include "runtime/maps.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace fl {

// Collects pages and writes them a record at a time.
class PageList {
public:
  void add(uintptr_t page, uint64_t hash) {
    entries_[count_++] = {page, hash};
    if (count_ == kMost) flush();
  }
  void flush() {
    if (count_ > 0) write();
    count_ = 0;
  }
  void write() {
    uint8_t* at = fl::open(kLargeRecord);
    *at++ = FL_LOG_FINAL;
    at = putUleb(at, count_);
    memcpy(at, entries_, count_ * sizeof entries_[0]);
    fl::close(at + count_ * sizeof entries_[0]);
  }

private:
  struct Entry {
    uint64_t page, hash;
  };
  static constexpr size_t kMost = kPiece / sizeof(Entry);
  Entry entries_[kMost];
  size_t count_ = 0;
};

static Maps maps;
static PageList list;
static constexpr size_t kPagesAtOnce = 1 << 16;
static unsigned char resident[kPagesAtOnce + 1];

static bool isZero(const uint8_t* page) {
  uint64_t any = 0;
  for (size_t i = 0; i < kPage && !any; i += 64)
    for (size_t j = 0; j < 64; j += 8) {
      uint64_t word;
      memcpy(&word, page + i + j, 8);
      any |= word;
    }
  return any == 0;
}

// Pages [begin, end) of the program, at most kPagesAtOnce. A page's shadow lies across two pages.
static void hashPages(uintptr_t begin, uintptr_t end) {
  uintptr_t first = uintptr_t(shadowOf(reinterpret_cast<void*>(begin))) & ~(kPage - 1);
  if (raw(SYS_mincore, long(first), long(end - begin + kPage), long(resident)) != 0) return;
  for (size_t i = 0; i < (end - begin) / kPage; ++i) {
    if (!((resident[i] | resident[i + 1]) & 1)) continue;
    uintptr_t page = begin + i * kPage;
    const uint8_t* shadow = shadowOf(reinterpret_cast<void*>(page));
    if (!isZero(shadow)) list.add(page, XXH64(shadow, kPage, 0));
  }
}

static void hashRange(uintptr_t begin, uintptr_t end) {
  while (begin < end) {
    uintptr_t next = end - begin > kPagesAtOnce * kPage ? begin + kPagesAtOnce * kPage : end;
    hashPages(begin, next);
    begin = next;
  }
}

// The log and the state are no memory of the program's.
static bool isOurs(uintptr_t begin) {
  return begin >= FL_EPOCH_ADDRESS && begin < FL_EPOCH_ADDRESS + FL_SHARED_SIZE;
}

void logFinal() {
  if (!maps.open()) return;
  Maps::Area area;
  while (maps.next(area))
    if (area.readable && !isOurs(area.begin) && hasShadow(area.begin, area.end - area.begin))
      hashRange(area.begin, area.end);
  maps.close();
  list.flush();
  list.write(); // empty: the list is complete
}

} // namespace fl

// All memory that was written is looked through for what such a lock looks like (glibc's own layout): libc
// has some that nobody else can name. What only looks like one is taken for one.
#include "runtime/held_locks.h"

#include "runtime/maps.h"
#include "runtime/runtime.h"

#include <pthread.h>

namespace fl {
namespace {

Maps maps;
constexpr size_t kPagesAtOnce = 1 << 16;
unsigned char resident[kPagesAtOnce];

// Plain ones are released by whoever asks.
bool isHeldMutex(const pthread_mutex_t& mutex, int thread) {
  constexpr int kRobust = 16, kInherit = 32, kKnown = 0x3ff;
  const auto& m = mutex.__data;
  if (m.__owner != thread || m.__nusers != 1 || (m.__kind & ~kKnown)) return false;
  if (m.__kind & (kRobust | kInherit)) return (m.__lock & FUTEX_TID_MASK) == thread;
  const int type = m.__kind & 3;
  const bool isRecursive = type == PTHREAD_MUTEX_RECURSIVE_NP && m.__count > 0;
  const bool counts = isRecursive || (type == PTHREAD_MUTEX_ERRORCHECK_NP && m.__count == 0);
  return counts && (m.__lock == 1 || m.__lock == 2) && !m.__list.__prev && !m.__list.__next;
}

bool isHeldForWriting(const pthread_rwlock_t& lock, int thread) {
  constexpr unsigned kWriting = 3; // it is the phase of writers, and there is one
  const auto& l = lock.__data;
  return l.__cur_writer == thread && (l.__readers & kWriting) == kWriting && l.__writers == 0 &&
         (l.__wrphase_futex & 1) && (l.__writers_futex & 1) && l.__pad3 == 0 && l.__pad4 == 0;
}

bool hasHeldLock(uintptr_t begin, uintptr_t end, int thread) {
  for (uintptr_t at = begin; at + sizeof(pthread_mutex_t) <= end; at += 8) {
    if (isHeldMutex(*reinterpret_cast<const pthread_mutex_t*>(at), thread)) return true;
    const bool fits = at + sizeof(pthread_rwlock_t) <= end;
    if (fits && isHeldForWriting(*reinterpret_cast<const pthread_rwlock_t*>(at), thread)) return true;
  }
  return false;
}

// Pages [begin, end), at most kPagesAtOnce; neighbours together, as a lock may lie across two.
bool hasHeldLockInUse(uintptr_t begin, uintptr_t end, int thread) {
  if (raw(SYS_mincore, long(begin), long(end - begin), long(resident)) != 0) return true;
  const size_t pages = (end - begin) / kPage;
  for (size_t first = 0, last; first < pages; first = last + 1) {
    for (last = first; last < pages && (resident[last] & 1);) ++last;
    if (hasHeldLock(begin + first * kPage, begin + last * kPage, thread)) return true;
  }
  return false;
}

} // namespace

bool holdsLocks() {
  const int thread = threadId();
  if (!maps.open()) return true;
  bool found = false;
  Maps::Area area;
  while (!found && maps.next(area)) {
    const bool isProgram = area.readable && area.writable && area.isPrivate &&
                           area.begin != FL_EPOCH_ADDRESS && hasShadow(area.begin, area.end - area.begin);
    for (uintptr_t at = area.begin; isProgram && !found && at < area.end; at += kPagesAtOnce * kPage)
      found = hasHeldLockInUse(
          at, area.end - at > kPagesAtOnce * kPage ? at + kPagesAtOnce * kPage : area.end, thread);
  }
  maps.close();
  return found;
}

} // namespace fl

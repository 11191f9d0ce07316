#include "runtime/ordered.h"

#include "runtime/raw.h"
#include "runtime/real.h"

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <threads.h>

namespace fl {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kMillisecond = 1'000'000;

Thread* firstMade;
uint64_t waits; // so many have begun: who waits longest is woken first

uint64_t nanoseconds(const timespec& t) { return uint64_t(t.tv_sec) * kSecond + uint64_t(t.tv_nsec); }

uint64_t clockNow(clockid_t clock) {
  timespec now = {};
  raw(SYS_clock_gettime, clock, long(&now));
  return nanoseconds(now);
}

// The thread that has waited longest for `object`, and was not woken yet.
Thread* longestWaiting(const volatile void* object) {
  Thread* found = nullptr;
  auto look = [&](Thread* t) {
    if (t->awaited == object && t->ready && !t->woken && (!found || t->order < found->order)) found = t;
  };
  look(&mainThread);
  for (Thread* t = firstMade; t; t = t->nextMade) look(t);
  return found;
}

bool isWoken(const Thread* thread) { return thread->woken; }

} // namespace

void addThread(Thread* thread) {
  thread->nextMade = firstMade;
  firstMade = thread;
}

Thread* threadOf(unsigned long handle) {
  for (Thread* t = firstMade; t; t = t->nextMade)
    if (t->handle == handle) return t;
  return nullptr;
}

bool canGoOn(const Thread* thread) {
  if (!thread->ready || thread->pending || thread->cancelled) return true;
  if (thread->until && scheduleTime() >= thread->until) return true;
  return thread->ready(thread);
}

uint64_t scheduleTimeIn(uint64_t interval) {
  // Clocks are never read at the very same moment: what differs by less must not matter.
  return scheduleTime() + (interval / kMillisecond + 1) * kMillisecond;
}

uint64_t scheduleTimeAt(clockid_t clock, const timespec* time) {
  uint64_t now = clockNow(clock), then = nanoseconds(*time);
  return scheduleTimeIn(then > now ? then - now : 0);
}

Waited waitInOrder(Thread* thread, Ready ready, const volatile void* object, uint64_t value, uint64_t until) {
  enterBusy(thread);
  thread->awaited = object;
  thread->value = value;
  thread->until = until;
  thread->order = ++waits;
  barrier();
  thread->ready = ready;
  yieldTurn(thread);
  bool isReady = ready(thread);
  bool late = until && scheduleTime() >= until;
  thread->ready = nullptr;
  thread->awaited = nullptr;
  thread->cancelled = false;
  leaveBusy(thread); // a signal's handler runs here
  return isReady ? Waited::Ready : late ? Waited::TimedOut : Waited::Interrupted;
}

Waited waitInCall(Thread* thread, Ready ready, const volatile void* object, uint64_t value, uint64_t until) {
  for (;;) {
    pthread_testcancel();
    thread->restarts = true; // if it is woken for nothing
    Waited how = waitInOrder(thread, ready, object, value, until);
    pthread_testcancel();
    if (how != Waited::Interrupted || !thread->restarts) return how;
  }
}

bool awaitClock(Thread* thread, clockid_t clock, const timespec* time) {
  enterBusy(thread);
  uint64_t end = nanoseconds(*time);
  for (uint64_t now; (now = clockNow(clock)) < end && !thread->pending;) {
    uint64_t part = end - now < 5 * kMillisecond ? end - now : 5 * kMillisecond;
    timespec t = {0, long(part)};
    raw(SYS_nanosleep, long(&t), 0);
  }
  bool interrupted = thread->pending;
  leaveBusy(thread);
  return !interrupted;
}

} // namespace fl

using namespace fl;

// ---- condition variables
// -------------------------------------------------------------------------------------

namespace {

bool waitsInOrder() { return inOrder() && threaded() && self && !self->busy && holds(self); }

// One that another process may signal is left to libc; so glibc notes it.
bool isShared(const pthread_cond_t* condition) { return condition->__data.__wrefs & 1; }

int waitForCondition(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                     const timespec* time) {
  Thread* thread = self;
  int status = REAL(pthread_mutex_unlock)(mutex);
  if (status != 0) return status;
  thread->woken = false;
  uint64_t until = time ? scheduleTimeAt(clock, time) : 0;
  Waited how = waitInOrder(thread, isWoken, condition, 0, until); // it may be woken for nothing
  if (how == Waited::TimedOut) awaitClock(thread, clock, time);
  pthread_mutex_lock(mutex);
  pthread_testcancel();
  return how == Waited::TimedOut ? ETIMEDOUT : 0;
}

// glibc keeps the clock that pthread_condattr_setclock chose in the bit beside.
clockid_t clockOf(const pthread_cond_t* condition) {
  return condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int fromC11(int status) {
  return status == 0 ? thrd_success : status == ETIMEDOUT ? thrd_timedout : thrd_error;
}

} // namespace

FL_EXPORT int pthread_cond_signal(pthread_cond_t* condition) {
  if (inOrder())
    if (Thread* t = longestWaiting(condition)) t->woken = true;
  return REAL_VERSION(pthread_cond_signal, "GLIBC_2.3.2")(condition);
}
FL_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (inOrder())
    while (Thread* t = longestWaiting(condition)) t->woken = true;
  return REAL_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2")(condition);
}

namespace fl {
// For blocking.cpp: false if libc is to wait.
bool conditionInOrder(pthread_cond_t* condition, pthread_mutex_t* mutex, const clockid_t* clock,
                      const timespec* time, int& status) {
  if (isShared(condition) || !waitsInOrder()) return false;
  status = waitForCondition(condition, mutex, clock ? *clock : clockOf(condition), time);
  return true;
}
} // namespace fl

FL_EXPORT int cnd_signal(cnd_t* condition) {
  return fromC11(pthread_cond_signal(reinterpret_cast<pthread_cond_t*>(condition)));
}
FL_EXPORT int cnd_broadcast(cnd_t* condition) {
  return fromC11(pthread_cond_broadcast(reinterpret_cast<pthread_cond_t*>(condition)));
}
FL_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return fromC11(pthread_cond_wait(reinterpret_cast<pthread_cond_t*>(condition),
                                   reinterpret_cast<pthread_mutex_t*>(mutex)));
}
FL_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return fromC11(pthread_cond_timedwait(reinterpret_cast<pthread_cond_t*>(condition),
                                        reinterpret_cast<pthread_mutex_t*>(mutex), until));
}

// ---- barriers and threads
// ------------------------------------------------------------------------------------

namespace {
// As glibc lays it out.
struct Barrier {
  uint32_t in, round, count;
  int shared;
};
} // namespace

namespace fl {
bool barrierInOrder(pthread_barrier_t* barrier, int& status) {
  auto* b = reinterpret_cast<Barrier*>(barrier);
  if (b->shared || !waitsInOrder()) return false;
  uint32_t here = 1;
  auto count = [&](const Thread* t) { here += t->awaited == b && t->ready && !t->woken; };
  count(&mainThread);
  for (Thread* t = firstMade; t; t = t->nextMade) count(t);
  if (here >= b->count) {
    while (Thread* t = longestWaiting(b)) t->woken = true;
    status = PTHREAD_BARRIER_SERIAL_THREAD;
    return true;
  }
  self->woken = false;
  while (waitInOrder(self, isWoken, b, 0, 0) != Waited::Ready) {
  }
  status = 0;
  return true;
}

// Its end is seen here, not in the kernel; libc then has to wait for next to nothing.
bool joinInOrder(unsigned long handle) {
  Thread* other = waitsInOrder() ? threadOf(handle) : nullptr;
  if (!other) return false;
  auto hasEnded = [](const Thread* t) { return static_cast<const volatile Thread*>(t->awaited)->ended; };
  while (!other->ended) {
    waitInOrder(self, hasEnded, other, 0, 0);
    pthread_testcancel();
  }
  other->handle = 0;
  return true;
}
} // namespace fl

FL_EXPORT int pthread_cancel(pthread_t handle) {
  if (inOrder())
    if (Thread* t = threadOf(handle)) t->cancelled = true;
  return REAL(pthread_cancel)(handle);
}

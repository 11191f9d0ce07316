// Calls in which a thread may wait for another: it gives its turn away meanwhile. In a program with one
// thread they cost a test. Where it can be told cheaply, a call that will not wait keeps the turn.
#include "runtime/experiment.h"
#include "runtime/ordered.h"
#include "runtime/raw.h"
#include "runtime/real.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

namespace fl { // ordered.cpp; false: libc is to wait
bool conditionInOrder(pthread_cond_t* condition, pthread_mutex_t* mutex, const clockid_t* clock,
                      const timespec* time, int& status);
bool barrierInOrder(pthread_barrier_t* barrier, int& status);
bool joinInOrder(unsigned long handle);
} // namespace fl

namespace {
using namespace fl;

bool mayYield() { return threaded() && self && !self->busy && holds(self); }

// Without the turn for a scope, if the thread has it.
class Waiting {
public:
  Waiting() : thread_(mayYield() ? self : nullptr) {
    if (thread_) giveTurn(thread_);
  }
  ~Waiting() {
    if (!thread_) return;
    KeepErrno keep;
    if (!holds(thread_)) takeTurn(thread_);
  }

private:
  Thread* thread_;
};

void maybeYield() {
  if (mayYield() && mayYieldHere()) yieldTurn(self);
}

bool waitsInOrder() { return inOrder() && mayYield(); }

// ---- what a thread may wait for under a seed: whether it is there, as glibc notes it

bool isMutexFree(const Thread* t) {
  int lock = static_cast<const volatile pthread_mutex_t*>(t->awaited)->__data.__lock;
  return lock == 0 || (lock & FUTEX_OWNER_DIED);
}
constexpr uint32_t kWriteLocked = 2, kReaderShift = 3;
uint32_t readersOf(const Thread* t) {
  return static_cast<const volatile pthread_rwlock_t*>(t->awaited)->__data.__readers;
}
bool mayRead(const Thread* t) { return !(readersOf(t) & kWriteLocked); }
bool mayWrite(const Thread* t) { return !(readersOf(t) & kWriteLocked) && readersOf(t) >> kReaderShift == 0; }
bool isSemaphoreUp(const Thread* t) {
  int value = 0;
  sem_getvalue(static_cast<sem_t*>(const_cast<void*>(const_cast<const void*>(t->awaited))), &value);
  return value > 0;
}
bool isAnything(const Thread*) { return true; }
bool isNothing(const Thread*) { return false; }
bool hasChanged(const Thread* t) {
  return *static_cast<const volatile uint32_t*>(t->awaited) != uint32_t(t->value);
}
bool isOnceOver(const Thread* t) { return *static_cast<const volatile int*>(t->awaited) & 2; }
bool isDescriptorReady(const Thread* t) {
  pollfd one = {int(t->value >> 16), short(t->value & 0xffff), 0};
  timespec now = {0, 0};
  return raw(SYS_ppoll, long(&one), 1, long(&now), 0, 8) != 0;
}

// libc says so, or waits for itself.
bool isOwn(const pthread_mutex_t* mutex) { return mutex->__data.__owner == self->id; }
bool isOwn(const mtx_t* mutex) { return isOwn(reinterpret_cast<const pthread_mutex_t*>(mutex)); }
bool isOwn(const volatile void*) { return false; }

// Tries until it is not busy, or the schedule's time is over.
template <class Attempt>
int tryInOrder(Attempt attempt, int busy, int late, Ready ready, const void* object, uint64_t until) {
  for (;;) {
    if (waitInOrder(self, ready, object, 0, until) == Waited::TimedOut) return late;
    if (int status = attempt(); status != busy) return status;
  }
}

// In the schedule's time, then in what is left of the real one. The rest of it goes to `left`.
bool sleepInOrder(uint64_t nanoseconds, timespec* left) {
  timespec end = {};
  raw(SYS_clock_gettime, CLOCK_MONOTONIC, long(&end));
  uint64_t at = uint64_t(end.tv_sec) * 1'000'000'000 + uint64_t(end.tv_nsec) + nanoseconds;
  end = {time_t(at / 1'000'000'000), long(at % 1'000'000'000)};
  pthread_testcancel();
  bool whole = waitInOrder(self, isNothing, nullptr, 0, scheduleTimeIn(nanoseconds)) == Waited::TimedOut &&
               awaitClock(self, CLOCK_MONOTONIC, &end);
  pthread_testcancel();
  if (whole) return true;
  timespec now = {};
  raw(SYS_clock_gettime, CLOCK_MONOTONIC, long(&now));
  uint64_t passed = uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
  uint64_t rest = at > passed ? at - passed : 0;
  if (left) *left = {time_t(rest / 1'000'000'000), long(rest % 1'000'000'000)};
  errno = EINTR;
  return false;
}
uint64_t lengthOf(const timespec* t) { return uint64_t(t->tv_sec) * 1'000'000'000 + uint64_t(t->tv_nsec); }

// Would reading or writing have to wait?
bool wouldWait(int fd, short events) {
  if (!threaded()) return false;
  pollfd one = {fd, events, 0};
  timespec now = {0, 0};
  return raw(SYS_ppoll, long(&one), 1, long(&now), 0, 8) == 0;
}

} // namespace

#define FL_WAITS(result, name, parameters, arguments)                                                        \
  FL_EXPORT result name parameters {                                                                         \
    Waiting waiting;                                                                                         \
    return REAL(name) arguments;                                                                             \
  }
// Tries first with a call that does not wait. `ready` of `object` tells when to try again, `end` when the
// schedule's time is over for which it returns `late`.
#define FL_TRIES(name, attempt, busy, ready, object, end, late, parameters, arguments)                       \
  FL_EXPORT int name parameters {                                                                            \
    maybeYield();                                                                                            \
    int status = threaded() ? attempt : busy;                                                                \
    if (status != busy) return status;                                                                       \
    if (waitsInOrder() && !isOwn(object))                                                                    \
      return tryInOrder([&] { return attempt; }, busy, late, ready, object, end);                            \
    Waiting waiting;                                                                                         \
    return REAL(name) arguments;                                                                             \
  }
#define FL_WAITS_FOR(result, name, events, parameters, arguments)                                            \
  FL_EXPORT result name parameters {                                                                         \
    if (!wouldWait(fd, events)) return REAL(name) arguments;                                                 \
    if (waitsInOrder()) {                                                                                    \
      uint64_t what = uint64_t(uint32_t(fd)) << 16 | uint16_t(events);                                       \
      if (waitInCall(self, isDescriptorReady, nullptr, what, 0) == Waited::Ready)                            \
        return REAL(name) arguments;                                                                         \
      errno = EINTR;                                                                                         \
      return -1;                                                                                             \
    }                                                                                                        \
    Waiting waiting;                                                                                         \
    return REAL(name) arguments;                                                                             \
  }

FL_EXPORT int pthread_join(pthread_t thread, void** value) {
  if (joinInOrder(thread)) return REAL(pthread_join)(thread, value);
  Waiting waiting;
  return REAL(pthread_join)(thread, value);
}
FL_WAITS(int, pthread_tryjoin_np, (pthread_t thread, void** value), (thread, value))
FL_WAITS(int, pthread_timedjoin_np, (pthread_t thread, void** value, const timespec* until),
         (thread, value, until))
FL_TRIES(pthread_mutex_lock, pthread_mutex_trylock(mutex), EBUSY, isMutexFree, mutex, 0, 0,
         (pthread_mutex_t * mutex), (mutex))
FL_TRIES(pthread_mutex_timedlock, pthread_mutex_trylock(mutex), EBUSY, isMutexFree, mutex,
         scheduleTimeAt(CLOCK_REALTIME, until), ETIMEDOUT, (pthread_mutex_t * mutex, const timespec* until),
         (mutex, until))
FL_TRIES(pthread_mutex_clocklock, pthread_mutex_trylock(mutex), EBUSY, isMutexFree, mutex,
         scheduleTimeAt(clock, until), ETIMEDOUT,
         (pthread_mutex_t * mutex, clockid_t clock, const timespec* until), (mutex, clock, until))
FL_TRIES(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock(rwlock), EBUSY, mayRead, rwlock, 0, 0,
         (pthread_rwlock_t * rwlock), (rwlock))
FL_TRIES(pthread_rwlock_wrlock, pthread_rwlock_trywrlock(rwlock), EBUSY, mayWrite, rwlock, 0, 0,
         (pthread_rwlock_t * rwlock), (rwlock))
FL_TRIES(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock(rwlock), EBUSY, mayRead, rwlock,
         scheduleTimeAt(CLOCK_REALTIME, until), ETIMEDOUT, (pthread_rwlock_t * rwlock, const timespec* until),
         (rwlock, until))
FL_TRIES(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock(rwlock), EBUSY, mayWrite, rwlock,
         scheduleTimeAt(CLOCK_REALTIME, until), ETIMEDOUT, (pthread_rwlock_t * rwlock, const timespec* until),
         (rwlock, until))
FL_TRIES(pthread_spin_lock, pthread_spin_trylock(spin), EBUSY, isAnything, const_cast<int*>(spin), 0, 0,
         (pthread_spinlock_t * spin), (spin))
FL_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  int status = 0;
  if (barrierInOrder(barrier, status)) return status;
  Waiting waiting;
  return REAL(pthread_barrier_wait)(barrier);
}

FL_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  int status = REAL(pthread_mutex_unlock)(mutex);
  maybeYield();
  return status;
}

// libc keeps an older kind of condition variable under the same names.
FL_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  int status = 0;
  if (conditionInOrder(condition, mutex, nullptr, nullptr, status)) return status;
  Waiting waiting;
  return REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2")(condition, mutex);
}
FL_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                     const timespec* until) {
  int status = 0;
  if (conditionInOrder(condition, mutex, nullptr, until, status)) return status;
  Waiting waiting;
  return REAL_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2")(condition, mutex, until);
}
FL_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                     const timespec* until) {
  int status = 0;
  if (conditionInOrder(condition, mutex, &clock, until, status)) return status;
  Waiting waiting;
  return REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
}

static int trySemaphore(sem_t* semaphore) {
  KeepErrno keep;
  return sem_trywait(semaphore);
}
// 0, or -1 and errno.
static int semaphoreInOrder(sem_t* semaphore, uint64_t until) {
  for (;;) {
    Waited how = waitInCall(self, isSemaphoreUp, semaphore, 0, until);
    if (how == Waited::Ready && trySemaphore(semaphore) == 0) return 0;
    if (how == Waited::Ready) continue;
    errno = how == Waited::TimedOut ? ETIMEDOUT : EINTR;
    return -1;
  }
}
FL_EXPORT int sem_wait(sem_t* semaphore) {
  maybeYield();
  if (threaded() && trySemaphore(semaphore) == 0) return 0;
  if (waitsInOrder()) return semaphoreInOrder(semaphore, 0);
  Waiting waiting;
  return REAL(sem_wait)(semaphore);
}
FL_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  maybeYield();
  if (threaded() && trySemaphore(semaphore) == 0) return 0;
  if (waitsInOrder()) return semaphoreInOrder(semaphore, scheduleTimeAt(CLOCK_REALTIME, until));
  Waiting waiting;
  return REAL(sem_timedwait)(semaphore, until);
}
FL_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  maybeYield();
  if (threaded() && trySemaphore(semaphore) == 0) return 0;
  if (waitsInOrder()) return semaphoreInOrder(semaphore, scheduleTimeAt(clock, until));
  Waiting waiting;
  return REAL(sem_clockwait)(semaphore, clock, until);
}

FL_EXPORT int thrd_join(thrd_t thread, int* value) {
  if (joinInOrder(thread)) return REAL(thrd_join)(thread, value);
  Waiting waiting;
  return REAL(thrd_join)(thread, value);
}
FL_TRIES(mtx_lock, mtx_trylock(mutex), thrd_busy, isMutexFree, mutex, 0, 0, (mtx_t * mutex), (mutex))
FL_TRIES(mtx_timedlock, mtx_trylock(mutex), thrd_busy, isMutexFree, mutex,
         scheduleTimeAt(CLOCK_REALTIME, until), thrd_timedout, (mtx_t * mutex, const timespec* until),
         (mutex, until))
FL_EXPORT int thrd_sleep(const timespec* time, timespec* left) {
  if (waitsInOrder()) return sleepInOrder(lengthOf(time), left) ? 0 : -1;
  Waiting waiting;
  return REAL(thrd_sleep)(time, left);
}
FL_EXPORT int sched_yield() {
  if (mayYield()) yieldTurn(self);
  return raw(SYS_sched_yield) == 0 ? 0 : -1;
}
FL_EXPORT void thrd_yield() { sched_yield(); }

FL_EXPORT int nanosleep(const timespec* time, timespec* left) {
  if (waitsInOrder()) return sleepInOrder(lengthOf(time), left) ? 0 : -1;
  Waiting waiting;
  return REAL(nanosleep)(time, left);
}
FL_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (waitsInOrder()) {
    KeepErrno keep;
    if (flags == 0) return sleepInOrder(lengthOf(time), left) ? 0 : EINTR;
    pthread_testcancel();
    bool whole = waitInOrder(self, isNothing, nullptr, 0, scheduleTimeAt(clock, time)) == Waited::TimedOut;
    return whole && awaitClock(self, clock, time) ? 0 : EINTR;
  }
  Waiting waiting;
  return REAL(clock_nanosleep)(clock, flags, time, left);
}
FL_EXPORT int usleep(useconds_t time) {
  if (waitsInOrder()) return sleepInOrder(uint64_t(time) * 1000, nullptr) ? 0 : -1;
  Waiting waiting;
  return REAL(usleep)(time);
}
FL_EXPORT unsigned sleep(unsigned time) {
  if (waitsInOrder()) {
    timespec left = {};
    return sleepInOrder(uint64_t(time) * 1'000'000'000, &left) ? 0 : unsigned(left.tv_sec + 1);
  }
  Waiting waiting;
  return REAL(sleep)(time);
}
FL_WAITS(int, pause, (), ())
FL_WAITS(int, sigsuspend, (const sigset_t* mask), (mask))
FL_WAITS(int, sigwait, (const sigset_t* set, int* signal), (set, signal))
FL_WAITS(int, sigwaitinfo, (const sigset_t* set, siginfo_t* info), (set, info))
FL_WAITS(int, sigtimedwait, (const sigset_t* set, siginfo_t* info, const timespec* time), (set, info, time))
FL_WAITS(int, poll, (pollfd * fds, nfds_t count, int time), (fds, count, time))
FL_WAITS(int, ppoll, (pollfd * fds, nfds_t count, const timespec* time, const sigset_t* mask),
         (fds, count, time, mask))
FL_WAITS(int, select, (int count, fd_set* r, fd_set* w, fd_set* e, timeval* time), (count, r, w, e, time))
FL_WAITS(int, pselect,
         (int count, fd_set* r, fd_set* w, fd_set* e, const timespec* time, const sigset_t* mask),
         (count, r, w, e, time, mask))
FL_WAITS(int, epoll_wait, (int fd, epoll_event* events, int count, int time), (fd, events, count, time))
FL_WAITS(pid_t, wait, (int* status), (status))
FL_WAITS(pid_t, waitpid, (pid_t pid, int* status, int options), (pid, status, options))
FL_WAITS(int, waitid, (idtype_t type, id_t id, siginfo_t* info, int options), (type, id, info, options))

FL_WAITS_FOR(ssize_t, read, POLLIN, (int fd, void* to, size_t size), (fd, to, size))
FL_WAITS_FOR(ssize_t, write, POLLOUT, (int fd, const void* from, size_t size), (fd, from, size))
FL_WAITS_FOR(ssize_t, recv, POLLIN, (int fd, void* to, size_t size, int flags), (fd, to, size, flags))
FL_WAITS_FOR(ssize_t, send, POLLOUT, (int fd, const void* from, size_t size, int flags),
             (fd, from, size, flags))
FL_WAITS_FOR(ssize_t, recvmsg, POLLIN, (int fd, msghdr* message, int flags), (fd, message, flags))
FL_WAITS_FOR(ssize_t, sendmsg, POLLOUT, (int fd, const msghdr* message, int flags), (fd, message, flags))
FL_WAITS_FOR(ssize_t, readv, POLLIN, (int fd, const iovec* parts, int count), (fd, parts, count))
FL_WAITS_FOR(ssize_t, writev, POLLOUT, (int fd, const iovec* parts, int count), (fd, parts, count))

// The callback needs the turn; who waits for another thread's callback must not have it.
static __thread void (*onceRoutine)();
static void runOnce() {
  void (*routine)() = onceRoutine;
  bool had = !self || holds(self);
  if (!had) takeTurn(self);
  routine();
  if (!had) giveTurn(self);
}
FL_EXPORT int pthread_once(pthread_once_t* control, void (*routine)()) {
  if (!threaded()) return REAL(pthread_once)(control, routine);
  if (waitsInOrder()) {
    // Who is first keeps the turn; the others wait here for it to be over, not in libc.
    while (*static_cast<volatile int*>(control) & 1) waitInOrder(self, isOnceOver, control, 0, 0);
    return REAL(pthread_once)(control, routine);
  }
  onceRoutine = routine;
  Waiting waiting;
  return REAL(pthread_once)(control, runOnce);
}

// std::atomic::wait, static initialisers and hand-made locks come here.
static bool waitsOnFutex(long operation) {
  switch (operation & FUTEX_CMD_MASK) {
  case FUTEX_WAIT:
  case FUTEX_WAIT_BITSET:
  case FUTEX_LOCK_PI:
  case FUTEX_WAIT_REQUEUE_PI:
    return true;
  default:
    return false;
  }
}

static long finishSyscall(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = int(-result);
  return -1;
}

// Where system calls are caught, ours are not: these are the program's.
static long call(long number, const long (&a)[6]) {
  if (serving || scouting) return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return finishSyscall(raw(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

FL_EXPORT long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_fork || number == SYS_vfork) return fork();
  if (number == SYS_exit_group) _exit(int(a[0]));
  bool plainWait = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT || (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
  if (number == SYS_futex && plainWait && a[3] == 0 && waitsInOrder()) {
    auto* word = reinterpret_cast<const volatile uint32_t*>(a[0]);
    if (*word == uint32_t(a[2])) waitInOrder(self, hasChanged, word, uint64_t(a[2]), 0);
    if (*word != uint32_t(a[2])) return 0;
    errno = EINTR;
    return -1;
  }
  if (number == SYS_futex && waitsOnFutex(a[1])) {
    Waiting waiting;
    return call(number, a);
  }
  return call(number, a);
}

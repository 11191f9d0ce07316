// Calls in which a thread may wait for another: it gives its turn away meanwhile. In a program with one
// thread they cost a test. Where it can be told cheaply, a call that will not wait keeps the turn.
#include "runtime/experiment.h"
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
// Tries first with a call that does not wait.
#define FL_TRIES(name, attempt, busy, parameters, arguments)                                                 \
  FL_EXPORT int name parameters {                                                                            \
    maybeYield();                                                                                            \
    int status = threaded() ? attempt : busy;                                                                \
    if (status != busy) return status;                                                                       \
    Waiting waiting;                                                                                         \
    return REAL(name) arguments;                                                                             \
  }
#define FL_WAITS_FOR(result, name, events, parameters, arguments)                                            \
  FL_EXPORT result name parameters {                                                                         \
    if (!wouldWait(fd, events)) return REAL(name) arguments;                                                 \
    Waiting waiting;                                                                                         \
    return REAL(name) arguments;                                                                             \
  }

FL_WAITS(int, pthread_join, (pthread_t thread, void** value), (thread, value))
FL_WAITS(int, pthread_tryjoin_np, (pthread_t thread, void** value), (thread, value))
FL_WAITS(int, pthread_timedjoin_np, (pthread_t thread, void** value, const timespec* until),
         (thread, value, until))
FL_TRIES(pthread_mutex_lock, pthread_mutex_trylock(mutex), EBUSY, (pthread_mutex_t * mutex), (mutex))
FL_TRIES(pthread_mutex_timedlock, pthread_mutex_trylock(mutex), EBUSY,
         (pthread_mutex_t * mutex, const timespec* until), (mutex, until))
FL_TRIES(pthread_mutex_clocklock, pthread_mutex_trylock(mutex), EBUSY,
         (pthread_mutex_t * mutex, clockid_t clock, const timespec* until), (mutex, clock, until))
FL_TRIES(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock(rwlock), EBUSY, (pthread_rwlock_t * rwlock),
         (rwlock))
FL_TRIES(pthread_rwlock_wrlock, pthread_rwlock_trywrlock(rwlock), EBUSY, (pthread_rwlock_t * rwlock),
         (rwlock))
FL_TRIES(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock(rwlock), EBUSY,
         (pthread_rwlock_t * rwlock, const timespec* until), (rwlock, until))
FL_TRIES(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock(rwlock), EBUSY,
         (pthread_rwlock_t * rwlock, const timespec* until), (rwlock, until))
FL_TRIES(pthread_spin_lock, pthread_spin_trylock(spin), EBUSY, (pthread_spinlock_t * spin), (spin))
FL_WAITS(int, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier))

FL_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  int status = REAL(pthread_mutex_unlock)(mutex);
  maybeYield();
  return status;
}

// libc keeps an older kind of condition variable under the same names.
FL_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Waiting waiting;
  return REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2")(condition, mutex);
}
FL_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                     const timespec* until) {
  Waiting waiting;
  return REAL_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2")(condition, mutex, until);
}
FL_WAITS(int, pthread_cond_clockwait,
         (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until),
         (condition, mutex, clock, until))

static int trySemaphore(sem_t* semaphore) {
  KeepErrno keep;
  return sem_trywait(semaphore);
}
FL_TRIES(sem_wait, trySemaphore(semaphore), -1, (sem_t * semaphore), (semaphore))
FL_TRIES(sem_timedwait, trySemaphore(semaphore), -1, (sem_t * semaphore, const timespec* until),
         (semaphore, until))
FL_TRIES(sem_clockwait, trySemaphore(semaphore), -1,
         (sem_t * semaphore, clockid_t clock, const timespec* until), (semaphore, clock, until))

FL_WAITS(int, thrd_join, (thrd_t thread, int* value), (thread, value))
FL_TRIES(mtx_lock, mtx_trylock(mutex), thrd_busy, (mtx_t * mutex), (mutex))
FL_TRIES(mtx_timedlock, mtx_trylock(mutex), thrd_busy, (mtx_t * mutex, const timespec* until), (mutex, until))
FL_WAITS(int, cnd_wait, (cnd_t * condition, mtx_t* mutex), (condition, mutex))
FL_WAITS(int, cnd_timedwait, (cnd_t * condition, mtx_t* mutex, const timespec* until),
         (condition, mutex, until))
FL_WAITS(int, thrd_sleep, (const timespec* time, timespec* left), (time, left))
FL_EXPORT int sched_yield() {
  if (mayYield()) yieldTurn(self);
  return raw(SYS_sched_yield) == 0 ? 0 : -1;
}
FL_EXPORT void thrd_yield() { sched_yield(); }

FL_WAITS(int, nanosleep, (const timespec* time, timespec* left), (time, left))
FL_WAITS(int, clock_nanosleep, (clockid_t clock, int flags, const timespec* time, timespec* left),
         (clock, flags, time, left))
FL_WAITS(int, usleep, (useconds_t time), (time))
FL_WAITS(unsigned, sleep, (unsigned time), (time))
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
  if (serving) return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
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
  if (number == SYS_futex && waitsOnFutex(a[1])) {
    Waiting waiting;
    return call(number, a);
  }
  return call(number, a);
}

// A forked child goes on from a copy of what its parent had logged: in a log of its own, if the recorder
// wants children recorded and gives it one, else in a private copy of the shared memory in which nobody
// listens. In no case does what it does reach its parent's log.
#include "runtime/log.h"
#include "runtime/raw.h"
#include "runtime/real.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

namespace fl {

void moveState(int flags, int fd, const fl_state& state, uint64_t epoch) {
  long at =
      raw(SYS_mmap, long(FL_EPOCH_ADDRESS), FL_SHARED_SIZE, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
  if (at != long(FL_EPOCH_ADDRESS)) fail("no memory for a copy of the state", "free some");
  FL_STATE = state;
  FL_EPOCH = epoch;
}

static void mapPrivate(const fl_state& state, uint64_t epoch) {
  moveState(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, state, epoch);
  FL_STATE.flags |= FL_FLAG_OFF;
}

void goPrivate() {
  fl_state state = FL_STATE;
  mapPrivate(state, FL_EPOCH);
}

// The state at the moment of the fork. In the child the shared one is still the parent's, which goes on.
static fl_state forked;
static uint64_t forkedEpoch;

// Registered first, so it runs after the program's own handlers; nothing is logged between it and the fork.
static void beforeFork() {
  if (!off() && (FL_STATE.flags & FL_FLAG_CHILDREN) && self && holds(self)) flushLog();
  forked = FL_STATE;
  forkedEpoch = FL_EPOCH;
}

static bool beginChildLog() {
  if (!(forked.flags & FL_FLAG_CHILDREN) || !self || !self->holding) return false;
  int fd = askForChildLog(forked.stream, forked.produced, forked.forks + 1);
  if (fd < 0) return false;
  long at = raw(SYS_mmap, long(FL_EPOCH_ADDRESS), FL_SHARED_SIZE, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, fd, 0);
  raw(SYS_close, fd);
  if (at != long(FL_EPOCH_ADDRESS)) return false;
  FL_EPOCH = forkedEpoch;
  FL_STATE.ext = forked.ext;
  FL_STATE.frame_top = forked.frame_top;
  FL_STATE.thread = forked.thread;
  startChildLog();
  return true;
}

static void inChild() {
  if (forked.flags & FL_FLAG_OFF) return;
  bool listenedTo = beginChildLog();
  if (!listenedTo) {
    mapPrivate(forked, forkedEpoch);
    FL_STATE.flags = FL_FLAG_OFF; // and not threaded: the other threads are not in the child
  }
  // Parent and children draw other random numbers.
  FL_STATE.world_random += uint64_t(forked.forks + 1) << 40;
  if (self) {
    self->pending = 0; // nor are signals that waited for the parent
    resetTurns(self);
  }
  if (listenedTo) logFork(0);
}

static void inParent() {
  if (!off()) ++FL_STATE.forks;
}

// Also for the forks that libc does by itself: forkpty, daemon.
void startForks() { pthread_atfork(beforeFork, inParent, inChild); }

} // namespace fl

using namespace fl;

FL_EXPORT pid_t fork() {
  Thread* thread = self;
  if (!thread || off()) return REAL(fork)();
  enterBusy(thread);
  pid_t pid = REAL(fork)();
  KeepErrno keep;
  if (pid > 0 && thread->holding) logFork(uint32_t(pid));
  if (pid < 0) --FL_STATE.forks;
  leaveBusy(thread);
  return pid;
}

// libc's own ends the parent past us.
FL_EXPORT int daemon(int keepDirectory, int keepStreams) {
  pid_t pid = fork();
  if (pid < 0) return -1;
  if (pid > 0) _exit(0);
  if (setsid() < 0) return -1;
  if (!keepDirectory && chdir("/") != 0) return -1;
  if (keepStreams) return 0;
  int null = ::open("/dev/null", O_RDWR);
  if (null < 0) return -1;
  for (int stream = 0; stream < 3; ++stream) dup2(null, stream);
  if (null > 2) ::close(null);
  return 0;
}

// The child of a real vfork would run instrumented code on our log while we wait for it.
FL_EXPORT pid_t vfork() { return fork(); }
FL_EXPORT pid_t __vfork() { return fork(); }
FL_EXPORT pid_t __fork() { return fork(); }
FL_EXPORT pid_t _Fork() {
  pid_t pid = fork();
  return pid;
}

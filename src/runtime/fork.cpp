// A forked child is left alone: it goes on with a private copy of the shared memory in which nobody listens,
// so that nothing it does reaches the recording.
#include "runtime/log.h"
#include "runtime/raw.h"
#include "runtime/real.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

namespace fl {

void goPrivate() {
  fl_state state = FL_STATE;
  uint64_t epoch = FL_EPOCH;
  long at = raw(SYS_mmap, long(FL_EPOCH_ADDRESS), FL_SHARED_SIZE, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (at != long(FL_EPOCH_ADDRESS)) fail("no memory for a private copy of the state", "free some");
  FL_STATE = state;
  FL_EPOCH = epoch;
  FL_STATE.flags |= FL_FLAG_OFF;
}

static void detach() {
  if (off()) return;
  goPrivate();
  FL_STATE.flags = FL_FLAG_OFF; // and not threaded: the other threads are not in the child
  if (self) resetTurns(self);
}

// Also for the forks that libc does by itself: forkpty, daemon.
void startForks() { pthread_atfork(nullptr, nullptr, detach); }

} // namespace fl

using namespace fl;

FL_EXPORT pid_t fork() {
  Thread* thread = self;
  if (!thread || off()) return REAL(fork)();
  enterBusy(thread);
  pid_t pid = REAL(fork)();
  KeepErrno keep;
  if (pid > 0 && thread->holding) logFork(uint32_t(pid));
  leaveBusy(thread);
  return pid;
}

// The child of a real vfork would run instrumented code on our log while we wait for it.
FL_EXPORT pid_t vfork() { return fork(); }
FL_EXPORT pid_t __vfork() { return fork(); }
FL_EXPORT pid_t __fork() { return fork(); }
FL_EXPORT pid_t _Fork() {
  pid_t pid = fork();
  return pid;
}

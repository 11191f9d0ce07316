// Threads of the program: each has a number, a frame stack and a signal stack of its own, and begins and ends
// with the turn.
#include "runtime/log.h"
#include "runtime/ordered.h"
#include "runtime/raw.h"
#include "runtime/real.h"
#include "runtime/signals.h"

#include <limits.h>
#include <pthread.h>
#include <threads.h>

namespace fl {

static pthread_key_t endKey;
static uint32_t lastNumber;

uint32_t newThreadNumber() { return ++lastNumber; }

// Destructors of thread-specific values may run the program's code, so the turn is given up in the last of
// the rounds that libc makes over them.
static void onThreadEnd(void* value) {
  auto* thread = static_cast<Thread*>(value);
  if (++thread->destructorRounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(endKey, thread);
    return;
  }
  enterBusy(thread);
  // ext stays: a thread that ended in pthread_exit, or was cancelled, remains in that call for ever.
  thread->ended = true;
  if (holds(thread)) giveTurn(thread);
  self = nullptr;
  dropSignalStack(thread);
}

static void becomeThreaded() {
  if (threaded()) return;
  pthread_key_create(&endKey, onThreadEnd);
  pthread_setspecific(endKey, self);
  FL_STATE.flags |= FL_FLAG_THREADED;
  startTicker();
  startOrder();
}

static uint64_t stackSizeOf(const pthread_attr_t* attributes) {
  size_t size = 0;
  if (!attributes || pthread_attr_getstacksize(attributes, &size) != 0) return 0;
  return size + size / 4; // frames with guard words are larger than the program's own
}

static Thread* makeThread(uint64_t stackSize) {
  void* at = mmap(nullptr, sizeof(Thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto* thread = static_cast<Thread*>(at);
  thread->number = newThreadNumber();
  thread->frameTop = mapFrameStack(stackSize);
  if (thread->frameTop == 0) {
    munmap(at, sizeof(Thread));
    return nullptr;
  }
  thread->fresh = true;
  thread->busy = 1;
  thread->ext = FL_EXT_ROOT;
  thread->programStack.ss_flags = SS_DISABLE;
  thread->blockedByProgram = self->blockedByProgram;
  return thread;
}

static void beginThread(Thread* thread) {
  self = thread;
  thread->id = threadId();
  useSignalStack(thread);
  changeMask(SIG_UNBLOCK, kNeverBlocked);
  pthread_setspecific(endKey, thread);
  awaitFirstTurn(thread);
  leaveBusy(thread);
}

static void* runThread(void* value) {
  auto* thread = static_cast<Thread*>(value);
  beginThread(thread);
  return thread->start(thread->argument);
}

static int runC11Thread(void* value) {
  auto* thread = static_cast<Thread*>(value);
  beginThread(thread);
  return thread->startC11(thread->argument);
}

} // namespace fl

using namespace fl;

FL_EXPORT int pthread_create(pthread_t* result, const pthread_attr_t* attributes, void* (*start)(void*),
                             void* argument) {
  if (!self || !holds(self)) return REAL(pthread_create)(result, attributes, start, argument);
  enterBusy(self);
  becomeThreaded();
  Thread* thread = makeThread(stackSizeOf(attributes));
  int status = EAGAIN;
  if (thread) {
    thread->start = start;
    thread->argument = argument;
    enlist(thread);
    status = REAL(pthread_create)(result, attributes, runThread, thread);
    if (status != 0)
      unlist(thread);
    else
      thread->handle = *result, addThread(thread);
  }
  leaveBusy(self);
  return status;
}

FL_EXPORT int thrd_create(thrd_t* result, thrd_start_t start, void* argument) {
  if (!self || !holds(self)) return REAL(thrd_create)(result, start, argument);
  enterBusy(self);
  becomeThreaded();
  Thread* thread = makeThread(0);
  int status = thrd_nomem;
  if (thread) {
    thread->startC11 = start;
    thread->argument = argument;
    enlist(thread);
    status = REAL(thrd_create)(result, runC11Thread, thread);
    if (status != thrd_success)
      unlist(thread);
    else
      thread->handle = *result, addThread(thread);
  }
  leaveBusy(self);
  return status;
}

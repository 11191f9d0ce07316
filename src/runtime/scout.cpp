// A scout (abi/parked.h): the program runs, and each of its system calls is caught. What is the same in every
// run is done; before anything else it waits to be copied, and each copy makes that call by itself. So the
// start of the program, up to where runs with different input could first differ, is made once for all.
#include "runtime/scout.h"

#include "abi/parked.h"
#include "runtime/held_locks.h"
#include "runtime/runtime.h"

namespace fl {

bool scouting;

namespace {

volatile uint8_t selector;
int socket = -1;
KernelAction actionBefore;

[[noreturn]] void leave() {
  for (;;) raw(SYS_exit_group, 0);
}

void onCall(int, siginfo_t* info, void* where) {
  constexpr int kCallSize = 2; // of the instruction
  auto* context = static_cast<ucontext_t*>(where);
  if (!isCaught(info)) leave();
  if (isSignalReturn(info, context)) return;
  selector = 0;
  const Call c = callOf(info, context);
  auto& r = context->uc_mcontext.gregs;
  long result;
  if (madeForAll(c, socket, result)) {
    r[REG_RAX] = result;
    selector = 1;
    return;
  }
  parkHere();
  r[REG_RAX] = c.number;
  r[REG_RIP] -= kCallSize; // the copy makes it as if it had come there by itself
}

} // namespace

void startScout(int number) {
  socket = number;
  scouting = true;
  if (!handleCalls(onCall, &actionBefore) || !catchCalls(&selector)) leave();
  selector = 1;
}

void parkHere() {
  selector = 0;
  scouting = false;
  if (off() || self->pending != 0 || holdsLocks()) leave();
  raw(SYS_chdir, long("/")); // a layer of files that it holds on to is not gone when it is made anew
  // What was not written yet shows what the run does to which the memory belongs.
  const fl_state state = FL_STATE;
  const uint64_t epoch = FL_EPOCH;
  waitToBeCopied(socket);
  constexpr int kShared = FL_PARKED_DESCRIPTORS - 1;
  moveState(MAP_SHARED, kShared, state, epoch);
  raw(SYS_close, kShared);
  raw(SYS_rt_sigaction, SIGSYS, long(&actionBefore), 0, 8);
  self->id = threadId();
}

} // namespace fl

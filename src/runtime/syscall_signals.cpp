// Signals stay within the process, and nobody is there to be waited for.
#include "runtime/signals.h"
#include "runtime/syscalls.h"

#include <poll.h>
#include <string.h>

namespace fl {

long doAction(const Call& c) {
  if (c.a[0] == SIGSYS) return 0;
  KernelAction old = {};
  if (raw(SYS_rt_sigaction, c.a[0], 0, long(&old), 8) != 0) return pass(c);
  note({Undo::Action, uint32_t(c.a[0]), 0, 0, {old.handler, old.flags, old.restorer, old.mask}}, c);
  return pass(c);
}

// This handler runs with a mask of its own; the program's is in the context that it returns to.
long doMask(const Call& c) {
  auto& mask = *reinterpret_cast<KernelMask*>(&c.context->uc_sigmask);
  KernelMask before = mask;
  if (c.a[1]) {
    KernelMask set;
    if (!isReadable(c.a[1], sizeof set)) return -EFAULT;
    memcpy(&set, reinterpret_cast<void*>(c.a[1]), sizeof set);
    mask = c.a[0] == SIG_BLOCK ? before | set : c.a[0] == SIG_UNBLOCK ? before & ~set : set;
    mask &= ~maskOf(SIGSYS);
  }
  return c.a[2] && !copyOut(c.a[2], &before, sizeof before) ? -EFAULT : 0;
}

long doKill(const Call& c) {
  long target = c.a[0], signal = c.number == SYS_tgkill ? c.a[2] : c.a[1];
  bool self = target == processId() || (target != 0 && uint32_t(target) == FL_STATE.world_pid);
  if (c.number == SYS_tkill) self = target == threadId();
  if (!self) return refuse(EPERM);
  if (signal == SIGKILL || signal == SIGSTOP) endRun(FL_CUT_NONE, SIGKILL);
  if (c.number == SYS_kill) return raw(SYS_kill, processId(), signal);
  return c.number == SYS_tkill ? pass(c) : raw(SYS_tgkill, processId(), c.a[1], signal);
}

long doPoll(const Call& c) {
  if (c.number != SYS_poll && c.number != SYS_ppoll) strange(c);
  long ready = raw(SYS_poll, c.a[0], c.a[1], 0);
  bool forEver = c.number == SYS_poll ? c.a[2] < 0 : c.a[2] == 0;
  if (ready == 0 && forEver) endRun(FL_CUT_WAITS, 0);
  return ready;
}

long doFutex(const Call& c) {
  int operation = int(c.a[1]) & 0x7f & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  if (operation == FUTEX_WAKE) return 0;
  if (operation != FUTEX_WAIT && operation != 9 /* WAIT_BITSET */) strange(c);
  uint32_t word;
  if (!isReadable(c.a[0], 4)) return -EFAULT;
  memcpy(&word, reinterpret_cast<void*>(c.a[0]), 4);
  if (word != uint32_t(c.a[2])) return -EAGAIN;
  if (c.a[3]) return -ETIMEDOUT;
  endRun(FL_CUT_WAITS, 0); // there is no other thread to wake us
}

} // namespace fl

// What happens when a signal arrives.
//
// In outside code a handler of the program's runs at once: replay knows the place, the outside call. In
// instrumented code it must run at a place that replay can name, so it is put off to the next epoch point:
// the page with the epoch counter loses its write access, the next increment faults, and the handler runs
// there before the increment is tried again. A signal that ends the program is treated in the same way, so
// that the log can be closed first; then it takes its default effect, and the parent sees what it would have
// seen. Faults are not put off: they belong to their instruction.
#include "runtime/signals.h"

#include "runtime/experiment.h"
#include "runtime/log.h"
#include "runtime/raw.h"

#include <ucontext.h>

namespace fl {

static bool isEpochFault(int signal, const siginfo_t* info) {
  uintptr_t address = uintptr_t(info->si_addr);
  return signal == SIGSEGV && info->si_code == SEGV_ACCERR && address >= FL_EPOCH_ADDRESS &&
         address < FL_EPOCH_ADDRESS + kPage;
}

// The recorder's time limit.
static bool isHang(int signal, const siginfo_t* info) {
  return signal == kHangSignal && info->si_code == SI_QUEUE &&
         uintptr_t(info->si_value.sival_ptr) == kHangValue;
}

// Raised by the instruction that was running, not sent.
static bool isFault(int signal, const siginfo_t* info) {
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
  case SIGFPE:
  case SIGILL:
  case SIGTRAP:
  case SIGSYS:
    return info->si_code > 0;
  default:
    return false;
  }
}

void stopAtEpochPoint() { protect(FL_EPOCH_ADDRESS, kPage, PROT_READ); }

static void putOff(Thread* thread, int signal, const siginfo_t* info) {
  // A second one of the same kind merges with the first, as it does in the kernel.
  thread->infos[signal] = *info;
  barrier();
  __atomic_fetch_or(&thread->pending, maskOf(signal), __ATOMIC_SEQ_CST);
  stopAtEpochPoint();
}

void endAtEpochPoint() {
  siginfo_t info = {};
  info.si_signo = kHangSignal;
  info.si_code = SI_QUEUE;
  info.si_value.sival_ptr = reinterpret_cast<void*>(kHangValue);
  putOff(self, kHangSignal, &info);
}

static int takePending(Thread* thread) {
  uint64_t pending = thread->pending;
  if (pending == 0) return 0;
  int signal = __builtin_ctzll(pending) + 1;
  __atomic_fetch_and(&thread->pending, ~maskOf(signal), __ATOMIC_SEQ_CST);
  return signal;
}

void enterBusy(Thread* thread) {
  thread->busy = thread->busy + 1;
  barrier();
}

void leaveBusy(Thread* thread) {
  barrier();
  thread->busy = thread->busy - 1;
  if (__builtin_expect(thread->pending != 0, 0) && thread->busy == 0) deliverPending(thread);
}

// Outside: lets the kernel deliver them again, now that they can be taken. Inside, the epoch point does it.
void deliverPending(Thread* thread) {
  if (thread->holding && FL_STATE.ext == 0) return stopAtEpochPoint();
  while (int signal = takePending(thread)) {
    siginfo_t info = thread->infos[signal];
    raw(SYS_rt_tgsigqueueinfo, processId(), threadId(), signal, long(&info));
  }
}

// The program has blocked the signal, we cannot: it waits here until the program lets it in.
static void hold(Thread* thread, int signal, const siginfo_t* info) {
  thread->infos[signal] = *info;
  thread->held |= maskOf(signal);
}

void deliverHeld(Thread* thread) {
  for (uint64_t due; (due = thread->held & ~thread->blockedByProgram) != 0;) {
    int signal = __builtin_ctzll(due) + 1;
    thread->held &= ~maskOf(signal);
    siginfo_t info = thread->infos[signal];
    raw(SYS_rt_tgsigqueueinfo, processId(), threadId(), signal, long(&info));
  }
}

void handlersWereLeft(Thread* thread) {
  thread->blockedByProgram &= ~thread->blockedByHandlers;
  thread->blockedByHandlers = 0;
  deliverHeld(thread);
}

// Takes the default effect when the handler that we are in returns, with the registers of the place where
// the signal struck, so that a core file shows what it would have shown.
static void dieOf(int signal, void* context) {
  changeMask(SIG_BLOCK, ~0ull);
  resetSignal(signal);
  auto* mask = reinterpret_cast<KernelMask*>(&static_cast<ucontext_t*>(context)->uc_sigmask);
  *mask &= ~maskOf(signal);
  raw(SYS_tgkill, processId(), threadId(), signal);
}

static uint64_t counterOf(const void* context) {
  return uint64_t(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}

static void logFaultOf(int signal, const siginfo_t* info, const void* context, uint8_t where) {
  auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  bool fault = isFault(signal, info);
  // The processor names no address when it is not canonical.
  uint64_t address = fault && info->si_code != SI_KERNEL ? uint64_t(info->si_addr) : ~0ull;
  bool write = fault && signal == SIGSEGV && (registers[REG_ERR] & 2);
  logFault(uint8_t(signal), uint32_t(info->si_code), address, write, counterOf(context), where);
}

static void endBy(int signal, const siginfo_t* info, void* context, uint8_t where) {
  enterBusy(self); // for good
  FL_STATE.fault_signal = uint32_t(signal);
  FL_STATE.fault_counter = counterOf(context);
  if (FL_STATE.asking)
    FL_STATE.fault_instruction = uint64_t(globalId(FL_STATE.asking - 1, FL_STATE.asking_module)) + 1;
  if (serving) endRun(FL_CUT_NONE, signal);
  if (!off()) {
    logFaultOf(signal, info, context, where);
    finish(signal);
  }
  dieOf(signal, context);
}

// The recorder waits no longer. It tells this end from others by signal 0 in the log.
static void endByHang(const void* context, uint8_t where) {
  enterBusy(self);
  if (!off()) {
    logFault(0, 0, ~0ull, false, counterOf(context), where);
    finish(SIGKILL);
  }
  for (;;) raw(SYS_kill, processId(), SIGKILL);
}

static void callHandler(const struct sigaction& action, int signal, siginfo_t* info, void* context) {
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
}

// Runs the program's handler. The caller has the turn.
static void runHandler(int signal, siginfo_t* info, void* context, uint8_t where) {
  struct sigaction action = programActions[signal];
  if (action.sa_flags & SA_RESETHAND) programActions[signal].sa_handler = SIG_DFL;
  Thread* thread = self;
  enterBusy(thread);
  if (!off()) logSignal(uint8_t(signal), where);
  uint64_t ext = FL_STATE.ext;
  if (ext == 0) FL_STATE.ext = FL_EXT_ROOT; // so that the handler's entry is logged
  leaveBusy(thread);
  KernelMask blocked = *reinterpret_cast<KernelMask*>(&action.sa_mask);
  if (!(action.sa_flags & SA_NODEFER)) blocked |= maskOf(signal);
  uint64_t hidden = thread->blockedByProgram, byHandlers = thread->blockedByHandlers;
  thread->blockedByHandlers |= blocked & kNeverBlocked & ~hidden;
  thread->blockedByProgram |= blocked & kNeverBlocked;
  KernelMask before = changeMask(SIG_BLOCK, blocked & ~kNeverBlocked);
  callHandler(action, signal, info, context);
  changeMask(SIG_SETMASK, before);
  thread->restarts = action.sa_flags & SA_RESTART;
  thread->blockedByProgram = hidden;
  thread->blockedByHandlers = byHandlers;
  FL_STATE.ext = ext;
  barrier();
  if (thread->pending) deliverPending(thread);
  if (thread->held) deliverHeld(thread);
}

static void take(int signal, siginfo_t* info, void* context, uint8_t where) {
  if (isHang(signal, info))
    endByHang(context, where);
  else if (hasHandler(signal))
    runHandler(signal, info, context, where);
  else if (programActions[signal].sa_handler != SIG_IGN || isFault(signal, info))
    endBy(signal, info, context, where);
}

// The increment of the epoch counter faulted: whatever asked for it is done now, and it is tried again.
static void atEpochPoint(Thread* thread, void* context) {
  protect(FL_EPOCH_ADDRESS, kPage, PROT_READ | PROT_WRITE);
  if (!thread || !thread->holding || thread->busy) return;
  while (int signal = takePending(thread)) {
    siginfo_t info = thread->infos[signal];
    take(signal, &info, context, here());
    if (thread->busy) return; // it ends
  }
  endOfTurn(thread);
}

// A stack is exhausted: ours, on which the program's variables lie, or the machine's, on which libraries
// work. The program knows only one, by the addresses of its variables, and a handler that tells overflows
// from other faults by the address must be given one there.
static bool isOverflow(int signal, const siginfo_t* info, const void* context) {
  constexpr uint64_t kMost = 1ull << 40, kNear = 64 << 10; // all frame stacks together; a frame of a library
  auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  uint64_t address = uint64_t(info->si_addr), machine = uint64_t(registers[REG_RSP]);
  bool isOurs = FL_FRAME_STACK_ADDRESS - address - 1 < kMost;
  return signal == SIGSEGV && (isOurs || address - (machine - kNear) < kNear + kPage);
}

static void onFault(Thread* thread, int signal, siginfo_t* info, void* context) {
  bool inside = thread->holding && FL_STATE.ext == 0;
  uint8_t where = inside ? FL_AT_INSTRUCTION : FL_AT_OUTSIDE;
  // A fault of ours, or in code that handles a fault already: no more than dying is safe.
  if (thread->busy && serving) return endBy(signal, info, context, where);
  if (thread->busy) return dieOf(signal, context);
  if (!thread->holding && !takeTurn(thread, 2)) return dieOf(signal, context);
  bool blocked = thread->blockedByProgram & maskOf(signal); // the kernel ends the program then
  if (!hasHandler(signal) || blocked) return endBy(signal, info, context, where);
  enterBusy(thread);
  if (!off()) logFaultOf(signal, info, context, where);
  leaveBusy(thread);
  if (isOverflow(signal, info, context)) info->si_addr = reinterpret_cast<void*>(FL_STATE.frame_top - 8);
  runHandler(signal, info, context, where);
}

// In outside code, maybe of a thread that waits there without the turn.
static void onSignalOutside(Thread* thread, int signal, siginfo_t* info, void* context) {
  bool taken = false, robbed = thread->robbed;
  if (!thread->holding) {
    bool ends = isHang(signal, info) || !hasHandler(signal);
    if (!takeTurn(thread, ends ? 2 : 0)) return dieOf(isHang(signal, info) ? SIGKILL : signal, context);
    taken = true;
  }
  take(signal, info, context, FL_AT_OUTSIDE);
  if (!taken || thread->busy) return;
  if (robbed) markRobbed(thread); // it goes on sleeping
  giveTurn(thread);
}

// A thread that we know nothing of: made by clone, or past its end.
static void onSignalElsewhere(int signal, siginfo_t* info, void* context) {
  if (hasHandler(signal))
    callHandler(programActions[signal], signal, info, context);
  else
    dieOf(signal, context);
}

void onSignal(int signal, siginfo_t* info, void* context) {
  KeepErrno keep;
  if (serving && isHang(signal, info)) return giveUp();
  Thread* thread = self;
  if (thread && !thread->busy && FL_STATE.robbed != 0) awaitRobber();
  if (isEpochFault(signal, info))
    atEpochPoint(thread, context);
  else if (!thread)
    onSignalElsewhere(signal, info, context);
  else if (isFault(signal, info))
    onFault(thread, signal, info, context);
  else if ((thread->blockedByProgram & maskOf(signal)) && !isHang(signal, info))
    hold(thread, signal, info);
  else if (thread->busy || (thread->holding && FL_STATE.ext == 0))
    putOff(thread, signal, info);
  else
    onSignalOutside(thread, signal, info, context);
}

} // namespace fl

// The program's calls that deal with signals. It sees the dispositions, masks and stacks that it set; ours
// lie underneath.
#include "runtime/log.h"
#include "runtime/raw.h"
#include "runtime/real.h"
#include "runtime/signals.h"

#include <setjmp.h>
#include <string.h>

namespace fl {

struct sigaction programActions[kSignals];

// The signal stack holds our handler, and the program's when it runs from there.
static constexpr size_t kSignalStackSize = 256 << 10;

void useSignalStack(Thread* thread) {
  void* at = mmap(nullptr, kSignalStackSize, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return;
  protect(uintptr_t(at), kPage, PROT_NONE);
  thread->signalStack = at;
  stack_t stack = {at, 0, kSignalStackSize};
  raw(SYS_sigaltstack, long(&stack), 0);
}

void dropSignalStack(Thread* thread) {
  stack_t none = {nullptr, SS_DISABLE, 0};
  raw(SYS_sigaltstack, long(&none), 0);
  if (thread->signalStack) munmap(thread->signalStack, kSignalStackSize);
  thread->signalStack = nullptr;
}

static bool alwaysOurs(int signal) { return signal == SIGSEGV || signal == kHangSignal; }

bool installAction(int signal) {
  const struct sigaction& wanted = programActions[signal];
  struct sigaction really = wanted;
  if (hasHandler(signal)) {
    really.sa_sigaction = onSignal;
    // RESETHAND is done in our table. The mask is added when the handler runs: it may run later.
    really.sa_flags = (wanted.sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
    sigemptyset(&really.sa_mask);
  } else if ((wanted.sa_handler == SIG_DFL && endsByDefault(signal)) || alwaysOurs(signal)) {
    really.sa_sigaction = onSignal;
    really.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&really.sa_mask);
  }
  // An epoch point may come up within any handler, on any stack.
  if (alwaysOurs(signal)) really.sa_flags |= SA_NODEFER;
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
  case SIGFPE:
  case SIGILL:
  case SIGTRAP:
    if (really.sa_flags & SA_SIGINFO) really.sa_flags |= SA_ONSTACK; // the stack may be what is at fault
  }
  return REAL(sigaction)(signal, &really, nullptr) == 0;
}

void startSignals() {
  for (int signal = 1; signal < kSignals; ++signal) {
    if (!endsByDefault(signal)) continue;
    if (REAL(sigaction)(signal, nullptr, &programActions[signal]) != 0) continue;
    if (programActions[signal].sa_handler == SIG_DFL || alwaysOurs(signal)) installAction(signal);
  }
  mainThread.blockedByProgram = changeMask(SIG_UNBLOCK, kNeverBlocked) & kNeverBlocked;
}

} // namespace fl

using namespace fl;

FL_EXPORT int sigaction(int signal, const struct sigaction* action, struct sigaction* old) {
  if (signal < 1 || signal >= kSignals || signal == SIGKILL || signal == SIGSTOP || signal == 32 ||
      signal == 33)
    return REAL(sigaction)(signal, action, old);
  struct sigaction before = programActions[signal];
  if (action) {
    programActions[signal] = *action;
    if (!installAction(signal)) {
      programActions[signal] = before;
      return -1;
    }
  }
  if (old) *old = before;
  return 0;
}

FL_EXPORT int __sigaction(int signal, const struct sigaction* action, struct sigaction* old) {
  return sigaction(signal, action, old);
}

static sighandler_t setHandler(int signal, sighandler_t handler, int flags) {
  struct sigaction action = {}, old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (!(flags & SA_NODEFER) && signal > 0 && signal < kSignals) sigaddset(&action.sa_mask, signal);
  return sigaction(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

FL_EXPORT sighandler_t signal(int number, sighandler_t handler) {
  return setHandler(number, handler, SA_RESTART);
}
FL_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) {
  return setHandler(number, handler, SA_RESTART);
}
FL_EXPORT sighandler_t ssignal(int number, sighandler_t handler) {
  return setHandler(number, handler, SA_RESTART);
}
FL_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) {
  return setHandler(number, handler, int(SA_RESETHAND | SA_NODEFER));
}
FL_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) {
  return sysv_signal(number, handler);
}

FL_EXPORT int sigaltstack(const stack_t* stack, stack_t* old) {
  if (!self) return REAL(sigaltstack)(stack, old);
  stack_t before = self->programStack;
  if (stack) {
    if (!(stack->ss_flags & SS_DISABLE) && stack->ss_size < 2048) {
      errno = ENOMEM;
      return -1;
    }
    self->programStack = *stack;
    if (stack->ss_flags & SS_DISABLE) self->programStack = {nullptr, SS_DISABLE, 0};
  }
  if (old) *old = before;
  return 0;
}

// Blocks all that the program asks for but kNeverBlocked, for which it is only told so.
template <class Change>
static int changeProgramMask(Change change, int how, const sigset_t* set, sigset_t* old) {
  if (!self) return change(how, set, old);
  uint64_t blocked = self->blockedByProgram;
  sigset_t really;
  uint64_t asked = 0;
  if (set) {
    memcpy(&asked, set, sizeof asked);
    really = *set;
    uint64_t kept = how == SIG_UNBLOCK ? asked : asked & ~kNeverBlocked;
    memcpy(&really, &kept, sizeof kept);
  }
  int result = change(how, set ? &really : nullptr, old);
  if (result != 0) return result;
  if (old) {
    uint64_t seen;
    memcpy(&seen, old, sizeof seen);
    seen |= blocked;
    memcpy(old, &seen, sizeof seen);
  }
  if (set) {
    asked &= kNeverBlocked;
    self->blockedByProgram = how == SIG_BLOCK     ? blocked | asked
                             : how == SIG_UNBLOCK ? blocked & ~asked
                                                  : asked;
    self->blockedByHandlers &= self->blockedByProgram;
    if (self->held) deliverHeld(self);
  }
  return 0;
}

FL_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  return changeProgramMask(REAL(sigprocmask), how, set, old);
}
FL_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  return changeProgramMask(REAL(pthread_sigmask), how, set, old);
}

// A jump out of a handler brings the mask back that its target was made with, if it kept one. libc does so
// past sigprocmask.
[[noreturn]] static void jump(void (*really)(__jmp_buf_tag*, int), __jmp_buf_tag* to, int value) {
  if (self && to->__mask_was_saved) handlersWereLeft(self);
  really(to, value);
  __builtin_unreachable();
}
FL_EXPORT void longjmp(__jmp_buf_tag* to, int value) { jump(REAL(longjmp), to, value); }
FL_EXPORT void _longjmp(__jmp_buf_tag* to, int value) { jump(REAL(_longjmp), to, value); }
FL_EXPORT void siglongjmp(__jmp_buf_tag* to, int value) { jump(REAL(siglongjmp), to, value); }
// As longjmp is called under _FORTIFY_SOURCE; no header has it otherwise.
extern "C" void __longjmp_chk(__jmp_buf_tag* to, int value);
FL_EXPORT void __longjmp_chk(__jmp_buf_tag* to, int value) { jump(REAL(__longjmp_chk), to, value); }

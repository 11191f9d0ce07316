#include "runtime/dispatch.h"

#include <stdint.h>

extern "C" __attribute__((visibility("hidden"))) char __ehdr_start[], etext[];

// In the range whose system calls are not caught.
extern "C" __attribute__((visibility("hidden"))) void fl_signal_return();
asm(".text\n.hidden fl_signal_return\n.globl fl_signal_return\n.type fl_signal_return,@function\n"
    "fl_signal_return:\n\tmovl $15, %eax\n\tsyscall\n");

namespace fl {

static constexpr int kSetDispatch = 59; // PR_SET_SYSCALL_USER_DISPATCH
static constexpr int kOn = 1;

bool handleCalls(CallHandler handler, KernelAction* before) {
  KernelAction action = {uint64_t(handler), SA_SIGINFO | SA_ONSTACK | SA_NODEFER | 0x04000000 /* RESTORER */,
                         uint64_t(&fl_signal_return), 0};
  if (raw(SYS_rt_sigaction, SIGSYS, long(&action), long(before), 8) != 0) return false;
  changeMask(SIG_UNBLOCK, maskOf(SIGSYS));
  return true;
}

bool catchCalls(volatile uint8_t* selector) {
  return raw(SYS_prctl, kSetDispatch, kOn, long(__ehdr_start), etext - __ehdr_start, long(selector)) == 0;
}

bool isSignalReturn(const siginfo_t* info, ucontext_t* context) {
  if (info->si_syscall != SYS_rt_sigreturn) return false;
  context->uc_mcontext.gregs[REG_RIP] = long(&fl_signal_return);
  return true;
}

Call callOf(const siginfo_t* info, ucontext_t* context) {
  const auto& r = context->uc_mcontext.gregs;
  return {info->si_syscall, {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]}, context};
}

} // namespace fl

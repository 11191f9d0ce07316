// Catches the system calls of the program, and of all libraries but this one, before the kernel sees them
// (syscall user dispatch): each becomes a SIGSYS. A process that is forked off is not caught.
#pragma once

#include "runtime/raw.h"

#include <ucontext.h>

namespace fl {

struct Call {
  long number;
  long a[6];
  ucontext_t* context;
};

inline long pass(const Call& c) { return raw(c.number, c.a[0], c.a[1], c.a[2], c.a[3], c.a[4], c.a[5]); }

// As the kernel has it.
struct KernelAction {
  uint64_t handler, flags, restorer, mask;
};

using CallHandler = void (*)(int, siginfo_t*, void*);

// Who handles the calls; `before`: who handled SIGSYS.
bool handleCalls(CallHandler handler, KernelAction* before = nullptr);
// From here on, while *selector is 1. False: the kernel cannot.
bool catchCalls(volatile uint8_t* selector);

// In the handler. True: it was a return from a signal handler, which is made when this one returns.
bool isSignalReturn(const siginfo_t* info, ucontext_t* context);
inline bool isCaught(const siginfo_t* info) { return info->si_code == 2; } // SYS_USER_DISPATCH
Call callOf(const siginfo_t* info, ucontext_t* context);

} // namespace fl

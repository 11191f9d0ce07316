// Between the files that deal with signals: what the program believes about them, and what really happens.
#pragma once

#include "runtime/runtime.h"

namespace fl {

// Dispositions as the program set them. Guarded by being read with one aligned load per field at most; a
// program that changes a disposition while the signal arrives has that race by itself.
extern struct sigaction programActions[kSignals];

// Really installed for each signal that the program handles and each that would end it.
void onSignal(int signal, siginfo_t* info, void* context);

// Installs what `programActions[signal]` asks for. False: the kernel refused (errno).
bool installAction(int signal);

// Signals that stay unblocked whatever the program asks: epoch points and time limits depend on them.
inline constexpr uint64_t kNeverBlocked =
    (1ull << (SIGSEGV - 1)) | (1ull << (SIGSYS - 1)) | (1ull << (kHangSignal - 1));

inline bool endsByDefault(int signal) {
  switch (signal) {
  case SIGCHLD:
  case SIGCONT:
  case SIGURG:
  case SIGWINCH:
  case SIGSTOP:
  case SIGTSTP:
  case SIGTTIN:
  case SIGTTOU:
  case SIGKILL:
  case 32: // libc's own
  case 33:
    return false;
  default:
    return true;
  }
}

inline bool hasHandler(int signal) {
  auto handler = programActions[signal].sa_handler;
  return handler != SIG_DFL && handler != SIG_IGN;
}

} // namespace fl

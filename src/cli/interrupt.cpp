#include "cli/interrupt.h"

#include <csignal>

namespace faultline::cli {

static volatile std::sig_atomic_t interrupted = 0;

void catchInterrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = int(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

bool wasInterrupted() { return interrupted != 0; }

InterruptScope::InterruptScope() {
  sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler == SIG_DFL) catchInterrupt();
}

InterruptScope::~InterruptScope() { sigaction(SIGINT, &before_, nullptr); }

} // namespace faultline::cli

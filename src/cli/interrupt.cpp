#include "cli/interrupt.h"

#include <csignal>

namespace faultline::cli {

static volatile std::sig_atomic_t interrupted = 0;

// Not where it is ignored, as in the background of a script: the programs that we start would see another
// world than the recorded one.
void catchInterrupt() {
  struct sigaction before = {}, action = {};
  sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
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

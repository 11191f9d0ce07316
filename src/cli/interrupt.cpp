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

} // namespace faultline::cli

// Ctrl-C ends what we are doing, not us: what was found by then is shown. A second one ends us.
#pragma once

#include <csignal>

namespace faultline::cli {

void catchInterrupt();
bool wasInterrupted();

// Catches it for a scope; behind that it is as it was before.
class InterruptScope {
public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

private:
  struct sigaction before_;
};

} // namespace faultline::cli

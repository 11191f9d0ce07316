// While a program runs under us, a signal that would end us is meant for it: passed on, unless the terminal
// sent it to both of us. What was there before is put back at the end of the scope.
#pragma once

#include <array>
#include <csignal>
#include <sys/types.h>

namespace faultline::recording {

class SignalForwarder {
public:
  explicit SignalForwarder(pid_t to);
  ~SignalForwarder();
  // The program is gone: what comes is kept for who asks (and the terminal's too: a daemon is in no group of
  // ours).
  void programEnded();
  static int taken(); // 0: none came
  SignalForwarder(const SignalForwarder&) = delete;
  SignalForwarder& operator=(const SignalForwarder&) = delete;

private:
  std::array<struct sigaction, 6> before_;
};

} // namespace faultline::recording

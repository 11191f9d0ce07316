#include "recording/signal_forwarder.h"

#include <atomic>
#include <cerrno>

namespace faultline::recording {
namespace {

constexpr std::array kPassedOn = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
// A reader of our output that is gone, or a file that may not grow, is an error for us to handle.
constexpr std::array kIgnored = {SIGPIPE, SIGXFSZ};
std::atomic<int> last;
std::atomic<pid_t> target; // of the run in progress; a signal handler has nowhere else to look

void onSignal(int signal, siginfo_t* info, void*) {
  int saved = errno;
  // The terminal sends to the whole group, so the program has it already.
  if (target == 0)
    last = signal;
  else if (info->si_code <= 0)
    kill(target, signal);
  errno = saved;
}

} // namespace

SignalForwarder::SignalForwarder(pid_t to) {
  target = to;
  last = 0;
  auto before = before_.begin();
  for (int signal : kPassedOn) {
    struct sigaction action = {};
    action.sa_sigaction = onSignal;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(signal, nullptr, &*before);
    if (before->sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    ++before;
  }
  for (int signal : kIgnored) {
    struct sigaction action = {};
    action.sa_handler = SIG_IGN;
    sigaction(signal, &action, &*before++);
  }
}

void SignalForwarder::programEnded() { target = 0; }
int SignalForwarder::taken() { return last.exchange(0); }

SignalForwarder::~SignalForwarder() {
  auto before = before_.begin();
  for (int signal : kPassedOn) sigaction(signal, &*before++, nullptr);
  for (int signal : kIgnored) sigaction(signal, &*before++, nullptr);
}

} // namespace faultline::recording

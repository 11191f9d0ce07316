#include "experiment/cell_parked.h"

#include "base/descriptors.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::experiment {
namespace {

// Milliseconds in which it must answer: it may have been stopped by a run.
constexpr int kMostMilliseconds = 2000;

// -1: it says nothing, or is gone.
int32_t answerOf(int socket) {
  int32_t number = -1;
  return read(socket, &number, sizeof number) == ssize_t(sizeof number) ? number : -1;
}

bool speaks(int socket, int milliseconds) {
  pollfd waiting{socket, POLLIN, 0};
  return poll(&waiting, 1, milliseconds) > 0;
}

} // namespace

bool CellParked::begin(pid_t pid, int pidFd, int socket, int filter, FilterSeen& seen) {
  pid_ = pid;
  pidFd_ = pidFd;
  socket_ = socket;
  // While it is loaded, libraries may do what we are asked about.
  pollfd waiting[] = {{socket_, POLLIN, 0}, {filter, POLLIN, 0}};
  constexpr int kTick = 10;
  for (int left = kMostMilliseconds; left > 0 && !waiting[0].revents; left -= kTick) {
    if (poll(waiting, 2, kTick) > 0 && (waiting[1].revents & POLLIN)) answerFilter(filter, pid, seen);
  }
  if (waiting[0].revents && answerOf(socket_) == 0) return true;
  isRefused_ = true;
  end();
  return false;
}

pid_t CellParked::copy(const char* directory, const int (&given)[FL_PARKED_DESCRIPTORS]) {
  const iovec part{const_cast<char*>(directory), strlen(directory)};
  bool isHeard = part.iov_len <= FL_PARKED_PATH && sendDescriptors(socket_, {&part, 1}, given) >= 0 &&
                 speaks(socket_, kMostMilliseconds);
  pid_t pid = isHeard ? answerOf(socket_) : -1;
  if (pid > 0) {
    ++copies_;
    return pid;
  }
  end();
  ++losses_;
  return -1;
}

void CellParked::end() {
  if (!isThere()) return;
  syscall(SYS_pidfd_send_signal, pidFd_, SIGKILL, nullptr, 0);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  forget();
}

void CellParked::endInVain() {
  losses_ += isThere();
  end();
}

void CellParked::lost() {
  ++losses_;
  forget();
}

void CellParked::forget() {
  close(pidFd_);
  close(socket_);
  pid_ = 0;
  pidFd_ = socket_ = -1;
}

} // namespace faultline::experiment

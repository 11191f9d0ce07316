#include "experiment/cell_parked.h"

#include "base/descriptors.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::experiment {
namespace {

// Milliseconds in which it must answer: it may have been stopped by a run.
constexpr int kMostMilliseconds = 2000;
// Scouts, where the time is over for the first ones.
constexpr unsigned kTries = 2;

// -1: it says nothing, or is gone.
int32_t answerOf(int socket) {
  int32_t number = -1;
  return read(socket, &number, sizeof number) == ssize_t(sizeof number) ? number : -1;
}

bool speaks(int socket, int milliseconds) {
  pollfd waiting{socket, POLLIN, 0};
  return poll(&waiting, 1, milliseconds) > 0;
}

// While it comes to where it waits, it may do what we are asked about.
bool getsReady(pid_t pid, int socket, int filter, FilterSeen& seen, int milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  pollfd waiting[] = {{socket, POLLIN, 0}, {filter, POLLIN, 0}};
  constexpr int kTick = 10;
  while (!waiting[0].revents && Clock::now() < end)
    if (poll(waiting, 2, kTick) > 0 && (waiting[1].revents & POLLIN)) answerFilter(filter, pid, seen);
  return waiting[0].revents && answerOf(socket) == 0;
}

void kill(pid_t pid, int pidFd) {
  syscall(SYS_pidfd_send_signal, pidFd, SIGKILL, nullptr, 0);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

} // namespace

bool CellParked::begin(pid_t pid, int pidFd, int socket, int filter, FilterSeen& seen) {
  pid_ = pid;
  pidFd_ = pidFd;
  socket_ = socket;
  isLate_ = false;
  triesLeft_ = kTries;
  if (getsReady(pid, socket, filter, seen, kMostMilliseconds)) return true;
  isRefused_ = true;
  end();
  return false;
}

void CellParked::goOn(const char* directory, int shared, int filter, int milliseconds) {
  --triesLeft_;
  int ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    close(null);
    return;
  }
  pid_t pid = order(FL_PARKED_SCOUT, directory, {null, null, ends[1], shared});
  close(null);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return;
  }
  int pidFd = int(syscall(SYS_pidfd_open, pid, 0));
  FilterSeen seen;
  const bool isReady = getsReady(pid, ends[0], filter, seen, milliseconds);
  // What a run is to be charged with it must do itself.
  if (isReady && seen.refused == 0 && !seen.sharesMemory && !seen.makesMemoryFiles) {
    end();
    pid_ = pid;
    pidFd_ = pidFd;
    socket_ = ends[0];
    isLate_ = true;
    return;
  }
  // Where only the time was over, on a busy machine it may do with another.
  pollfd ended{pidFd, POLLIN, 0};
  if (isReady || poll(&ended, 1, 0) > 0) triesLeft_ = 0;
  kill(pid, pidFd);
  close(pidFd);
  close(ends[0]);
}

pid_t CellParked::order(char what, const char* directory, const int (&given)[FL_PARKED_DESCRIPTORS]) {
  const iovec parts[]{{&what, 1}, {const_cast<char*>(directory), strlen(directory)}};
  bool isHeard = parts[1].iov_len <= FL_PARKED_PATH && sendDescriptors(socket_, parts, given) >= 0 &&
                 speaks(socket_, kMostMilliseconds);
  pid_t pid = isHeard ? answerOf(socket_) : -1;
  if (pid > 0) return pid;
  countLoss();
  end();
  return -1;
}

pid_t CellParked::copy(const char* directory, const int (&given)[FL_PARKED_DESCRIPTORS]) {
  pid_t pid = order(FL_PARKED_RUN, directory, given);
  copies_ += pid > 0;
  return pid;
}

void CellParked::end() {
  if (!isThere()) return;
  kill(pid_, pidFd_);
  forget();
}

void CellParked::endInVain() {
  if (isThere()) countLoss();
  end();
}

void CellParked::lost() {
  countLoss();
  forget();
}

void CellParked::countLoss() {
  ++losses_;
  lateLosses_ += isLate_;
}

void CellParked::forget() {
  close(pidFd_);
  close(socket_);
  pid_ = 0;
  pidFd_ = socket_ = -1;
  isLate_ = false;
}

} // namespace faultline::experiment

// Where the kernel cannot list the pages that were written (before Linux 6.7), memory cannot be brought back:
// each experiment is made in a process forked off where it leaves the run, and the walk goes on in the one
// that waited. Slower by the copying of page tables, and still without the way up to there.
#include "runtime/experiment.h"

#include "runtime/raw.h"

#include <errno.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fl {
namespace {

constexpr double kStuckSeconds = 0.5; // of the processor, without a step

double processorSeconds(int pid) {
  timespec time = {};
  auto clock = long(~uint32_t(pid)) << 3 | 2; // of all its threads
  if (raw(SYS_clock_gettime, clock, long(&time)) != 0) return 0;
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

bool hasEnded(int descriptor, int milliseconds) {
  pollfd ended = {descriptor, POLLIN, 0};
  timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1'000'000l};
  return raw(SYS_ppoll, long(&ended), 1, long(&limit), 0, 8) > 0;
}

// False: it is at the same step for too long, and was ended.
bool await(int pid, int descriptor) {
  constexpr int kTick = 50;
  uint64_t step = 0;
  double since = 0;
  while (!hasEnded(descriptor, kTick)) {
    double now = processorSeconds(pid);
    if (uint64_t at = FL_EPOCH; at != step) {
      step = at;
      since = now;
    } else if (now - since > kStuckSeconds) {
      raw(SYS_kill, pid, SIGKILL);
      return false;
    }
  }
  return true;
}

} // namespace

void keepPositions() {
  int fd = 0;
  for (int64_t& position : FL_SERVER.kept.positions) position = raw(SYS_lseek, fd++, 0, SEEK_CUR);
}

void bringBackPositions() {
  int fd = 0;
  for (int64_t position : FL_SERVER.kept.positions) {
    if (position >= 0) raw(SYS_lseek, fd, position, SEEK_SET);
    ++fd;
  }
}

int forkOff() {
  long pid = raw(SYS_fork);
  if (pid < 0) return -2;
  if (pid == 0) {
    raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    return catchSyscalls() ? -1 : int(raw(SYS_exit_group, 1));
  }
  long descriptor = raw(SYS_pidfd_open, pid, 0);
  bool isDone = descriptor < 0 || await(int(pid), int(descriptor));
  int status = 0;
  while (raw(SYS_wait4, pid, long(&status), 0, 0) == -EINTR) {
  }
  if (descriptor >= 0) raw(SYS_close, descriptor);
  return isDone ? status : -3;
}

} // namespace fl

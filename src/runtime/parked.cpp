// Waits to be copied (abi/parked.h). Raw system calls: nothing of ours may be set up yet, and libc may be in
// the middle of anything.
#include "abi/parked.h"

#include "runtime/raw.h"
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif

namespace fl {
namespace {

constexpr int kMostDescriptor = 255; // where a scout has its socket, out of the program's way

struct Order {
  char text[FL_PARKED_PATH + 2]; // what is to be done, and the directory
  int descriptors[FL_PARKED_DESCRIPTORS];
};

[[noreturn]] void end(int status) {
  for (;;) raw(SYS_exit_group, status);
}

// What a copy would not have (threads that were started), or would share with the others (files that were
// opened).
bool canBeCopied(int socket) {
  struct stat tasks = {};
  bool isAlone = raw(SYS_stat, long("/proc/self/task"), long(&tasks)) == 0 && tasks.st_nlink == 3;
  for (int fd = 3; fd <= kMostDescriptor && isAlone; ++fd)
    isAlone = fd == socket || raw(SYS_fcntl, fd, F_GETFD) < 0;
  return isAlone;
}

bool receive(int socket, Order& order) {
  iovec part = {order.text, sizeof order.text - 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof order.descriptors)];
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  long got;
  do got = raw(SYS_recvmsg, socket, long(&message), 0);
  while (got == -EINTR);
  cmsghdr* header = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof order.descriptors))
    return false;
  memcpy(order.descriptors, CMSG_DATA(header), sizeof order.descriptors);
  order.text[got] = 0;
  return true;
}

bool answer(int socket, int32_t number) {
  return raw(SYS_write, socket, long(&number), sizeof number) == long(sizeof number);
}

// As a new process has it. The descriptors came by numbers above all of these.
void become(const Order& order, int socket) {
  raw(SYS_prctl, PR_SET_DUMPABLE, 1);
  raw(SYS_close, socket);
  for (int k = 0; k < FL_PARKED_DESCRIPTORS; ++k) {
    raw(SYS_dup2, order.descriptors[k], k);
    raw(SYS_close, order.descriptors[k]);
  }
  raw(SYS_setpgid, 0, 0);
  if (raw(SYS_chdir, long(order.text + 1)) != 0)
    fail("cannot change to the working directory", "it was there before");
}

} // namespace

Copied waitToBeCopied(int socket) {
  long thread = 0, locks = 0, size = 0;
  // Where libc keeps the thread's number, and its list of robust locks: a copy must have its own.
  const bool isKnown = raw(SYS_prctl, PR_GET_TID_ADDRESS, long(&thread)) == 0 && thread != 0 &&
                       raw(SYS_get_robust_list, 0, long(&locks), long(&size)) == 0;
  if (!isKnown || !canBeCopied(socket)) end(0);
  raw(SYS_prctl, PR_SET_DUMPABLE, 0); // not to be looked into by what was copied
  // A run may send signals to all processes: what the program does about them would be seen in later copies.
  const KernelMask mask = changeMask(SIG_SETMASK, ~KernelMask(0));
  static Order order;
  for (bool isHeard = answer(socket, 0); isHeard && receive(socket, order);) {
    // That of the copy is asked for since such calls are let through (experiment/cell_filter.cpp).
    int descriptor = -1;
    long pid = raw(SYS_clone, CLONE_PARENT | CLONE_PIDFD | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID, 0,
                   long(&descriptor), thread, 0);
    if (pid == 0) {
      raw(SYS_set_robust_list, locks, size);
      become(order, socket);
      changeMask(SIG_SETMASK, mask);
      return order.text[0] == FL_PARKED_SCOUT ? Copied::AsScout : Copied::AsRun;
    }
    raw(SYS_close, descriptor);
    for (int fd : order.descriptors) raw(SYS_close, fd);
    isHeard = answer(socket, int32_t(pid));
  }
  end(0);
}

int takeScoutSocket() {
  long socket = raw(SYS_fcntl, 2, F_DUPFD_CLOEXEC, kMostDescriptor);
  if (socket != kMostDescriptor) end(0);
  raw(SYS_dup2, 1, 2);
  return int(socket);
}

} // namespace fl

// Asking the recorder (abi/control.h). Raw system calls: it is done in the child of a fork, where libc's locks
// may be held for ever, and the socket must be gone before the program goes on.
#include "abi/control.h"

#include "runtime/raw.h"
#include "runtime/runtime.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace fl {

// Copies: the state's own are in memory that a program gone wild may have overwritten.
static uint64_t name, token;

void startControl() {
  name = FL_STATE.control;
  token = FL_STATE.token;
}

static int connectToRecorder() {
  if (name == 0) return -1;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  size_t length = 1; // sun_path[0] == 0: abstract
  memcpy(address.sun_path + length, FL_CONTROL_NAME, sizeof FL_CONTROL_NAME - 1);
  length += sizeof FL_CONTROL_NAME - 1;
  for (int shift = 60; shift >= 0; shift -= 4)
    address.sun_path[length++] = "0123456789abcdef"[(name >> shift) & 15];
  int fd = int(raw(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (fd < 0) return -1;
  long size = long(offsetof(sockaddr_un, sun_path) + length);
  long result;
  do result = raw(SYS_connect, fd, long(&address), size);
  while (result == -EINTR);
  if (result == 0) return fd;
  raw(SYS_close, fd);
  return -1;
}

static bool sendAll(int fd, const void* bytes, size_t size) {
  long sent;
  do sent = raw(SYS_sendto, fd, long(bytes), long(size), MSG_NOSIGNAL);
  while (sent == -EINTR);
  return sent == long(size);
}

// The answer, and the descriptor that came with it, if any.
static long receive(int fd, void* bytes, size_t size, int& descriptor) {
  iovec part = {bytes, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  long got;
  do got = raw(SYS_recvmsg, fd, long(&message), MSG_CMSG_CLOEXEC);
  while (got == -EINTR);
  descriptor = -1;
  cmsghdr* header = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return got;
}

int askForChildLog(uint32_t stream, uint32_t buffers, uint32_t number) {
  int fd = connectToRecorder();
  if (fd < 0) return -1;
  fl_request request = {token, FL_REQUEST_CHILD, stream, buffers, number};
  fl_answer answer = {};
  int descriptor = -1;
  if (sendAll(fd, &request, sizeof request)) receive(fd, &answer, sizeof answer, descriptor);
  raw(SYS_close, fd);
  return descriptor;
}

} // namespace fl

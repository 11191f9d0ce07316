// Asking the recorder (abi/control.h). Raw system calls: it is done in the child of a fork, where libc's
// locks may be held for ever, and the socket must be gone before the program goes on.
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

static bool send(int fd, fl_request request, const char* path) {
  iovec parts[] = {{&request, sizeof request}, {const_cast<char*>(path), strlen(path)}};
  msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  long sent;
  do sent = raw(SYS_sendmsg, fd, long(&message), MSG_NOSIGNAL);
  while (sent == -EINTR);
  return sent == long(sizeof request + parts[1].iov_len);
}

// The answer, the path and the descriptor that came with it, if any.
static bool receive(int fd, char* path, size_t room, int& descriptor) {
  fl_answer answer = {};
  iovec parts[] = {{&answer, sizeof answer}, {path, room}};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  long got;
  do got = raw(SYS_recvmsg, fd, long(&message), MSG_CMSG_CLOEXEC);
  while (got == -EINTR);
  descriptor = -1;
  cmsghdr* header = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  if (got < long(sizeof answer) || !answer.granted) return false;
  if (room) path[got - long(sizeof answer)] = 0;
  return true;
}

int askForChildLog(uint32_t stream, uint32_t buffers, uint32_t number) {
  int fd = connectToRecorder();
  if (fd < 0) return -1;
  fl_request request = {token, FL_REQUEST_CHILD, stream, buffers, number};
  int descriptor = -1;
  if (send(fd, request, "")) receive(fd, nullptr, 0, descriptor);
  raw(SYS_close, fd);
  return descriptor;
}

bool askForVariant(const char* path, char* variant) {
  if (strlen(path) > FL_CONTROL_PATH) return false;
  int fd = connectToRecorder();
  if (fd < 0) return false;
  fl_request request = {token, FL_REQUEST_OBJECT, FL_STATE.stream, 0, 0};
  int descriptor = -1;
  bool granted = send(fd, request, path) && receive(fd, variant, FL_CONTROL_PATH, descriptor);
  raw(SYS_close, fd);
  return granted;
}

} // namespace fl

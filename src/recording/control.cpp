#include "recording/control.h"

#include "base/descriptors.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>

namespace faultline::recording {

Result<ControlSocket> ControlSocket::create() {
  ControlSocket control;
  uint64_t random[2];
  if (getrandom(random, sizeof random, 0) != sizeof random)
    return errorf("the system has no random numbers to give: {}", std::strerror(errno));
  control.name_ = random[0] | 1; // 0 means that there is none
  control.token_ = random[1];
  control.fd_ = FileDescriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  std::string name = fmt::format("{}{:016x}", FL_CONTROL_NAME, control.name_);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  auto size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (control.fd() < 0 || bind(control.fd(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(control.fd(), 128) != 0)
    return errorf("cannot make a socket for the program to ask on: {}", std::strerror(errno));
  return control;
}

std::optional<ControlRequest> ControlSocket::accept() const {
  ControlRequest asked{};
  asked.connection = FileDescriptor(accept4(fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (asked.connection.get() < 0) return {};
  // It is sent as soon as the connection is there; who does not is none of ours.
  timeval soon{1, 0};
  setsockopt(asked.connection.get(), SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  asked.path.resize(FL_CONTROL_PATH);
  iovec parts[] = {{&asked.request, sizeof asked.request}, {asked.path.data(), asked.path.size()}};
  ssize_t got = readv(asked.connection.get(), parts, 2);
  ucred who{};
  socklen_t size = sizeof who;
  if (got < ssize_t(sizeof asked.request) || asked.request.token != token_ ||
      getsockopt(asked.connection.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
    return {};
  asked.pid = who.pid;
  asked.path.resize(size_t(got) - sizeof asked.request);
  return asked;
}

void ControlRequest::grant(int descriptor) const { answer("", descriptor); }
void ControlRequest::grant(const std::string& path) const {
  if (path.size() <= FL_CONTROL_PATH) answer(path, -1);
}

void ControlRequest::answer(const std::string& path, int descriptor) const {
  fl_answer answer{.granted = 1, .reserved = 0};
  const iovec parts[] = {{&answer, sizeof answer}, {const_cast<char*>(path.data()), path.size()}};
  // Who does not wait for it any more does without.
  (void)sendDescriptors(connection.get(), parts, std::span<const int>(&descriptor, descriptor >= 0 ? 1 : 0));
}

} // namespace faultline::recording

#include "base/descriptors.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace faultline {

ssize_t sendDescriptors(int socket, std::span<const iovec> parts, std::span<const int> descriptors) {
  alignas(cmsghdr) char room[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  if (descriptors.size() > kMostDescriptors) return errno = EINVAL, -1;
  if (!descriptors.empty()) {
    message.msg_control = room;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent;
}

ssize_t receiveDescriptors(int socket, iovec part, std::span<int> descriptors, bool& came) {
  alignas(cmsghdr) char room[CMSG_SPACE(kMostDescriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  came = false;
  if (got <= 0) return got;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  came = header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(descriptors.size_bytes());
  if (came) std::memcpy(descriptors.data(), CMSG_DATA(header), descriptors.size_bytes());
  return got;
}

} // namespace faultline

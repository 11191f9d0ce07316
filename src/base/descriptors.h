// Open files that go with a message to another process, which gets descriptors of its own for them. Nothing
// is allocated: also for a process that was just forked.
//
//   const iovec part{&order, sizeof order};
//   sendDescriptors(socket, {&part, 1}, {&fd, 1});
#pragma once

#include <cstddef>
#include <span>
#include <sys/types.h>
#include <sys/uio.h>

namespace faultline {

inline constexpr size_t kMostDescriptors = 8;

// Bytes that were sent, as sendmsg has it; who does not listen any more is no signal. No descriptors: bytes
// alone.
ssize_t sendDescriptors(int socket, std::span<const iovec> parts, std::span<const int> descriptors);

// Bytes that came, as recvmsg has it; `descriptors` are set only if as many came, and closed at exec.
ssize_t receiveDescriptors(int socket, iovec part, std::span<int> descriptors, bool& came);

} // namespace faultline

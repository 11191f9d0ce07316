// Standard input of a recorded run: kept where that is possible, so that it can be given again.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace faultline::recording {

class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { reset(); }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }

private:
  int fd_ = -1;
};

struct Input {
  std::string kind;   // as in Meta::input
  FileDescriptor fd;  // what the program reads; none: ours, as it is
  std::string bytes;  // kept
  std::string caveat; // why it is not kept, if it should be
  // A pipe: to be passed on while the program runs (InputPump).
  FileDescriptor from; // none: our own standard input
  FileDescriptor to;
};

// More than this is given to the program but not kept.
inline constexpr uint64_t kMaxInput = 256ull << 20;

Result<Input> takeInput(const std::optional<std::filesystem::path>& path, bool keep);

} // namespace faultline::recording

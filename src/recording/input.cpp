#include "recording/input.h"

#include "base/text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace faultline::recording {
namespace {

bool writeAll(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written, size -= size_t(written);
  }
  return true;
}

// Reads `from` to its end into a file without a name.
Result<Input> takeAll(int from, const std::string& name) {
  Input input{"captured", FileDescriptor(memfd_create("faultline-input", MFD_CLOEXEC)), {}, {}};
  uint64_t total = 0;
  std::string buffer(1 << 20, 0);
  for (;;) {
    ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errorf("cannot read {}: {}", name, std::strerror(errno));
    if (got == 0) break;
    total += uint64_t(got);
    if (total <= kMaxInput) input.bytes.append(buffer.data(), size_t(got));
    if (!writeAll(input.fd.get(), buffer.data(), size_t(got)))
      return errorf("cannot hold {} in memory: {}", name, std::strerror(errno));
  }
  if (total > kMaxInput) {
    input.bytes.clear();
    input.kind = "inherited";
    input.caveat = fmt::format("standard input of {} is too large to be kept", humanSize(total));
  }
  lseek(input.fd.get(), 0, SEEK_SET);
  return input;
}

} // namespace

Result<Input> takeInput(const std::optional<std::filesystem::path>& path, bool keep) {
  if (path) {
    FileDescriptor file(open(path->c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return errorf("cannot read {}: {}", path->string(), std::strerror(errno));
    return takeAll(file.get(), path->string());
  }
  struct stat status;
  if (fstat(0, &status) != 0) return Input{"none", {}, {}, {}};
  bool stream = S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  if (!keep || !stream) return Input{isatty(0) || stream ? "inherited" : "none", {}, {}, {}};
  return takeAll(0, "standard input");
}

} // namespace faultline::recording

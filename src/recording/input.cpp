#include "recording/input.h"

#include "base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace faultline::recording {
namespace {

Input left(const char* kind) {
  Input input;
  input.kind = kind;
  return input;
}

// What the program reads is the end of a pipe of ours, into which the recorder passes `from` on.
Result<Input> pipeFrom(FileDescriptor own, const std::string& name) {
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0)
    return errorf("cannot make a pipe for {}: {}", name, std::strerror(errno));
  Input input = left("captured");
  input.fd = FileDescriptor(pipes[0]);
  input.from = std::move(own);
  input.to = FileDescriptor(pipes[1]);
  return input;
}

// A file stays what the program reads: it may ask for its size and times, seek in it, and leave the rest to
// whoever shares it. Its bytes are copied on the side.
Result<Input> copyOf(int from, FileDescriptor own, const std::string& name) {
  Input input = left("captured");
  input.fd = std::move(own);
  off_t at = std::max<off_t>(lseek(from, 0, SEEK_CUR), 0);
  std::string buffer(1 << 20, 0);
  for (;;) {
    ssize_t got = pread(from, buffer.data(), buffer.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errorf("cannot read {}: {}", name, std::strerror(errno));
    if (got == 0) return input;
    at += got;
    input.bytes.append(buffer.data(), size_t(got));
    if (input.bytes.size() <= kMaxInput) continue;
    input.bytes.clear();
    input.kind = "inherited";
    input.caveat =
        fmt::format("standard input of more than {} is too large to be kept", humanSize(kMaxInput));
    return input;
  }
}

bool isFile(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace

Result<Input> takeInput(const std::optional<std::filesystem::path>& path, bool keep) {
  if (path) {
    FileDescriptor file(open(path->c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return errorf("cannot read {}: {}", path->string(), std::strerror(errno));
    int fd = file.get();
    return isFile(fd) ? copyOf(fd, std::move(file), path->string())
                      : pipeFrom(std::move(file), path->string());
  }
  struct stat status;
  if (fstat(0, &status) != 0) return left("none");
  bool stream = S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode);
  if (!stream && !isatty(0) && !S_ISSOCK(status.st_mode)) return left("none");
  bool readable = (fcntl(0, F_GETFL) & O_ACCMODE) != O_WRONLY;
  if (!keep || !stream || !readable) return left("inherited");
  return isFile(0) ? copyOf(0, {}, "standard input") : pipeFrom({}, "standard input");
}

} // namespace faultline::recording

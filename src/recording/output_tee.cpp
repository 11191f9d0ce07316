#include "recording/output_tee.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace faultline::recording {

static constexpr size_t kPiece = 1 << 20;

bool OutputTee::openFile() {
  struct stat status;
  if (passTo_ < 0 || fstat(passTo_, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  file_ = FileDescriptor(::open(fmt::format("/proc/self/fd/{}", passTo_).c_str(), O_RDONLY | O_CLOEXEC));
  bool appends = fcntl(passTo_, F_GETFL) & O_APPEND;
  fileAt_ = appends ? status.st_size : std::max<off_t>(lseek(passTo_, 0, SEEK_CUR), 0);
  return file_.get() >= 0;
}

void OutputTee::readFile() {
  std::string buffer(kPiece, 0);
  ssize_t got;
  while ((got = pread(file_.get(), buffer.data(), buffer.size(), fileAt_)) > 0) {
    keep_(stream_, buffer.substr(0, size_t(got)));
    fileAt_ += got;
  }
}

Result<void> OutputTee::open(bool byPipe) {
  if (!byPipe && openFile()) return {};
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return errorf("cannot make a pipe: {}", std::strerror(errno));
  reading_ = FileDescriptor(pipes[0]);
  writing_ = FileDescriptor(pipes[1]);
  fcntl(reading_.get(), F_SETFL, O_NONBLOCK);
  return {};
}

// True: there may be more.
bool OutputTee::readOnce() {
  char buffer[64 << 10];
  ssize_t got = read(reading_.get(), buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return true;
  if (got < 0 && errno == EAGAIN) return false;
  if (got <= 0) {
    reading_.reset();
    return false;
  }
  collected_.append(buffer, size_t(got));
  seen_ += size_t(got);
  for (ssize_t done = 0; passTo_ >= 0 && done < got;) {
    ssize_t written = write(passTo_, buffer + done, size_t(got - done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      // Nobody reads it any more. The program must learn that as it would without us.
      reading_.reset();
      return false;
    }
    done += written;
  }
  if (collected_.size() >= kPiece) flush();
  return true;
}

void OutputTee::flush() {
  for (size_t at = 0; at < collected_.size(); at += kPiece) keep_(stream_, collected_.substr(at, kPiece));
  collected_.clear();
}

size_t OutputTee::readSome() {
  const size_t before = seen_;
  if (fd() >= 0) readOnce();
  return seen_ - before;
}

void OutputTee::finish() {
  // Not to the end of the stream: a process that the program left behind may hold it open.
  while (fd() >= 0 && readOnce()) {
  }
  flush();
  if (file_.get() >= 0) readFile();
}

} // namespace faultline::recording

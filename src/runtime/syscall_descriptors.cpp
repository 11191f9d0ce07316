// Descriptors are opened, copied and closed for real, and are afterwards what they were.
#include "runtime/pages.h"
#include "runtime/random.h"
#include "runtime/syscalls.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>

namespace fl {
namespace {

// What `fd` is now is brought back afterwards.
void keepDescriptor(long fd, const Call& c) {
  if (!running()) return;
  long copy = raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kMostDescriptors / 2);
  if (copy < 0) return note({Undo::Close, uint32_t(fd), 0, 0, {}}, c);
  long flags = raw(SYS_fcntl, fd, F_GETFD);
  note({Undo::GiveBack, uint32_t(fd), uint64_t(copy), uint64_t(flags), {}}, c);
}

bool isOwnMaps(long path) {
  return isText(path, "/proc/self/maps") || isText(path, "/proc/thread-self/maps");
}

// The program goes its recorded way only if it sees what it saw then.
void show(long fd, long own) {
  if (own < 0) return;
  raw(SYS_dup3, own, fd, O_CLOEXEC);
  raw(SYS_close, own);
}

// The one that is served, and was opened by a name that nobody knew.
bool isRealFile(long fd) {
  struct stat status;
  if (!FL_SERVER.file || raw(SYS_fstat, fd, long(&status)) != 0) return false;
  return status.st_ino == FL_EXPERIMENTS.file_inode && status.st_dev == FL_EXPERIMENTS.file_device;
}

} // namespace

bool isText(long place, const char* text) {
  if (!isReadable(place, strlen(text) + 1)) return false;
  return strcmp(reinterpret_cast<const char*>(place), text) == 0;
}

long doClose(const Call& c) {
  if (isOurs(c.a[0])) return -EBADF;
  keepDescriptor(c.a[0], c);
  *streamOf(c.a[0]) = kReal;
  return pass(c);
}

long doDup(const Call& c) {
  bool named = c.number == SYS_dup2 || c.number == SYS_dup3;
  if (named && isOurs(c.a[1])) return -EBADF;
  if (named && c.a[0] != c.a[1]) keepDescriptor(c.a[1], c);
  long fd = pass(c);
  if (fd < 0) return fd;
  if (fd >= kMostDescriptors) strange(c);
  if (!named) note({Undo::Close, uint32_t(fd), 0, 0, {}}, c);
  *streamOf(fd) = *streamOf(c.a[0]);
  return fd;
}

long doFcntl(const Call& c) {
  switch (c.a[1]) {
  case F_DUPFD:
  case F_DUPFD_CLOEXEC:
    return doDup(c);
  case F_GETFD:
  case F_GETFL:
  case F_GETLK:
  case F_SETFD: // of no matter: nothing is started
    return pass(c);
  case F_SETLK:
  case F_SETLKW:
    return 0; // nobody else is there
  default:
    if (running()) strange(c);
    return pass(c);
  }
}

long doOpen(const Call& c) {
  long path = c.number == SYS_openat ? c.a[1] : c.a[0];
  long flags = c.number == SYS_openat ? c.a[2] : c.a[1];
  bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
  if (isText(path, "/dev/tty")) return -ENXIO;
  if (writes && !isText(path, "/dev/null")) strange(c);
  long fd = pass(c);
  if (fd < 0) return fd;
  if (fd >= kMostDescriptors / 2 || isRealFile(fd)) strange(c);
  if (isOwnMaps(path)) show(fd, openOwnMaps());
  if (isRandomGiven() && (isText(path, "/dev/urandom") || isText(path, "/dev/random")))
    show(fd, openRandom());
  *streamOf(fd) = kReal;
  note({Undo::Close, uint32_t(fd), 0, 0, {}}, c);
  return fd;
}

long doIoctl(const Call& c) {
  switch (c.a[1]) {
  case TCGETS:
  case TIOCGWINSZ:
  case FIONREAD:
    return pass(c);
  default:
    strange(c);
  }
}

} // namespace fl

// Standard input, output and error are the server's own memory; files can be read, and their positions are
// brought back.
#include "runtime/syscalls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

namespace fl {
namespace {

bool isNull(long fd) {
  struct stat status;
  return raw(SYS_fstat, fd, long(&status)) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

bool isPlainFile(long fd) {
  struct stat status;
  return raw(SYS_fstat, fd, long(&status)) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

bool isDevice(long fd) {
  struct stat status;
  return raw(SYS_fstat, fd, long(&status)) == 0 && S_ISCHR(status.st_mode);
}

long readInput(long to, size_t size, long at) {
  Server& s = FL_SERVER;
  uint64_t from = at < 0 ? s.inputAt : uint64_t(at);
  uint64_t left = from < s.inputSize ? s.inputSize - from : 0;
  if (size > left) size = left;
  if (!copyOut(to, s.input + from, size)) return -EFAULT;
  if (at < 0) s.inputAt += size;
  return long(size);
}

} // namespace

void notePosition(long fd, const Call& c) {
  if (!running()) return;
  long at = raw(SYS_lseek, fd, 0, SEEK_CUR);
  if (at >= 0) note({Undo::Seek, uint32_t(fd), uint64_t(at), 0, {}}, c);
}

// A copy that faults as the kernel's would: with an error, not a signal.
bool copyOut(long to, const void* from, size_t size) {
  iovec local = {const_cast<void*>(from), size}, remote = {reinterpret_cast<void*>(to), size};
  return size == 0 ||
         raw(SYS_process_vm_writev, processId(), long(&local), 1, long(&remote), 1, 0) == long(size);
}

// The kernel copies a set of signals before it finds that there is no such thing to do with it: a tenth of
// what it takes to read by process_vm_readv, which programs that print much were kept waiting for.
static bool isPageReadable(uintptr_t page) {
  constexpr long kNothing = -1, kSetSize = 8;
  return page != 0 && raw(SYS_rt_sigprocmask, kNothing, long(page), 0, kSetSize) != -EFAULT;
}

bool isReadable(long from, size_t size) {
  if (size == 0) return true;
  uintptr_t first = uintptr_t(from), last = first + size - 1;
  if (last < first) return false;
  for (uintptr_t page = first & ~(kPage - 1); page <= last; page += kPage)
    if (!isPageReadable(page)) return false;
  return true;
}

long doRead(const Call& c) {
  long fd = c.a[0];
  bool positioned = c.number == SYS_pread64 || c.number == SYS_preadv;
  if (*streamOf(fd) == kInput) {
    long at = positioned ? c.a[3] : -1;
    if (positioned && !FL_EXPERIMENTS.input_is_file) return -ESPIPE;
    if (c.number == SYS_read || c.number == SYS_pread64) return readInput(c.a[1], size_t(c.a[2]), at);
    if (positioned) strange(c);
    long total = 0;
    auto* parts = reinterpret_cast<const iovec*>(c.a[1]);
    for (long k = 0; k < c.a[2]; ++k) {
      long got = readInput(long(parts[k].iov_base), parts[k].iov_len, -1);
      if (got < 0) return total ? total : got;
      total += got;
      if (size_t(got) < parts[k].iov_len) break;
    }
    return total;
  }
  if (*streamOf(fd) != kReal) return -EBADF;
  if (!isPlainFile(fd) && !isDevice(fd)) strange(c);
  if (!positioned) notePosition(fd, c);
  return pass(c);
}

long doWrite(const Call& c) {
  long fd = c.a[0];
  auto stream = StreamKind(*streamOf(fd));
  if (stream == kInput) return -EBADF;
  if (stream == kReal) {
    if (raw(SYS_fcntl, fd, F_GETFD) < 0) return -EBADF;
    if (!isNull(fd)) strange(c);
    return pass(c);
  }
  if (c.number == SYS_pwrite64 || c.number == SYS_pwritev) return -ESPIPE;
  if (c.number == SYS_write) {
    if (!isReadable(c.a[1], size_t(c.a[2]))) return -EFAULT;
    takeOutput(stream, reinterpret_cast<const char*>(c.a[1]), uint64_t(c.a[2]));
    return c.a[2];
  }
  long total = 0;
  auto* parts = reinterpret_cast<const iovec*>(c.a[1]);
  for (long k = 0; k < c.a[2]; ++k) {
    if (!isReadable(long(parts[k].iov_base), parts[k].iov_len)) return total ? total : -EFAULT;
    takeOutput(stream, static_cast<const char*>(parts[k].iov_base), parts[k].iov_len);
    total += long(parts[k].iov_len);
  }
  return total;
}

long doSeek(const Call& c) {
  Server& s = FL_SERVER;
  auto stream = StreamKind(*streamOf(c.a[0]));
  if (stream == kReal) {
    notePosition(c.a[0], c);
    return pass(c);
  }
  if (stream != kInput || !FL_EXPERIMENTS.input_is_file) return -ESPIPE;
  long base = c.a[2] == SEEK_SET ? 0 : c.a[2] == SEEK_CUR ? long(s.inputAt) : long(s.inputSize);
  if (c.a[2] > SEEK_END || base + c.a[1] < 0) return -EINVAL;
  s.inputAt = uint64_t(base + c.a[1]);
  return long(s.inputAt);
}

// The size of standard input is that of the experiment's.
long doStat(const Call& c) {
  long result = pass(c);
  if (result != 0) return result;
  bool byDescriptor =
      c.number == SYS_fstat || (c.number == SYS_newfstatat && (c.a[3] & AT_EMPTY_PATH) && c.a[0] >= 0);
  if (!byDescriptor || *streamOf(c.a[0]) != kInput || !FL_EXPERIMENTS.input_is_file) return result;
  auto* status = reinterpret_cast<struct stat*>(c.number == SYS_fstat ? c.a[1] : c.a[2]);
  if (S_ISREG(status->st_mode)) status->st_size = off_t(FL_SERVER.inputSize);
  return result;
}

} // namespace fl

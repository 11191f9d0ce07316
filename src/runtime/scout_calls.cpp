// Which system calls a scout makes for all runs.
//
// Those that only look at files which are there before the run, and open, read and close them; that change
// the memory of the process, or what it does about signals; and that ask what does not change. Not: anything
// about standard input, output and error but whether they are terminals (they never are), the time, random
// numbers, numbers of processes, devices and /proc, waiting, and all that is not named here. What is still
// open where the scout waits makes it give up, so descriptors need no list.
#include "runtime/real.h"
#include "runtime/scout.h"
#include "runtime/syscalls.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>

namespace fl {
namespace {

bool isStream(int fd) { return fd >= 0 && fd <= 2; }

bool onlyAsksForAll(long number) {
  switch (number) {
  case SYS_uname:
  case SYS_getcwd:
  case SYS_getrlimit:
  case SYS_getuid:
  case SYS_getgid:
  case SYS_geteuid:
  case SYS_getegid:
  case SYS_getgroups:
  case SYS_getresuid:
  case SYS_getresgid:
  case SYS_sched_getaffinity:
  case SYS_sched_yield:
    return true;
  default:
    return false;
  }
}

bool isAboutDescriptor(const Call& c) {
  switch (c.number) {
  case SYS_read:
  case SYS_pread64:
  case SYS_readv:
  case SYS_preadv:
  case SYS_lseek:
  case SYS_fstat:
  case SYS_fstatfs:
  case SYS_getdents64:
  case SYS_fadvise64:
  case SYS_close:
  case SYS_connect: // nobody is there, and with whom one could talk one would stay connected
    return true;
  case SYS_fcntl:
    return c.a[1] == F_GETFD || c.a[1] == F_SETFD || c.a[1] == F_GETFL;
  case SYS_ioctl:
    return c.a[1] == TCGETS || c.a[1] == TIOCGWINSZ || c.a[1] == FIONREAD;
  default:
    return false;
  }
}

bool isMemory(const Call& c, int ours) {
  switch (c.number) {
  case SYS_brk:
  case SYS_munmap:
  case SYS_mremap:
  case SYS_mprotect:
    return true;
  case SYS_madvise: // not what a fork heeds
    return c.a[2] <= MADV_FREE || c.a[2] == MADV_HUGEPAGE || c.a[2] == MADV_NOHUGEPAGE ||
           c.a[2] == MADV_DONTDUMP;
  case SYS_mmap: {
    const bool isPrivate = (c.a[3] & MAP_TYPE) == MAP_PRIVATE, isFile = !(c.a[3] & MAP_ANONYMOUS);
    if (c.a[3] & (MAP_LOCKED | MAP_GROWSDOWN)) return false;
    if (isFile && (isStream(int(c.a[4])) || int(c.a[4]) == ours)) return false;
    return isPrivate || (isFile && !(c.a[2] & PROT_WRITE)); // opened for reading: it stays so
  }
  default:
    return false;
  }
}

// Blocked, it would end the scout.
bool blocksCatching(const Call& c) {
  if (!c.a[1] || c.a[0] == SIG_UNBLOCK || !isReadable(c.a[1], sizeof(KernelMask))) return false;
  return *reinterpret_cast<const KernelMask*>(c.a[1]) & maskOf(SIGSYS);
}

bool isSignals(const Call& c) {
  if (c.number == SYS_rt_sigaction) return c.a[0] != SIGSYS;
  return c.number == SYS_rt_sigprocmask && !blocksCatching(c);
}

// The allocator takes a number that it marks free blocks with; nobody else sees it.
bool isForLibcItself(const Call& c) {
  Dl_info target, libc;
  return c.number == SYS_getrandom && c.a[1] == sizeof(uint64_t) &&
         dladdr(reinterpret_cast<void*>(c.a[0]), &target) != 0 &&
         dladdr(reinterpret_cast<void*>(REAL(mmap)), &libc) != 0 && target.dli_fbase == libc.dli_fbase;
}

bool isOther(const Call& c) {
  switch (c.number) {
  case SYS_prlimit64:
    return c.a[0] == 0 && c.a[2] == 0;
  case SYS_prctl:
    return c.a[0] == PR_SET_NAME || c.a[0] == PR_GET_NAME;
  case SYS_futex:
    return (c.a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE;
  case SYS_socket: // libc asks a daemon for names of users
    return c.a[0] == AF_UNIX;
  default:
    return onlyAsksForAll(c.number) || isForLibcItself(c);
  }
}

// ---- names of files

struct Named {
  int directory;
  long path;
  bool isOpened;
  int flags; // isOpened
};

bool namesFile(const Call& c, Named& named) {
  switch (c.number) {
  case SYS_stat:
  case SYS_lstat:
  case SYS_access:
  case SYS_readlink:
  case SYS_statfs:
    named = {AT_FDCWD, c.a[0], false, 0};
    return true;
  case SYS_newfstatat:
  case SYS_statx:
  case SYS_faccessat:
  case 439: // faccessat2
  case SYS_readlinkat:
    named = {int(c.a[0]), c.a[1], false, 0};
    return true;
  case SYS_open:
    named = {AT_FDCWD, c.a[0], true, int(c.a[1])};
    return true;
  case SYS_openat:
    named = {int(c.a[0]), c.a[1], true, int(c.a[2])};
    return true;
  default:
    return false;
  }
}

bool isInProc(const struct stat& status) {
  struct stat proc;
  return raw(SYS_stat, long("/proc"), long(&proc)) == 0 && status.st_dev == proc.st_dev;
}

// A plain file or a directory, or nothing: not what leads to our own streams, which are devices here.
bool isPlain(const Named& named) {
  constexpr int kBoth[] = {0, AT_SYMLINK_NOFOLLOW};
  for (const int flags : kBoth) {
    struct stat status;
    long result = raw(SYS_newfstatat, named.directory, named.path, long(&status), flags);
    if (result == -EFAULT) return true; // as the program will hear
    if (strncmp(reinterpret_cast<const char*>(named.path), "/proc", 5) == 0) return false;
    if (result != 0) continue;
    const bool isKnown = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISLNK(status.st_mode);
    if (!isKnown || isInProc(status)) return false;
  }
  return true;
}

bool isReading(int flags) {
  constexpr int kAllowed = O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY | O_NONBLOCK | O_NOCTTY | 0100000 /* LARGE */;
  return (flags & ~kAllowed) == O_RDONLY;
}

bool isHarmless(const Call& c, int ours) {
  Named named;
  if (namesFile(c, named))
    return !isStream(named.directory) && named.directory != ours && isPlain(named) &&
           (!named.isOpened || isReading(named.flags));
  if (isAboutDescriptor(c)) return !isStream(int(c.a[0])) && int(c.a[0]) != ours;
  return isMemory(c, ours) || isSignals(c) || isOther(c);
}

} // namespace

bool madeForAll(const Call& c, int ours, long& result) {
  if (c.number == SYS_ioctl && isStream(int(c.a[0])) && (c.a[1] == TCGETS || c.a[1] == TIOCGWINSZ)) {
    result = -ENOTTY;
    return true;
  }
  if (!isHarmless(c, ours)) return false;
  result = c.number == SYS_rt_sigprocmask ? doMask(c) : pass(c);
  return true;
}

} // namespace fl

// The system calls of a program that serves experiments. Each is caught before the kernel sees it (syscall
// user dispatch), and sorted:
//
// - standard input, output and error are the server's own memory: there is nothing to take back;
// - what only asks is let through;
// - what changes the process (memory, descriptors, handlers) is done, and noted in a list that undoes it;
// - what would reach beyond the process is refused, and counted;
// - for anything else the run ends: it has to be repeated in a process of its own.
//
// The walk itself is held to the same, but takes nothing back.
#include "runtime/experiment.h"
#include "runtime/raw.h"
#include "runtime/signals.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <termios.h>
#include <ucontext.h>

extern "C" __attribute__((visibility("hidden"))) char __ehdr_start[], etext[];

// In the range whose system calls are not caught.
extern "C" __attribute__((visibility("hidden"))) void fl_signal_return();
asm(".text\n.hidden fl_signal_return\n.globl fl_signal_return\n.type fl_signal_return,@function\n"
    "fl_signal_return:\n\tmovl $15, %eax\n\tsyscall\n");

namespace fl {
namespace {

constexpr int kSetDispatch = 59; // PR_SET_SYSCALL_USER_DISPATCH
constexpr int kOn = 1;

struct Call {
  long number;
  long a[6];
  ucontext_t* context;
};

bool running() { return FL_SERVER.running; }

[[noreturn]] void strange(const Call& c) { endRun(FL_CUT_STRANGE, 0, uint32_t(c.number)); }

long refuse(long error) {
  ++FL_SERVER.blocked;
  return -error;
}

long pass(const Call& c) { return raw(c.number, c.a[0], c.a[1], c.a[2], c.a[3], c.a[4], c.a[5]); }

void note(const Undo& undo, const Call& c) {
  if (!running()) return;
  if (FL_SERVER.undoCount == kMostUndos) strange(c);
  FL_SERVER.undo[FL_SERVER.undoCount++] = undo;
}

uint8_t* streamOf(long fd) {
  static uint8_t none = kReal;
  none = kReal;
  return fd >= 0 && fd < kMostDescriptors ? &FL_SERVER.streams[fd] : &none;
}

bool isOurs(long fd) { return fd == FL_SERVER.userfault || fd == FL_SERVER.pagemap; }

// Streams

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

bool isReadable(long from, size_t size) {
  // Touching a page at a time is enough, and cheap.
  char byte;
  for (size_t at = 0; at < size; at += kPage) {
    iovec local = {&byte, 1}, remote = {reinterpret_cast<void*>(from + long(at)), 1};
    if (raw(SYS_process_vm_readv, processId(), long(&local), 1, long(&remote), 1, 0) != 1) return false;
  }
  iovec local = {&byte, 1}, remote = {reinterpret_cast<void*>(from + long(size) - 1), 1};
  return size == 0 || raw(SYS_process_vm_readv, processId(), long(&local), 1, long(&remote), 1, 0) == 1;
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

// Descriptors

// What `fd` is now is brought back afterwards.
void keepDescriptor(long fd, const Call& c) {
  if (!running()) return;
  long copy = raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kMostDescriptors / 2);
  if (copy < 0) return note({Undo::Close, uint32_t(fd), 0, 0, {}}, c);
  long flags = raw(SYS_fcntl, fd, F_GETFD);
  note({Undo::GiveBack, uint32_t(fd), uint64_t(copy), uint64_t(flags), {}}, c);
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

bool isText(long place, const char* text) {
  if (!isReadable(place, strlen(text) + 1)) return false;
  return strcmp(reinterpret_cast<const char*>(place), text) == 0;
}

long doOpen(const Call& c) {
  long path = c.number == SYS_openat ? c.a[1] : c.a[0];
  long flags = c.number == SYS_openat ? c.a[2] : c.a[1];
  bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
  if (isText(path, "/dev/tty")) return -ENXIO;
  if (writes && !isText(path, "/dev/null")) strange(c);
  long fd = pass(c);
  if (fd < 0) return fd;
  if (fd >= kMostDescriptors / 2) strange(c);
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

// Memory

long mapMore(long size) {
  Server& s = FL_SERVER;
  if (running()) s.mapped += uint64_t(size);
  return running() && FL_EXPERIMENTS.memory && s.mapped > FL_EXPERIMENTS.memory ? refuse(ENOMEM) : 0;
}

uint64_t roundUp(uint64_t size) { return (size + kPage - 1) & ~(kPage - 1); }

long doMap(const Call& c) {
  if (long refused = mapMore(c.a[1])) return refused;
  // Onto what is there already: what was there would be lost. And what is shared is not ours alone.
  if (running() && (c.a[3] & MAP_FIXED) && !(c.a[3] & MAP_FIXED_NOREPLACE)) strange(c);
  if ((c.a[3] & MAP_SHARED) && (c.a[2] & PROT_WRITE) && !(c.a[3] & MAP_ANONYMOUS)) strange(c);
  if ((c.a[3] & MAP_SHARED) && (c.a[3] & MAP_ANONYMOUS)) strange(c); // not seen by userfaultfd's marks
  long at = pass(c);
  if (at < 0 && at > -4096) return at;
  FL_SERVER.mapsChanged = true;
  if (!running() && (c.a[3] & MAP_FIXED)) forgetPages(uint64_t(at), roundUp(uint64_t(c.a[1])));
  if (!running() && (c.a[3] & MAP_ANONYMOUS)) useLargePages(uint64_t(at), roundUp(uint64_t(c.a[1])));
  note({Undo::Unmap, 0, uint64_t(at), roundUp(uint64_t(c.a[1])), {}}, c);
  return at;
}

bool mappedHere(uint64_t address, uint64_t size) {
  for (uint32_t k = 0; k < FL_SERVER.undoCount; ++k) {
    const Undo& u = FL_SERVER.undo[k];
    if (u.kind == Undo::Unmap && u.a <= address && address + size <= u.a + u.b) return true;
  }
  return false;
}

// Memory from before the experiment stays, out of reach, until it is over.
long hide(uint64_t address, uint64_t size, const Call& c) {
  long result = protect(address, size, PROT_NONE);
  if (result == 0) note({Undo::Protect, PROT_READ | PROT_WRITE, address, size, {}}, c);
  return result;
}

long doUnmap(const Call& c) {
  uint64_t size = roundUp(uint64_t(c.a[1]));
  if (running() && !mappedHere(uint64_t(c.a[0]), size)) return hide(uint64_t(c.a[0]), size, c);
  long result = pass(c);
  if (result == 0 && !running()) forgetPages(uint64_t(c.a[0]), size);
  FL_SERVER.mapsChanged = true;
  return result;
}

long doRemap(const Call& c) {
  uint64_t old = uint64_t(c.a[0]), oldSize = roundUp(uint64_t(c.a[1])), size = roundUp(uint64_t(c.a[2]));
  if (c.a[3] & ~MREMAP_MAYMOVE) strange(c);
  if (!running()) {
    long at = pass(c);
    if (at < 0 && at > -4096) return at;
    forgetPages(old, oldSize);
    FL_SERVER.mapsChanged = true;
    return at;
  }
  if (size <= oldSize) {
    if (size < oldSize) hide(old + size, oldSize - size, c);
    return c.a[0];
  }
  if (!(c.a[3] & MREMAP_MAYMOVE)) return -ENOMEM;
  if (long refused = mapMore(long(size))) return refused;
  long at = raw(SYS_mmap, 0, long(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at < 0 && at > -4096) return at;
  note({Undo::Unmap, 0, uint64_t(at), size, {}}, c);
  if (!copyOut(at, reinterpret_cast<void*>(old), oldSize)) strange(c);
  hide(old, oldSize, c);
  return at;
}

// A heap that grows bit by bit gets large pages ahead of its growth, at least in its shadow.
void useLargeHeap(uint64_t end) {
  constexpr uint64_t kAhead = 16 << 20;
  Server& s = FL_SERVER;
  if (running() || end <= s.largeHeap || end - s.heapStart < kAhead / 2) return;
  s.largeHeap = end + kAhead;
  useLargePages(s.heapStart & ~(kPage - 1), s.largeHeap - s.heapStart);
}

long doBreak(const Call& c) {
  Server& s = FL_SERVER;
  uint64_t wanted = uint64_t(c.a[0]);
  if (wanted == 0) return long(s.brk);
  if (wanted > s.brkReal) {
    if (mapMore(long(wanted - s.brk))) return long(s.brk);
    if (raw(SYS_brk, long(wanted)) != long(wanted)) return long(s.brk);
    if (running()) note({Undo::Unmap, 1, s.brkReal, 0, {}}, c);
    s.brkReal = wanted;
    s.mapsChanged = true;
    useLargeHeap(wanted);
  } else if (wanted < s.brk) {
    // What is given back and taken again is zero.
    memset(reinterpret_cast<void*>(wanted), 0, s.brk - wanted);
  }
  s.brk = wanted;
  return long(wanted);
}

long doAdvise(const Call& c) {
  if (c.a[2] != MADV_DONTNEED && c.a[2] != MADV_FREE) return 0;
  if (c.a[2] == MADV_FREE) return 0;
  if (!running()) {
    forgetPages(uint64_t(c.a[0]), uint64_t(c.a[1]));
    return pass(c);
  }
  if (!isReadable(c.a[0], size_t(c.a[1]))) return -ENOMEM;
  memset(reinterpret_cast<void*>(c.a[0]), 0, size_t(c.a[1]));
  return 0;
}

long doProtect(const Call& c) {
  FL_SERVER.mapsChanged = true;
  // All that we can bring back is plain memory.
  if (running()) {
    if (!mappedHere(uint64_t(c.a[0]), roundUp(uint64_t(c.a[1])))) strange(c);
  }
  return pass(c);
}

// Signals

struct KernelAction {
  uint64_t handler, flags, restorer, mask;
};

long doAction(const Call& c) {
  if (c.a[0] == SIGSYS) return 0;
  KernelAction old = {};
  if (raw(SYS_rt_sigaction, c.a[0], 0, long(&old), 8) != 0) return pass(c);
  note({Undo::Action, uint32_t(c.a[0]), 0, 0, {old.handler, old.flags, old.restorer, old.mask}}, c);
  return pass(c);
}

// This handler runs with a mask of its own; the program's is in the context that it returns to.
long doMask(const Call& c) {
  auto& mask = *reinterpret_cast<KernelMask*>(&c.context->uc_sigmask);
  KernelMask before = mask;
  if (c.a[1]) {
    KernelMask set;
    if (!isReadable(c.a[1], sizeof set)) return -EFAULT;
    memcpy(&set, reinterpret_cast<void*>(c.a[1]), sizeof set);
    mask = c.a[0] == SIG_BLOCK ? before | set : c.a[0] == SIG_UNBLOCK ? before & ~set : set;
    mask &= ~maskOf(SIGSYS);
  }
  return c.a[2] && !copyOut(c.a[2], &before, sizeof before) ? -EFAULT : 0;
}

long doKill(const Call& c) {
  long target = c.a[0], signal = c.number == SYS_tgkill ? c.a[2] : c.a[1];
  bool self = target == processId() || (target != 0 && uint32_t(target) == FL_STATE.world_pid);
  if (c.number == SYS_tkill) self = target == threadId();
  if (!self) return refuse(EPERM);
  if (signal == SIGKILL || signal == SIGSTOP) endRun(FL_CUT_NONE, SIGKILL);
  if (c.number == SYS_kill) return raw(SYS_kill, processId(), signal);
  return c.number == SYS_tkill ? pass(c) : raw(SYS_tgkill, processId(), c.a[1], signal);
}

// Waiting

long doPoll(const Call& c) {
  if (c.number != SYS_poll && c.number != SYS_ppoll) strange(c);
  long ready = raw(SYS_poll, c.a[0], c.a[1], 0);
  bool forEver = c.number == SYS_poll ? c.a[2] < 0 : c.a[2] == 0;
  if (ready == 0 && forEver) endRun(FL_CUT_WAITS, 0);
  return ready;
}

long doFutex(const Call& c) {
  int operation = int(c.a[1]) & 0x7f & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  if (operation == FUTEX_WAKE) return 0;
  if (operation != FUTEX_WAIT && operation != 9 /* WAIT_BITSET */) strange(c);
  uint32_t word;
  if (!isReadable(c.a[0], 4)) return -EFAULT;
  memcpy(&word, reinterpret_cast<void*>(c.a[0]), 4);
  if (word != uint32_t(c.a[2])) return -EAGAIN;
  if (c.a[3]) return -ETIMEDOUT;
  endRun(FL_CUT_WAITS, 0); // there is no other thread to wake us
}

long doRandom(const Call& c) {
  static uint64_t state = 0x853c49e6748fea9bull;
  size_t size = size_t(c.a[1]) < 256 ? size_t(c.a[1]) : 256;
  uint8_t bytes[256];
  for (size_t k = 0; k < size; ++k) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    bytes[k] = uint8_t(state >> 56);
  }
  return copyOut(c.a[0], bytes, size) ? long(size) : -EFAULT;
}

long doLimit(const Call& c) {
  if (c.a[2] && running()) strange(c);
  return pass(c);
}

bool onlyAsks(long number) {
  switch (number) {
  case SYS_access:
  case SYS_sched_yield:
  case SYS_mincore:
  case SYS_uname:
  case SYS_getcwd:
  case SYS_readlink:
  case SYS_gettimeofday:
  case SYS_getrlimit:
  case SYS_getrusage:
  case SYS_sysinfo:
  case SYS_times:
  case SYS_getuid:
  case SYS_getgid:
  case SYS_geteuid:
  case SYS_getegid:
  case SYS_getppid:
  case SYS_getpgrp:
  case SYS_getgroups:
  case SYS_getresuid:
  case SYS_getresgid:
  case SYS_getpgid:
  case SYS_getsid:
  case SYS_statfs:
  case SYS_fstatfs:
  case SYS_gettid:
  case SYS_getxattr:
  case SYS_lgetxattr:
  case SYS_fgetxattr:
  case SYS_listxattr:
  case SYS_time:
  case SYS_sched_getaffinity:
  case SYS_clock_gettime:
  case SYS_clock_getres:
  case SYS_readlinkat:
  case SYS_faccessat:
  case 439:
  case SYS_statx:
  case SYS_getcpu:
  case SYS_sched_getparam:
  case SYS_sched_getscheduler:
  case SYS_getpriority:
  case SYS_set_robust_list:
  case SYS_set_tid_address:
  case 334 /* rseq */:
  case SYS_membarrier:
  case SYS_fadvise64:
  case SYS_fsync:
  case SYS_fdatasync:
  case SYS_sigaltstack:
  case SYS_rt_sigpending:
  case SYS_stat:
  case SYS_lstat:
    return true;
  default:
    return false;
  }
}

bool reachesOut(long number) {
  switch (number) {
  case SYS_socket:
  case SYS_connect:
  case SYS_bind:
  case SYS_listen:
  case SYS_sendto:
  case SYS_sendmsg:
  case SYS_ptrace:
  case SYS_mount:
  case SYS_umount2:
  case SYS_reboot:
  case SYS_sethostname:
  case SYS_settimeofday:
  case SYS_init_module:
  case SYS_delete_module:
  case SYS_setuid:
  case SYS_setgid:
  case SYS_chroot:
  case SYS_pivot_root:
  case SYS_process_vm_writev:
  case SYS_rt_sigqueueinfo:
  case SYS_pidfd_send_signal:
  case SYS_shmget:
  case SYS_msgget:
  case SYS_semget:
  case SYS_keyctl:
  case SYS_bpf:
  case SYS_unshare:
  case SYS_setns:
    return true;
  default:
    return false;
  }
}

// libc asks a daemon for names of users and hosts, and does without it where there is none. The run itself is
// refused it too; who needs it goes another way, which is noticed at the run's end.
bool asksLocally(const Call& c) { return c.number == SYS_socket && c.a[0] == AF_UNIX; }

long answer(const Call& c) {
  switch (c.number) {
  case SYS_read:
  case SYS_readv:
  case SYS_pread64:
  case SYS_preadv:
    return doRead(c);
  case SYS_write:
  case SYS_writev:
  case SYS_pwrite64:
  case SYS_pwritev:
    return doWrite(c);
  case SYS_lseek:
    return doSeek(c);
  case SYS_fstat:
  case SYS_newfstatat:
    return doStat(c);
  case SYS_getdents64:
    notePosition(c.a[0], c);
    return pass(c);
  case SYS_close:
    return doClose(c);
  case SYS_dup:
  case SYS_dup2:
  case SYS_dup3:
    return doDup(c);
  case SYS_fcntl:
    return doFcntl(c);
  case SYS_open:
  case SYS_openat:
    return doOpen(c);
  case SYS_ioctl:
    return doIoctl(c);
  case SYS_mmap:
    return doMap(c);
  case SYS_munmap:
    return doUnmap(c);
  case SYS_mremap:
    return doRemap(c);
  case SYS_brk:
    return doBreak(c);
  case SYS_madvise:
    return doAdvise(c);
  case SYS_mprotect:
    return doProtect(c);
  case SYS_rt_sigaction:
    return doAction(c);
  case SYS_rt_sigprocmask:
    return doMask(c);
  case SYS_kill:
  case SYS_tgkill:
  case SYS_tkill:
    return doKill(c);
  case SYS_poll:
  case SYS_ppoll:
  case SYS_select:
  case SYS_pselect6:
    return doPoll(c);
  case SYS_futex:
    return doFutex(c);
  case SYS_getrandom:
    return doRandom(c);
  case SYS_prlimit64:
    return doLimit(c);
  case SYS_nanosleep:
  case SYS_clock_nanosleep:
    return 0;
  case SYS_pause:
  case SYS_rt_sigsuspend:
  case SYS_rt_sigtimedwait:
  case SYS_wait4:
  case SYS_waitid:
    if (c.number == SYS_wait4 || c.number == SYS_waitid) return -ECHILD;
    endRun(FL_CUT_WAITS, 0);
  case SYS_getpid:
    return FL_STATE.world_pid ? long(FL_STATE.world_pid) : processId();
  case SYS_exit:
  case SYS_exit_group:
    endRun(FL_CUT_NONE, int(c.a[0] & 0xff) << 8);
  case SYS_prctl:
    if (c.a[0] == PR_SET_NAME || c.a[0] == PR_GET_NAME) return 0;
    strange(c);
  default:
    if (onlyAsks(c.number)) return pass(c);
    if (reachesOut(c.number) && (running() || asksLocally(c))) return refuse(EPERM);
    strange(c);
  }
}

void onCall(int, siginfo_t* info, void* where) {
  auto* context = static_cast<ucontext_t*>(where);
  auto& r = context->uc_mcontext.gregs;
  if (info->si_code != 2) endRun(FL_CUT_NONE, SIGSYS); // not by dispatch
  if (info->si_syscall == SYS_rt_sigreturn) {
    r[REG_RIP] = long(&fl_signal_return);
    return;
  }
  FL_SERVER.selector = 0;
  Call c = {
      info->si_syscall, {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]}, context};
  r[REG_RAX] = answer(c);
  FL_SERVER.selector = 1;
}

void undo(const Undo& u) {
  switch (u.kind) {
  case Undo::Unmap:
    rollBackShadow(u.a, u.number == 1 ? FL_SERVER.brkReal - u.a : u.b);
    if (u.number == 1) {
      raw(SYS_brk, long(u.a));
      FL_SERVER.brkReal = u.a;
    } else {
      raw(SYS_munmap, long(u.a), long(u.b));
    }
    return;
  case Undo::Protect:
    protect(u.a, u.b, int(u.number));
    return;
  case Undo::Close:
    raw(SYS_close, u.number);
    return;
  case Undo::GiveBack:
    raw(SYS_dup3, long(u.a), u.number, (u.b & FD_CLOEXEC) ? O_CLOEXEC : 0);
    raw(SYS_close, long(u.a));
    return;
  case Undo::Seek:
    raw(SYS_lseek, u.number, long(u.a), SEEK_SET);
    return;
  case Undo::Action:
    raw(SYS_rt_sigaction, u.number, long(u.action), 0, 8);
    return;
  }
}

} // namespace

void undoSyscalls() {
  while (FL_SERVER.undoCount > 0) undo(FL_SERVER.undo[--FL_SERVER.undoCount]);
}

bool startSyscalls() {
  KernelAction action = {uint64_t(&onCall), SA_SIGINFO | SA_ONSTACK | SA_NODEFER | 0x04000000 /* RESTORER */,
                         uint64_t(&fl_signal_return), 0};
  if (raw(SYS_rt_sigaction, SIGSYS, long(&action), 0, 8) != 0) return false;
  changeMask(SIG_UNBLOCK, maskOf(SIGSYS));
  FL_SERVER.selector = 0;
  FL_SERVER.brk = FL_SERVER.brkReal = FL_SERVER.heapStart = uint64_t(raw(SYS_brk, 0));
  return raw(SYS_prctl, kSetDispatch, kOn, long(__ehdr_start), etext - __ehdr_start,
             long(&FL_SERVER.selector)) == 0;
}

} // namespace fl

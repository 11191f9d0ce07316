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
#include "runtime/syscalls.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

namespace fl {
namespace {

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

// libc asks a daemon for names of users and hosts, and does without it where there is none. The run itself is
// refused it too; who needs it goes another way, which is noticed at the run's end.
bool asksLocally(const Call& c) { return c.number == SYS_socket && c.a[0] == AF_UNIX; }

// Which argument names a file, of the calls that may be about one that is read; -1: none.
int placeOfName(long number) {
  switch (number) {
  case SYS_open:
  case SYS_stat:
  case SYS_lstat:
  case SYS_access:
    return 0;
  case SYS_openat:
  case SYS_newfstatat:
  case SYS_statx:
  case SYS_faccessat:
  case 439: // faccessat2
    return 1;
  default:
    return -1;
  }
}

// What the program takes for the file is one that the asker writes.
void giveFile(Call& c) {
  const fl_experiments& e = FL_EXPERIMENTS;
  int at = FL_SERVER.file ? placeOfName(c.number) : -1;
  auto text = [](uint64_t place) { return reinterpret_cast<const char*>(experimentsAt + place); };
  if (at < 0 || (!isText(c.a[at], text(e.file_name)) && !isText(c.a[at], text(e.file_path)))) return;
  // Of a name in another directory than the current one the rest is known only to the kernel.
  bool isHere = at == 0 || int(c.a[0]) == AT_FDCWD || *reinterpret_cast<const char*>(c.a[at]) == '/';
  if (!isHere) return;
  c.a[at] = long(FL_SERVER.fileName);
  if (c.number == SYS_open || c.number == SYS_openat) ++FL_EXPERIMENTS.file_uses;
  // It is a link, of which the program must not know.
  if (c.number == SYS_lstat) c.number = SYS_stat;
  if (c.number == SYS_newfstatat) c.a[3] &= ~AT_SYMLINK_NOFOLLOW;
  if (c.number == SYS_statx) c.a[2] &= ~AT_SYMLINK_NOFOLLOW;
  if (c.number == SYS_open) c.a[1] &= ~O_NOFOLLOW;
  if (c.number == SYS_openat) c.a[2] &= ~O_NOFOLLOW;
}

long answer(Call& c) {
  giveFile(c);
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
  if (!isCaught(info)) endRun(FL_CUT_NONE, SIGSYS);
  if (isSignalReturn(info, context)) return;
  FL_SERVER.selector = 0;
  Call c = callOf(info, context);
  context->uc_mcontext.gregs[REG_RAX] = answer(c);
  FL_SERVER.selector = 1;
  if (FL_SERVER.isGivenUp) endRun(FL_CUT_STUCK, 0);
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
    // A file that is shared, and open for reading only, was never writable.
    if (protect(u.a, u.b, int(u.number)) == -EACCES) protect(u.a, u.b, PROT_READ);
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
  if (!handleCalls(onCall)) return false;
  FL_SERVER.selector = 0;
  FL_SERVER.brk = FL_SERVER.brkReal = FL_SERVER.heapStart = uint64_t(raw(SYS_brk, 0));
  return catchSyscalls();
}

bool catchSyscalls() { return catchCalls(&FL_SERVER.selector); }

} // namespace fl

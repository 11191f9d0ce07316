#include "experiment/cell_filter.h"

#include "experiment/cell_watch.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace faultline::experiment {
namespace {

// Not a process, but not 1 either: a program may take the latter to mean that it has been orphaned.
constexpr int kParent = 999'999;

// Signals to others, connections, messages to an address, keys; what outlives a process.
constexpr int kSeen[] = {
    SYS_kill,         SYS_rt_sigqueueinfo, SYS_connect, SYS_sendto, SYS_getppid, SYS_keyctl,
    SYS_add_key,      SYS_request_key,     SYS_shmget,  SYS_semget, SYS_msgget,  SYS_mq_open,
    SYS_memfd_create, SYS_clone,           SYS_clone3,  SYS_fork,   SYS_vfork};

// In the third word of our own kill(-1), which takes two: nobody would answer us. A program that does the
// same is not counted; it gains nothing else.
constexpr uint32_t kOwnKill = 0xfa171e11;

struct Answer {
  bool refused = false; // counted
  bool decided = false; // by us: the call does not take place
  long value = 0;       // its result
};

bool isOutside(pid_t sender, const void* address, size_t length) {
  sockaddr_storage where{};
  iovec here{&where, std::min(length, sizeof where)}, there{const_cast<void*>(address), here.iov_len};
  if (process_vm_readv(sender, &here, 1, &there, 1, 0) < ssize_t(sizeof(sa_family_t))) return false;
  if (where.ss_family == AF_INET) {
    auto& inet = reinterpret_cast<sockaddr_in&>(where);
    return (ntohl(inet.sin_addr.s_addr) >> 24) != 127 && inet.sin_addr.s_addr != 0;
  }
  if (where.ss_family == AF_INET6) {
    auto& inet = reinterpret_cast<sockaddr_in6&>(where);
    return !IN6_IS_ADDR_LOOPBACK(&inet.sin6_addr) && !IN6_IS_ADDR_UNSPECIFIED(&inet.sin6_addr) &&
           !(IN6_IS_ADDR_V4MAPPED(&inet.sin6_addr) && inet.sin6_addr.s6_addr[12] == 127);
  }
  return false;
}

// Signal 0 asks whether there is such a process. By tgkill, which the filter does not stop.
bool exists(pid_t pid) { return syscall(SYS_tgkill, pid, pid, 0) == 0; }

// Counted again only when there may be too many.
bool tooManyProcesses(FilterSeen& seen) {
  unsigned living = useOfDescendants(false, seen.parked).processes;
  seen.tooManyProcesses |= living >= seen.processLimit;
  seen.forks = living;
  return seen.tooManyProcesses;
}

Answer decide(const seccomp_notif& asked, pid_t program, FilterSeen& seen) {
  auto word = [&](int i) { return asked.data.args[i]; };
  switch (asked.data.nr) {
  case SYS_getppid:
    // Its parent is this process, number 1.
    return pid_t(asked.pid) == program ? Answer{false, true, kParent} : Answer{};
  case SYS_kill:
  case SYS_rt_sigqueueinfo: {
    auto pid = pid_t(word(0));
    return {pid == 1 || pid == -1 || (pid > 1 && !exists(pid)), false, 0};
  }
  case SYS_connect:
    return {isOutside(pid_t(asked.pid), reinterpret_cast<const void*>(word(1)), word(2)), false, 0};
  case SYS_sendto:
    return {word(4) != 0 && isOutside(pid_t(asked.pid), reinterpret_cast<const void*>(word(4)), word(5)),
            false, 0};
  case SYS_shmget:
  case SYS_semget:
  case SYS_msgget:
  case SYS_mq_open:
    seen.sharesMemory = true;
    return {};
  case SYS_clone:
  case SYS_clone3: // maybe a thread
  case SYS_fork:
  case SYS_vfork:
    if (seen.processLimit && ++seen.forks > seen.processLimit && tooManyProcesses(seen))
      return {false, true, -EAGAIN};
    return {};
  case SYS_memfd_create:
    seen.makesMemoryFiles = true;
    return {};
  default:
    return {true, true, -EPERM}; // keys
  }
}

} // namespace

int installFilter(CellReport& report) {
  constexpr size_t kCalls = std::size(kSeen);
  sock_filter code[kCalls + 24];
  size_t at = 0;
  auto add = [&](uint16_t op, uint32_t k, uint8_t yes = 0, uint8_t no = 0) { code[at++] = {op, yes, no, k}; };
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS); // calls of 32-bit code have other numbers
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 2 * sizeof(uint64_t));
  add(BPF_JMP | BPF_JEQ | BPF_K, kOwnKill, 0, 3);
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  add(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 1);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  add(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args));
  // Threads, and our own start of the program, also by a copy of one that is parked: it is we who would have
  // to answer. (A program that starts others in this unusual way is not counted here, but by the watch.)
  add(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD | CLONE_PIDFD, 0, 1);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); // x32, with numbers of its own
  add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  for (size_t i = 0; i < kCalls; ++i)
    add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(kSeen[i]), uint8_t(kCalls - i), 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  add(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  sock_fprog program{static_cast<unsigned short>(at), code};
  long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  if (fd >= 0) return int(fd);
  report.failed = "watch system calls (seccomp with user notification)";
  report.error = errno;
  return -1;
}

void killAllOthers() { syscall(SYS_kill, -1, SIGKILL, kOwnKill); }

void answerFilter(int filter, pid_t program, FilterSeen& seen) {
  pollfd waiting{filter, POLLIN, 0};
  // Not without end: there is more to watch.
  for (int i = 0; i < 16 && poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN); ++i) {
    seccomp_notif asked{};
    if (ioctl(filter, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) break; // it was killed meanwhile
    Answer answer = decide(asked, program, seen);
    seen.refused += answer.refused;
    seccomp_notif_resp response{};
    response.id = asked.id;
    if (!answer.decided)
      response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else if (answer.value < 0)
      response.error = int(answer.value);
    else
      response.val = answer.value;
    ioctl(filter, SECCOMP_IOCTL_NOTIF_SEND, &response);
  }
}

} // namespace faultline::experiment

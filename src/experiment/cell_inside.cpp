#include "experiment/cell_inside.h"

#include "base/descriptors.h"
#include "experiment/cell_files.h"
#include "experiment/cell_filter.h"
#include "experiment/cell_parked.h"
#include "experiment/cell_watch.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace faultline::experiment {
namespace {

// Milliseconds between looks at what the run takes.
constexpr int kTickInside = 10;
constexpr int kSocket = 10, kFilter = 11; // where our own descriptors lie, out of the way

void writeSetting(const char* path, unsigned long long value) {
  char text[32];
  int length = snprintf(text, sizeof text, "%llu", value);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)!write(fd, text, size_t(length));
  close(fd);
}

void raiseLoopback() {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  ioctl(fd, SIOCSIFFLAGS, &request);
  close(fd);
}

// What root may do with files and names, which the program may count on. Nothing that would let it out: no
// mounts, no change of root, no tracing of us.
bool mayKeep(int capability) {
  for (int kept : {CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_KILL, CAP_SETGID, CAP_SETUID,
                   CAP_NET_BIND_SERVICE, CAP_SETFCAP, CAP_IPC_OWNER})
    if (capability == kept) return true;
  return false;
}

class Inside {
  using Clock = std::chrono::steady_clock;

public:
  explicit Inside(const CellShare& share)
      : plan_(*share.plan), order_(*share.order), report_(*share.report), socket_(share.socket) {}

  [[noreturn]] void serve() {
    char what;
    int given[cell::kDescriptors];
    takePlace();
    if (receive(what, given) && what == cell::kBegin) {
      report_ = {};
      bool ready = setUp();
      say(cell::kDone);
      while (ready && receive(what, given))
        if (what == cell::kRun) {
          run(given);
          say(cell::kDone);
        }
    }
    killDescendants(plan_.contained);
    _exit(0);
  }

private:
  // Nothing of our maker's but its memory: no descriptors, handlers, blocked signals.
  void takePlace() {
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (socket_ != kSocket) dup2(socket_, kSocket);
    socket_ = kSocket;
    // So that what comes later gets no number that the program's streams need.
    for (int fd = 0; fd <= cell::kSharedDescriptor; ++fd) {
      int null = open("/dev/null", O_RDWR | O_CLOEXEC);
      if (null != fd) {
        dup2(null, fd);
        close(null);
      }
    }
    close_range(cell::kSharedDescriptor + 1, kSocket - 1, 0);
    close_range(kSocket + 1, ~0u, 0);
    fcntl(kSocket, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_NAME, "faultline-cell");
  }

  bool setUp() {
    // Rather one of these than anything else of the user's, if memory runs out.
    writeSetting("/proc/self/oom_score_adj", 1000);
    if (!plan_.contained) {
      prctl(PR_SET_CHILD_SUBREAPER, 1);
      return true;
    }
    setsid(); // no terminal
    if (!files_.setUp(plan_, report_)) return false;
    raiseLoopback();
    // A port is free again at once for the next run. These are refused by older kernels: no harm done.
    writeSetting("/proc/sys/net/ipv4/tcp_max_tw_buckets", 0);
    // Where RLIMIT_NPROC does not hold (root). The first 300 numbers are used only once.
    if (plan_.processes) writeSetting("/proc/sys/kernel/pid_max", 400 + 4ull * plan_.processes);
    boundSharedMemory();
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability)
      if (!mayKeep(capability)) prctl(PR_CAPBSET_DROP, capability);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    filter_ = installFilter(report_);
    if (filter_ < 0) return false;
    dup2(filter_, kFilter);
    close(filter_);
    filter_ = kFilter;
    fcntl(filter_, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_DUMPABLE, 0);
    return true;
  }

  // Segments that nobody has attached are in no process's count. Refused by older kernels: no harm done.
  void boundSharedMemory() {
    if (plan_.memory) writeSetting("/proc/sys/kernel/shmall", plan_.memory / 4096);
  }

  bool receive(char& what, int (&given)[cell::kDescriptors]) {
    bool came = false;
    if (receiveDescriptors(socket_, {&what, 1}, given, came) <= 0) return false;
    return came || what != cell::kRun;
  }

  void say(char what) {
    while (write(socket_, &what, 1) < 0 && errno == EINTR) {
    }
  }

  void run(const int (&given)[cell::kDescriptors]) {
    report_ = {};
    seen_ = {.processLimit = order_.processes};
    pid_t pid = -1;
    if (!plan_.contained || files_.prepare(order_, report_)) {
      if (repeatsRun()) {
        if (order_.onlyInputDiffers && parked_.mayGoOn()) goOn(given);
        pid = copyParked(given);
      }
      if (pid < 0) pid = start(given);
    }
    for (int fd : given) close(fd);
    if (pid > 0) {
      const auto begin = Clock::now();
      watch(pid);
      took_ = Clock::now() - begin;
      close(pidFd_);
    }
    if (!parked_.isThere())
      killDescendants(plan_.contained);
    else if (!killAllBut(parked_.pid()))
      parked_.lost();
    if (plan_.contained && pid > 0) settle();
  }

  // Whether one that was loaded before would do. Makes it, too.
  bool repeatsRun() {
    const bool isPossible = plan_.contained && order_.repeats;
    const bool isTooLate = parked_.isLate() && !order_.onlyInputDiffers;
    if (!isPossible)
      parked_.end();
    else if (isTooLate || parkedIn_ != files_.builds())
      parked_.endInVain();
    if (!isPossible || !parked_.isWorthwhile()) return false;
    return parked_.isThere() || park();
  }

  bool park() {
    // "FAULTLINE_RECORD=000003" becomes "FAULTLINE_RECORD=p00003": of the same length, so that the stack lies
    // where it lies otherwise.
    constexpr char kName[] = "FAULTLINE_RECORD=";
    char** variable = order_.env;
    while (*variable && strncmp(*variable, kName, sizeof kName - 1) != 0) ++variable;
    int ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (!*variable || null < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
      close(null);
      return false;
    }
    char& first = (*variable)[sizeof kName - 1];
    const char before = first;
    first = FL_PARKED_MARK;
    // Not in the run's directory: a layer that it holds on to is not gone when it is made anew.
    const char* directory = std::exchange(order_.cwd, "/");
    pid_t pid = start({null, null, null, ends[1]});
    order_.cwd = directory;
    first = before;
    close(null);
    close(ends[1]);
    parkedIn_ = files_.builds();
    if (pid > 0 && parked_.begin(pid, pidFd_, ends[0], filter_, seen_)) return true;
    if (pid <= 0) close(ends[0]);
    report_ = {}; // an ordinary start says it
    return false;
  }

  // For as long as it may take in view of the run before, and of what the run that waits for it has left.
  void goOn(const int (&given)[cell::kDescriptors]) {
    constexpr double kLeast = 0.2, kMost = 1, kShare = 0.125;
    double seconds = std::min(kLeast + 2 * took_.count(), kMost);
    if (order_.seconds > 0) seconds = std::min(seconds, kShare * order_.seconds);
    parked_.goOn(order_.cwd, given[cell::kSharedDescriptor], filter_, int(seconds * 1000));
  }

  pid_t copyParked(const int (&given)[cell::kDescriptors]) {
    pid_t pid = parked_.isThere() ? parked_.copy(order_.cwd, given) : -1;
    if (pid > 0) pidFd_ = int(syscall(SYS_pidfd_open, pid, 0));
    seen_.parked = parked_.pid();
    report_.isCopy = pid > 0;
    report_.isLateCopy = pid > 0 && parked_.isLate();
    return pid;
  }

  pid_t start(const int (&given)[cell::kDescriptors]) {
    given_ = given;
    alignas(16) static char stack[64 << 10];
    pidFd_ = -1;
    // Shares our memory until it is another program, so that however large we are, nothing is copied.
    pid_t pid = clone(&becomeProgram, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
                      this, &pidFd_);
    if (pid < 0) {
      failed("start a process");
    } else if (report_.failed) {
      close(pidFd_);
      return -1;
    }
    return pid;
  }

  static int becomeProgram(void* inside) {
    static_cast<Inside*>(inside)->become();
    _exit(127);
  }

  void become() {
    if (plan_.contained && chroot(CellFiles::kRoot) != 0) return failed("enter the scratch layer");
    if (chdir(order_.cwd) != 0) return failed("change to", order_.cwd);
    for (int i = 0; i < cell::kDescriptors; ++i)
      if (dup2(given_[i], i) < 0) return failed("set up the program's streams");
    setpgid(0, 0); // what it sends to its group does not reach us
    setLimits();
    int now = personality(0xffffffff);
    if (now != -1) personality(unsigned(now) | ADDR_NO_RANDOMIZE);
    execve(order_.executable, order_.argv, order_.env);
    failed("run", order_.executable);
  }

  void failed(const char* what, const char* about = nullptr) {
    report_.error = errno;
    report_.about = about;
    report_.failed = what;
  }

  static void limit(int resource, rlim_t most) {
    rlimit limit;
    if (getrlimit(__rlimit_resource_t(resource), &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max = std::min(limit.rlim_max, most);
    setrlimit(__rlimit_resource_t(resource), &limit);
  }

  void setLimits() {
    limit(RLIMIT_CORE, 0);
    if (order_.fileSize) limit(RLIMIT_FSIZE, order_.fileSize);
    // The watch ends the run at the limit; this holds until it looks. Uncontained, all that the user runs
    // counts, so that it cannot be used.
    if (order_.processes && plan_.contained) limit(RLIMIT_NPROC, 4ul * order_.processes + 64);
    // As the recorder does it (recording/child.cpp): the layout depends on it.
    constexpr rlim_t kLeast = rlim_t(64) << 20, kMost = rlim_t(1) << 30;
    rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0) return;
    stack.rlim_cur = std::min(std::clamp(stack.rlim_cur, kLeast, kMost), stack.rlim_max);
    setrlimit(RLIMIT_STACK, &stack);
  }

  // Until the program has ended or must end.
  void watch(pid_t pid) {
    pollfd fds[] = {{pidFd_, POLLIN, 0}, {socket_, POLLIN, 0}, {filter_, POLLIN, 0}};
    auto next = Clock::now() + std::chrono::milliseconds(kTickInside);
    for (;;) {
      int ready = poll(fds, 3, kTickInside);
      if (ready < 0 && errno != EINTR) break;
      if (fds[2].revents & POLLIN) answerFilter(filter_, pid, seen_);
      if (seen_.tooManyProcesses) {
        report_.cut = Ending::Containment;
        break;
      }
      if (fds[0].revents) break;
      if (fds[1].revents) break; // told to stop, or left alone
      // A program that is looked at all the time never leaves us idle.
      const bool isTime = ready == 0 || Clock::now() >= next;
      if (isTime && isTooMuch()) break;
      if (isTime) next = Clock::now() + std::chrono::milliseconds(kTickInside);
    }
    if (waitpid(pid, &report_.waitStatus, WNOHANG) == pid) return;
    syscall(SYS_pidfd_send_signal, pidFd_, SIGKILL, nullptr, 0); // kill would wait for our own answer
    while (waitpid(pid, &report_.waitStatus, 0) < 0 && errno == EINTR) {
    }
  }

  bool isTooMuch() {
    CellUse use = useOfDescendants(seen_.makesMemoryFiles, parked_.pid());
    if (order_.memory && use.memory > order_.memory)
      report_.cut = Ending::Memory;
    else if (order_.processes && use.processes > order_.processes)
      report_.cut = Ending::Containment;
    return report_.cut != Ending::None;
  }

  // What the run has met that it would not meet outside, and what it leaves behind.
  void settle() {
    report_.blocked += seen_.refused;
    if (seen_.sharesMemory && unshare(CLONE_NEWIPC) == 0) boundSharedMemory();
    bool fileTooLarge = WIFSIGNALED(report_.waitStatus) && WTERMSIG(report_.waitStatus) == SIGXFSZ;
    if (!fileTooLarge && !files_.isFull() && report_.cut != Ending::Containment) return;
    ++report_.blocked;
    if (report_.cut == Ending::None) report_.cut = Ending::Containment;
  }

  CellPlan& plan_;
  CellOrder& order_;
  CellReport& report_;
  int socket_, filter_ = -1, pidFd_ = -1;
  const int* given_ = nullptr;
  CellFiles files_;
  FilterSeen seen_;
  CellParked parked_;
  unsigned parkedIn_ = 0; // files_.builds()
  std::chrono::duration<double> took_{};
};

} // namespace

int runInside(void* share) { Inside(*static_cast<CellShare*>(share)).serve(); }

} // namespace faultline::experiment

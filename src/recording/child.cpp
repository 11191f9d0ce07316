#include "recording/child.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace faultline::recording {
namespace {

// What the child says before it becomes the program.
struct Report {
  int error = 0; // errno
  char step = 0; // 'd' chdir, 's' streams, 'x' exec, 'r' randomised (no error)
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const auto& string : strings) list.push_back(const_cast<char*>(string.c_str()));
  list.push_back(nullptr);
  return list;
}

// After fork, in a process that may have had threads: system calls only.
class Becoming {
public:
  Becoming(const ChildRequest& request, int report)
      : request_(request), argv_(pointers(request.argv)), env_(pointers(request.env)), report_(report) {}

  [[noreturn]] void run() {
    if (!request_.cwd.empty() && chdir(request_.cwd.c_str()) != 0) stop('d');
    for (int i = 0; i < 3; ++i)
      if (request_.streams[i] >= 0 && dup2(request_.streams[i], i) < 0) stop('s');
    fcntl(request_.sharedFd, F_SETFD, 0);
    for (int fd : request_.kept)
      if (fd >= 0) fcntl(fd, F_SETFD, 0);
    widenStack();
    // Without a recorder nobody would empty its log: it would wait for ever. (If we are gone already, so is
    // whoever would read our report.)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int now = personality(0xffffffff);
    if (now == -1 || personality(unsigned(now) | ADDR_NO_RANDOMIZE) == -1) say({0, 'r'});
    execve(request_.executable.c_str(), argv_.data(), env_.data());
    stop('x');
  }

private:
  // A function of the variant may take more of the machine's stack than the program's own did. No limit at
  // all would change the layout of the address space.
  void widenStack() {
    constexpr rlim_t kLeast = rlim_t(64) << 20, kMost = rlim_t(1) << 30;
    rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0) return;
    limit.rlim_cur = std::min(std::clamp(limit.rlim_cur, kLeast, kMost), limit.rlim_max);
    setrlimit(RLIMIT_STACK, &limit);
  }

  void say(Report report) {
    while (write(report_, &report, sizeof report) < 0 && errno == EINTR) {
    }
  }
  [[noreturn]] void stop(char step) {
    say({errno, step});
    _exit(127);
  }

  const ChildRequest& request_;
  std::vector<char*> argv_, env_;
  int report_;
};

Error explain(const ChildRequest& request, const Report& report) {
  const char* why = std::strerror(report.error);
  if (report.step == 'd') return errorf("cannot change to {}: {}", request.cwd, why);
  if (report.step == 's') return errorf("cannot set up the program's streams: {}", why);
  return errorf("cannot run {}: {}", request.executable, why);
}

} // namespace

Result<Child> startChild(const ChildRequest& request) {
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return errorf("cannot make a pipe: {}", std::strerror(errno));
  FileDescriptor reading(pipes[0]), writing(pipes[1]);
  Becoming becoming(request, writing.get());
  pid_t pid = fork();
  if (pid < 0) return errorf("cannot start a process: {}", std::strerror(errno));
  if (pid == 0) becoming.run();
  Child child;
  child.pid = pid;
  child.pidFd = FileDescriptor(int(syscall(SYS_pidfd_open, pid, 0)));
  writing.reset();
  Report report;
  for (;;) {
    ssize_t got = read(reading.get(), &report, sizeof report);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof report) break;
    if (report.step == 'r') {
      child.randomised = true;
      continue;
    }
    waitpid(pid, nullptr, 0);
    return explain(request, report);
  }
  if (child.pidFd.get() < 0) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return errorf("this kernel has no pidfd_open; Linux 5.3 or later is needed");
  }
  return child;
}

} // namespace faultline::recording

#include "recording/child.h"

#include "base/descriptors.h"
#include "recording/change_filter.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace faultline::recording {
namespace {

// What the child says before it becomes the program.
struct Report {
  int error = 0; // errno
  // 'd' chdir, 's' streams, 'x' exec, 'n' name spaces, 'l' files; no errors: 'r' randomised, 'o' out of our
  // name spaces, 'f' the descriptor that comes with it
  char step = 0;
  const char* what = nullptr; // text of ours, at the same address in both
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
      : request_(request), argv_(pointers(request.argv)), env_(pointers(request.env)), report_(report) {
    if (request.watchesFiles) filter_.emplace();
  }

  [[noreturn]] void run() {
    if (request_.surroundings) moveOut(*request_.surroundings);
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
    if (filter_)
      if (int fd = filter_->install(); fd >= 0) say({0, 'f'}, fd);
    execve(request_.executable.c_str(), argv_.data(), env_.data());
    stop('x');
  }

private:
  void moveOut(const Surroundings& surroundings) {
    char goOn;
    if (!surroundings.leave()) stop('n');
    say({0, 'o'});
    if (read(report_, &goOn, 1) != 1) stop('n');
    if (const char* failed = surroundings.settleIn()) stop('l', failed);
  }

  // A function of the variant may take more of the machine's stack than the program's own did. No limit at
  // all would change the layout of the address space.
  void widenStack() {
    constexpr rlim_t kLeast = rlim_t(64) << 20, kMost = rlim_t(1) << 30;
    rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0) return;
    limit.rlim_cur = std::min(std::clamp(limit.rlim_cur, kLeast, kMost), limit.rlim_max);
    setrlimit(RLIMIT_STACK, &limit);
  }

  void say(Report report, int descriptor = -1) {
    const iovec part{&report, sizeof report};
    sendDescriptors(report_, {&part, 1}, std::span<const int>(&descriptor, descriptor >= 0 ? 1 : 0));
  }
  [[noreturn]] void stop(char step, const char* what = nullptr) {
    say({errno, step, what});
    _exit(127);
  }

  const ChildRequest& request_;
  std::vector<char*> argv_, env_;
  int report_;
  std::optional<ChangeFilter> filter_;
};

// False: there is no more.
bool receive(int socket, Report& report, FileDescriptor& descriptor) {
  int fd;
  bool came = false;
  if (receiveDescriptors(socket, {&report, sizeof report}, {&fd, 1}, came) != sizeof report) return false;
  if (came) descriptor = FileDescriptor(fd);
  return true;
}

Error explain(const ChildRequest& request, const Report& report) {
  const char* why = std::strerror(report.error);
  if (report.step == 'd') return errorf("cannot change to {}: {}", request.cwd, why);
  if (report.step == 's') return errorf("cannot set up the program's streams: {}", why);
  if (report.step == 'n') return errorf("the run cannot be repeated apart from your files: {}", why);
  if (report.step == 'l')
    return errorf("the run cannot be repeated apart from your files: cannot {}: {}", report.what, why);
  return errorf("cannot run {}: {}", request.executable, why);
}

} // namespace

Result<Child> startChild(const ChildRequest& request) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return errorf("cannot make a socket: {}", std::strerror(errno));
  FileDescriptor reading(ends[0]), writing(ends[1]);
  Becoming becoming(request, writing.get());
  pid_t pid = fork();
  if (pid < 0) return errorf("cannot start a process: {}", std::strerror(errno));
  if (pid == 0) becoming.run();
  Child child;
  child.pid = pid;
  child.pidFd = FileDescriptor(int(syscall(SYS_pidfd_open, pid, 0)));
  writing.reset();
  Report report;
  while (receive(reading.get(), report, child.fileCalls)) {
    if (report.step == 'r') child.randomised = true;
    if (report.step == 'o' && request.surroundings->letIn(pid))
      (void)!write(reading.get(), "", 1);
    else if (report.step == 'o')
      shutdown(reading.get(), SHUT_WR);
    if (report.step == 'r' || report.step == 'o' || report.step == 'f') continue;
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

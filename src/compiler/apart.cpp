#include "compiler/apart.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::compiler {

namespace {

// What comes through the pipe: progress, and at last how it went, with the error's text behind.
struct Message {
  enum Kind : uint64_t { Progress, Done, Failed } kind;
  uint64_t done, total; // Failed: total is the length of the text
};

// Pieces of up to PIPE_BUF bytes arrive whole, whichever thread sends them.
void send(int fd, const void* bytes, size_t size) {
  for (auto* at = static_cast<const char*>(bytes); size > 0;) {
    ssize_t written = write(fd, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    at += written;
    size -= size_t(written);
  }
}

[[noreturn]] void workInChild(int out, const std::function<Result<void>(const ReportProgress&)>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0); // Ctrl-C is for the parent to answer
  auto done = work([&](size_t k, size_t total) {
    Message message{Message::Progress, k, total};
    send(out, &message, sizeof message);
  });
  std::string text = done ? "" : done.error().message;
  Message message{done ? Message::Done : Message::Failed, 0, text.size()};
  send(out, &message, sizeof message);
  send(out, text.data(), text.size());
  _exit(0);
}

// False: there is no more.
bool receive(int fd, void* to, size_t size) {
  for (auto* at = static_cast<char*>(to); size > 0;) {
    ssize_t got = read(fd, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= size_t(got);
  }
  return true;
}

Result<void> listen(int in, const std::function<bool()>& stop, const ReportProgress& progress) {
  constexpr int kTick = 50; // milliseconds
  for (;;) {
    if (stop()) return errorf("stopped");
    pollfd one{in, POLLIN, 0};
    if (poll(&one, 1, kTick) <= 0) continue;
    Message message;
    if (!receive(in, &message, sizeof message)) return errorf("the process that builds was lost");
    if (message.kind == Message::Done) return {};
    if (message.kind == Message::Failed) {
      std::string text(std::min<size_t>(message.total, 1 << 20), 0);
      receive(in, text.data(), text.size());
      return Error{text};
    }
    if (progress) progress(message.done, message.total);
  }
}

} // namespace

Result<void> runApart(const std::function<Result<void>(const ReportProgress&)>& work,
                      const std::function<bool()>& stop, const ReportProgress& progress) {
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return work(progress);
  pid_t child = fork();
  if (child == 0) {
    close(pipes[0]);
    workInChild(pipes[1], work);
  }
  close(pipes[1]);
  if (child < 0) {
    close(pipes[0]);
    return work(progress);
  }
  setpgid(child, child); // here too: whoever comes first
  auto done = listen(pipes[0], stop, progress);
  close(pipes[0]);
  if (!done) kill(-child, SIGKILL);
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return done;
}

} // namespace faultline::compiler

#include "base/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline {
namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read, write;
};

Result<Pipe> makePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errorf("cannot make a pipe: {}", strerror(errno));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// An anonymous file instead of a pipe: a command that never reads its input cannot block us or raise SIGPIPE.
Result<Descriptor> inputFile(const std::optional<std::string>& text) {
  if (!text) {
    Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (null.get() < 0) return errorf("cannot open /dev/null: {}", strerror(errno));
    return null;
  }
  Descriptor file(memfd_create("stdin", MFD_CLOEXEC));
  if (file.get() < 0) return errorf("cannot hold the command's input: {}", strerror(errno));
  for (size_t done = 0; done < text->size();) {
    ssize_t n = write(file.get(), text->data() + done, text->size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errorf("cannot hold the command's input: {}", strerror(errno));
    done += static_cast<size_t>(n);
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

bool sets(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
}

std::vector<std::string> mergedEnvironment(const Command& command) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry; ++entry) {
    bool replaced = false;
    for (const auto& [name, value] : command.environment) replaced |= sets(*entry, name);
    if (!replaced) merged.emplace_back(*entry);
  }
  for (const auto& [name, value] : command.environment) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

Result<pid_t> spawn(const Command& command, int in, int out, int err) {
  SpawnSettings settings;
  posix_spawn_file_actions_adddup2(&settings.actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&settings.actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&settings.actions, err, STDERR_FILENO);
  if (!command.directory.empty())
    posix_spawn_file_actions_addchdir_np(&settings.actions, command.directory.c_str());
  // Only a command with a time limit gets a group of its own (to be killed as a whole); any other stays in
  // ours, so that Ctrl-C reaches it.
  if (command.timeout) posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP);

  std::vector<std::string> words = command.argv, environment = mergedEnvironment(command);
  pid_t pid = 0;
  int code = posix_spawnp(&pid, words[0].c_str(), &settings.actions, &settings.attributes,
                          pointers(words).data(), pointers(environment).data());
  if (code != 0) return errorf("cannot run {}: {}", command.argv[0], strerror(code));
  return pid;
}

int millisecondsLeft(const std::optional<Clock::time_point>& deadline) {
  if (!deadline) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return left > 0 ? static_cast<int>(std::min<long long>(left, 1 << 30)) : 0;
}

// Appends what is there; false at the end of the stream.
bool drain(int fd, std::string& text) {
  std::array<char, 65536> buffer;
  ssize_t n = read(fd, buffer.data(), buffer.size());
  if (n > 0) text.append(buffer.data(), static_cast<size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

// Reads both streams to their ends; false if the deadline came first.
bool collect(int out, int err, const std::optional<Clock::time_point>& deadline, Outcome& outcome) {
  std::array<pollfd, 2> streams{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  std::array<std::string*, 2> texts{&outcome.out, &outcome.err};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    int ready = poll(streams.data(), streams.size(), millisecondsLeft(deadline));
    if (ready == 0) return false;
    if (ready < 0) continue; // interrupted
    for (size_t i = 0; i < streams.size(); ++i)
      if (streams[i].fd >= 0 && streams[i].revents && !drain(streams[i].fd, *texts[i])) streams[i].fd = -1;
  }
  return true;
}

// Waits for the process; false if it still ran at the deadline (it may have closed its output early).
bool awaitExit(pid_t pid, const std::optional<Clock::time_point>& deadline, int& status) {
  while (true) {
    pid_t ended = waitpid(pid, &status, deadline ? WNOHANG : 0);
    if (ended == pid) return true;
    if (ended < 0 && errno != EINTR) return true;
    if (deadline && Clock::now() >= *deadline) return false;
    if (deadline && ended == 0) poll(nullptr, 0, 1);
  }
}

} // namespace

Result<Outcome> runCommand(const Command& command) {
  if (command.argv.empty()) return errorf("no command to run");
  FL_TRY(in, inputFile(command.input));
  FL_TRY(out, makePipe());
  FL_TRY(err, makePipe());
  FL_TRY(pid, spawn(command, in.get(), out.write.get(), err.write.get()));
  out.write.close();
  err.write.close();

  std::optional<Clock::time_point> deadline;
  if (command.timeout) deadline = Clock::now() + *command.timeout;
  Outcome outcome;
  int status = 0;
  if (!collect(out.read.get(), err.read.get(), deadline, outcome) || !awaitExit(pid, deadline, status)) {
    outcome.timedOut = true;
    kill(-pid, SIGKILL);
    awaitExit(pid, std::nullopt, status);
  }
  if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
  else
    outcome.status = WEXITSTATUS(status);
  return outcome;
}

} // namespace faultline

#include "compiler/job_runner.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::compiler {

namespace {

std::vector<char*> cStrings(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environmentWith(const Job& job) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    std::string_view variable(*entry);
    bool replaced = false;
    for (auto& [name, value] : job.environment)
      replaced |= variable.starts_with(name) && variable.substr(name.size()).starts_with('=');
    if (!replaced) all.emplace_back(variable);
  }
  for (auto& [name, value] : job.environment) all.push_back(name + "=" + value);
  return all;
}

// posix_spawn's own structures, released at the end of the scope.
struct SpawnSetup {
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};

  SpawnSetup(const Job& job, const sigset_t& mask) {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &mask);
    constexpr int append = O_WRONLY | O_CREAT | O_APPEND;
    if (!job.input.empty()) posix_spawn_file_actions_addopen(&files, 0, job.input.c_str(), O_RDONLY, 0);
    if (!job.output.empty()) posix_spawn_file_actions_addopen(&files, 1, job.output.c_str(), append, 0600);
    if (!job.errors.empty()) posix_spawn_file_actions_addopen(&files, 2, job.errors.c_str(), append, 0600);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
};

} // namespace

JobRunner::JobRunner() {
  sigemptyset(&held_);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    // A signal that our caller told us to ignore (nohup) stays ignored.
    struct sigaction now{};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&held_, signal);
  }
  // With SIGCHLD ignored there would be no exit status to wait for.
  std::signal(SIGCHLD, SIG_DFL);
  sigaddset(&held_, SIGCHLD);
  sigprocmask(SIG_BLOCK, &held_, &before_);
}

JobRunner::~JobRunner() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

Result<bool> JobRunner::run(const Job& job) {
  if (stopSignal_) return false;
  std::vector<std::string> environment = environmentWith(job);
  SpawnSetup setup(job, before_);
  pid_t child = 0;
  int failure = posix_spawnp(&child, job.argv[0].c_str(), &setup.files, &setup.attributes,
                             cStrings(job.argv).data(), cStrings(environment).data());
  if (failure) return errorf("cannot run {}: {}", job.argv[0], std::strerror(failure));
  int status = waitFor(child);
  bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!good) lastStatus_ = status;
  return good && !stopSignal_;
}

int JobRunner::waitFor(pid_t child) {
  int status = 0;
  while (true) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return W_EXITCODE(1, 0);
    siginfo_t info{};
    int signal = sigwaitinfo(&held_, &info);
    if (signal <= 0 || signal == SIGCHLD) continue;
    stopSignal_ = signal;
    // The terminal sends an interrupt to the whole group; kill(1) only to us. Twice does no harm.
    kill(child, signal);
  }
}

Error replaceProcess(const std::vector<std::string>& argv) {
  execvp(argv[0].c_str(), cStrings(argv).data());
  return errorf("cannot run {}: {}; install clang-19 or set FAULTLINE_CLANG", argv[0], std::strerror(errno));
}

Result<ScratchDir> ScratchDir::create() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = std::string(base && *base ? base : "/tmp") + "/faultline-XXXXXX";
  if (!mkdtemp(pattern.data()))
    return errorf("cannot make a directory in {}: {}; set TMPDIR", base ? base : "/tmp",
                  std::strerror(errno));
  std::error_code ignored;
  // cc1 and the linker may be given it from another directory.
  return ScratchDir(std::filesystem::absolute(pattern, ignored).string());
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

} // namespace faultline::compiler

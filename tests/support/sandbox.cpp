#include "support/sandbox.h"

#include <csignal>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::test {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FAULTLINE_TEST_ASAN 1
#endif
#endif

// What the child leaves behind, whatever becomes of it.
struct Shared {
  volatile uint64_t job;
  volatile bool complained;
  char text[8000];
};

struct Mapping {
  Mapping() {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot share memory with a child");
    shared = static_cast<Shared*>(memory);
  }
  ~Mapping() { munmap(shared, sizeof(Shared)); }
  Shared* shared;
};

void complain(Shared& shared, const std::string& what) {
  strncpy(shared.text, what.c_str(), sizeof shared.text - 1);
  shared.complained = true;
}

[[noreturn]] void runChild(Shared& shared, const SandboxLimits& limits, uint64_t end,
                           const std::function<std::string(uint64_t)>& body, int errors) {
  dup2(errors, STDERR_FILENO);
#ifndef FAULTLINE_TEST_ASAN
  rlimit space{limits.memory, limits.memory};
  setrlimit(RLIMIT_AS, &space);
#endif
  rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  for (; shared.job < end && !shared.complained; shared.job = shared.job + 1) {
    alarm(limits.seconds);
    std::string what;
    try {
      what = body(shared.job);
    } catch (const std::bad_alloc&) {
      what = "asked for more memory than there is";
    } catch (const std::exception& e) {
      what = fmt::format("threw: {}", e.what());
    }
    if (what.empty()) continue;
    complain(shared, what);
    break;
  }
  _exit(0);
}

std::string deathOf(int status, FILE* errors) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  std::string text =
      WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hung: it did not end within its time"
      : WIFSIGNALED(status)
          ? fmt::format("died of signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
          : fmt::format("exited with status {}", WEXITSTATUS(status));
  char written[6000] = {};
  rewind(errors);
  size_t size = fread(written, 1, sizeof written - 1, errors);
  return size ? text + ":\n" + std::string(written, size) : text;
}

} // namespace

std::vector<SandboxFailure> runSandboxed(uint64_t jobs, const SandboxLimits& limits,
                                         const std::function<std::string(uint64_t job)>& body,
                                         uint64_t first) {
  std::vector<SandboxFailure> failures;
  Mapping mapping;
  Shared& shared = *mapping.shared;
  uint64_t end = first + jobs;
  for (uint64_t next = first; next < end && failures.size() < limits.failures;) {
    uint64_t batchEnd = std::min<uint64_t>(end, next + limits.batch);
    FILE* errors = tmpfile();
    if (!errors) throw std::runtime_error("cannot make a temporary file");
    shared.job = next;
    shared.complained = false;
    memset(shared.text, 0, sizeof shared.text);
    fflush(nullptr);
    pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot fork");
    if (child == 0) runChild(shared, limits, batchEnd, body, fileno(errors));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::string what = deathOf(status, errors);
    fclose(errors);
    if (what.empty() && shared.complained) what = shared.text;
    if (!what.empty()) failures.push_back({shared.job, what});
    next = what.empty() ? batchEnd : shared.job + 1;
  }
  return failures;
}

} // namespace faultline::test

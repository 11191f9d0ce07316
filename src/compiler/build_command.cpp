#include "compiler/build_command.h"

#include "base/file.h"
#include "compiler/job_runner.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::compiler {

namespace {

namespace fs = std::filesystem;

constexpr const char* kCNames[] = {"cc",
                                   "gcc",
                                   "clang",
                                   "c99",
                                   "c89",
                                   "clang-19",
                                   "gcc-12",
                                   "x86_64-linux-gnu-gcc",
                                   "aarch64-linux-gnu-gcc"};
constexpr const char* kCxxNames[] = {
    "c++", "g++", "clang++", "clang++-19", "g++-12", "x86_64-linux-gnu-g++", "aarch64-linux-gnu-g++"};

// Next to the running executable: in a build tree as in an installation.
Result<fs::path> wrapperPath(const char* name) {
  std::error_code failure;
  fs::path self = fs::read_symlink("/proc/self/exe", failure);
  fs::path path = self.parent_path() / name;
  if (failure || access(path.c_str(), X_OK) != 0)
    return errorf("{} is not there: install Faultline again, or build it with ./check", path.string());
  return path;
}

Result<void> link(const fs::path& target, const fs::path& name) {
  std::error_code failure;
  if (fs::read_symlink(name, failure) == target && !failure) return {};
  // Renamed into place: another build may be using the directory now.
  fs::path fresh = name.string() + "." + std::to_string(getpid());
  failure.clear();
  fs::create_symlink(target, fresh, failure);
  if (!failure) fs::rename(fresh, name, failure);
  if (failure) return errorf("cannot make {}: {}", name.string(), failure.message());
  return {};
}

// In the cache, at a place that stays: configure scripts remember the absolute path of the compiler they
// found.
Result<fs::path> makeNames(const fs::path& cc, const fs::path& cxx) {
  FL_TRY(cache, cacheDir());
  fs::path names = cache / "compilers";
  std::error_code failure;
  fs::create_directories(names, failure);
  if (failure) return errorf("cannot make {}: {}; set XDG_CACHE_HOME", names.string(), failure.message());
  for (const char* name : kCNames) FL_CHECK(link(cc, names / name));
  for (const char* name : kCxxNames) FL_CHECK(link(cxx, names / name));
  return names;
}

} // namespace

Result<int> runBuild(std::span<const std::string> command) {
  if (command.empty()) return Error{"nothing to run: faultline build -- make"};
  FL_TRY(cc, wrapperPath("faultline-cc"));
  FL_TRY(cxx, wrapperPath("faultline-c++"));
  FL_TRY(names, makeNames(cc, cxx));
  const char* path = std::getenv("PATH");
  Job job{{command.begin(), command.end()}, {}, {}, {}, {}};
  job.environment = {{"CC", cc.string()},
                     {"CXX", cxx.string()},
                     {"PATH", names.string() + ":" + (path ? path : "/usr/local/bin:/usr/bin:/bin")}};
  JobRunner runner;
  FL_TRY(good, runner.run(job));
  if (good) return 0;
  int status = runner.lastStatus();
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int runBuildCommand(std::span<const std::string> command) {
  auto status = runBuild(command);
  if (status) return *status;
  fmt::print(stderr, "faultline build: {}\n", status.error().message);
  return 1;
}

} // namespace faultline::compiler

// What a test needs to try a real command: run it without a shell, in a directory of its own, and look at
// what it left. Everything here throws std::runtime_error when the machine is at fault, which fails the test;
// a command that fails is a RunResult to assert on.
//
//   TempDir dir;
//   writeFile(dir / "a.c", "int main(void) { return 3; }");
//   EXPECT_EQ(run({"clang-19", "a.c", "-o", "a"}, {.cwd = dir.path()}).status, 0);
//   EXPECT_EQ(run({dir / "a"}).status, 3);
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::test {

struct RunResult {
  int status = 0; // exit status; meaningful when signal is 0
  int signal = 0; // the signal that ended it, or 0
  std::string out;
  std::string err;
};

struct RunOptions {
  std::string cwd = {};                                          // empty: the test's own
  std::map<std::string, std::string> env = {};                   // set on top of the test's own
  std::optional<std::string> input = {};                         // standard input; none: /dev/null
  std::chrono::milliseconds timeout = std::chrono::seconds(120); // throws when it is over
};

RunResult run(const std::vector<std::string>& argv, const RunOptions& options = {});

// An empty directory that is removed, with all in it, at the end of the scope.
class TempDir {
public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
  std::string path_;
};

// Makes the missing parent directories too.
void writeFile(const std::filesystem::path& path, std::string_view text);
std::string readFile(const std::filesystem::path& path);

} // namespace faultline::test

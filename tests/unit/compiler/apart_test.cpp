// Work in a process of its own: what it says arrives, and it ends when it is told to, with all it has
// started.
#include "compiler/apart.h"
#include "support/run.h"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace faultline::compiler {
namespace {

bool never() { return false; }

TEST(RunApart, TellsOfItsProgressAndItsEnd) {
  std::vector<std::pair<size_t, size_t>> seen;
  auto done = runApart(
      [](const ReportProgress& progress) -> Result<void> {
        for (size_t k = 1; k <= 3; ++k) progress(k, 3);
        return {};
      },
      never, [&](size_t k, size_t total) { seen.push_back({k, total}); });
  EXPECT_TRUE(bool(done));
  EXPECT_EQ(seen, (std::vector<std::pair<size_t, size_t>>{{1, 3}, {2, 3}, {3, 3}}));
}

TEST(RunApart, TellsWhatWentWrong) {
  auto done =
      runApart([](const ReportProgress&) -> Result<void> { return errorf("no {}", "luck"); }, never, {});
  ASSERT_FALSE(bool(done));
  EXPECT_EQ(done.error().message, "no luck");
  auto lost = runApart([](const ReportProgress&) -> Result<void> { _exit(7); }, never, {});
  EXPECT_FALSE(bool(lost));
}

TEST(RunApart, EndsWhenToldTo) {
  test::TempDir dir;
  std::string file = dir / "pids";
  auto begin = std::chrono::steady_clock::now();
  auto stop = [&] { return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(500); };
  auto done = runApart(
      [&](const ReportProgress&) -> Result<void> {
        pid_t inner = fork();
        if (inner != 0) test::writeFile(file, std::to_string(getpid()) + " " + std::to_string(inner));
        for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
      },
      stop, {});
  ASSERT_FALSE(bool(done));
  EXPECT_EQ(done.error().message, "stopped");
  int pids[2];
  ASSERT_EQ(sscanf(test::readFile(file).c_str(), "%d %d", &pids[0], &pids[1]), 2);
  EXPECT_NE(kill(pids[0], 0), 0); // reaped
  // The other one is init's now, and may not be reaped yet: it is dead all the same.
  for (int k = 0; k < 200 && kill(pids[1], 0) == 0; ++k) {
    std::string status = test::readFile("/proc/" + std::to_string(pids[1]) + "/stat");
    if (status.find(") Z") != std::string::npos) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_NE(kill(pids[1], 0), 0);
}

} // namespace
} // namespace faultline::compiler

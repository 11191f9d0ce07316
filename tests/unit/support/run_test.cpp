#include "support/run.h"

#include <csignal>
#include <gtest/gtest.h>
#include <stdexcept>

namespace faultline::test {
namespace {

TEST(Run, TellsStatusAndBothStreamsApart) {
  RunResult r = run({"sh", "-c", "echo one; echo two >&2; exit 3"});
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.signal, 0);
  EXPECT_EQ(r.out, "one\n");
  EXPECT_EQ(r.err, "two\n");
}

TEST(Run, NamesTheSignal) { EXPECT_EQ(run({"sh", "-c", "kill -SEGV $$"}).signal, SIGSEGV); }

TEST(Run, GivesDirectoryEnvironmentAndInput) {
  TempDir dir;
  RunResult r = run({"sh", "-c", "pwd; echo $WORD; cat"},
                    {.cwd = dir.path(), .env = {{"WORD", "a b"}}, .input = "from the test"});
  EXPECT_EQ(r.out, std::filesystem::canonical(dir.path()).string() + "\na b\nfrom the test");
}

TEST(Run, ThrowsWhenTheCommandHangsOrIsMissing) {
  EXPECT_THROW(run({"sleep", "60"}, {.timeout = std::chrono::milliseconds(50)}), std::runtime_error);
  EXPECT_THROW(run({"/no/such/command"}), std::runtime_error);
}

TEST(TempDir, IsRemovedWithAllInIt) {
  std::string path;
  {
    TempDir dir;
    path = dir.path();
    writeFile(dir / "deep/down/file", "text");
    EXPECT_EQ(readFile(dir / "deep/down/file"), "text");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

} // namespace
} // namespace faultline::test

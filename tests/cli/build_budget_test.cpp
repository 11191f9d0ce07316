// --budget and Ctrl-C end the building of a variant too: one line says so, the status is 3, and nothing half
// done is left behind.
#include "support/run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::test {
namespace {

using ::testing::HasSubstr;

const std::string kBin = FAULTLINE_BIN_DIR;

class BuildBudget : public ::testing::Test {
protected:
  // One unit, of which the variant takes some seconds.
  static void SetUpTestSuite() {
    made_ = new TempDir;
    std::string source = "int main(int argc, char** argv) {\n  int s = argc;\n";
    for (int k = 0; k < 12'000; ++k)
      source += fmt::format("  if (s % {} == {}) s += argv[0][s & 1] * {};\n", k + 3, k % 7, k + 1);
    writeFile(*made_ / "large.c", source + "  return *(volatile int*)0 + s;\n}\n");
    RunResult built = run({kBin + "/faultline-cc", "-g", "large.c", "-o", "large"}, {.cwd = made_->path()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  static void TearDownTestSuite() { delete made_; }

  RunResult ask(std::vector<std::string> words) {
    return run(words, {.cwd = dir.path(),
                       .env = {{"XDG_DATA_HOME", dir / "data"},
                               {"XDG_CACHE_HOME", dir / "cache"},
                               {"TMPDIR", dir / "tmp"},
                               {"NO_COLOR", "1"}}});
  }
  void SetUp() override { std::filesystem::create_directories(dir / "tmp"); }
  std::vector<std::string> left() {
    std::vector<std::string> names;
    for (const char* place : {"cache/faultline/variants", "cache/faultline/units", "tmp"})
      for (auto& entry : std::filesystem::directory_iterator(dir / place))
        // The names in a unit are known before it is made, and serve the next try.
        if (entry.path().extension() != ".names") names.push_back(entry.path());
    return names;
  }
  static inline TempDir* made_ = nullptr;
  TempDir dir;
};

TEST_F(BuildBudget, EndsTheBuild) {
  for (const char* command : {"critical", "slice", "origin", "minimize", "chop"}) {
    SCOPED_TRACE(command);
    RunResult answer = ask({kBin + "/faultline", command, "--budget", "0.3", "--", *made_ / "large"});
    EXPECT_EQ(answer.status, 3) << answer.out << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("took longer than 0.3 s (--budget)"));
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
    EXPECT_THAT(left(), ::testing::IsEmpty());
  }
}

TEST_F(BuildBudget, CtrlCEndsTheBuild) {
  for (std::vector<std::string> words : {std::vector<std::string>{"critical"}, {"record"}}) {
    // In the foreground: else the program is sent the signal twice, and the second one ends it at once.
    std::vector<std::string> all = {"timeout", "--foreground", "--preserve-status", "-s",
                                    "INT",     "0.5",          kBin + "/faultline"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--", *made_ / "large"});
    RunResult answer = ask(all);
    EXPECT_EQ(answer.status, 3) << answer.out << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("interrupted while the variant"));
    EXPECT_THAT(left(), ::testing::IsEmpty());
  }
}

TEST_F(BuildBudget, RunsThatAreStartedTogetherBuildOneVariant) {
  writeFile(dir / "small.c", "int main(int argc, char** argv) { return argc == 2; }\n");
  ASSERT_EQ(ask({kBin + "/faultline-cc", "-g", "small.c", "-o", "small"}).status, 0);
  std::string record = kBin + "/faultline record -q -- ./small";
  RunResult answer = ask({"/bin/sh", "-c", fmt::format("{0} & {0} & {0} & wait", record)});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  size_t variants = 0, locks = 0;
  for (auto& entry : std::filesystem::directory_iterator(dir / "cache/faultline/variants"))
    variants += std::filesystem::exists(entry.path() / "manifest.json") ? 1 : 100;
  for ([[maybe_unused]] auto& entry : std::filesystem::directory_iterator(dir / "cache/faultline/locks"))
    ++locks;
  EXPECT_EQ(variants, 1u);
  EXPECT_EQ(locks, 0u);
}

} // namespace
} // namespace faultline::test

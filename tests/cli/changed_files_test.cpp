// Runs that change their own input are repeated as they were, and the user's files are as one run leaves
// them.
#include "support/run.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBin = FAULTLINE_BIN_DIR;

// Each way leaves it nothing to fail with the next time.
class ChangedFiles : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    writeFile(dir / "count.c", R"(#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int twice(int n) {
  return n * 3;
}

static void change(const char *how) {
  FILE *f;
  if (!strcmp(how, "edit")) {
    f = fopen("count", "r+");
    fputs("0", f);
    fclose(f);
  } else if (!strcmp(how, "rename")) {
    f = fopen("count.new", "w");
    fputs("0\n", f);
    fclose(f);
    rename("count.new", "count");
  } else if (!strcmp(how, "remove")) {
    unlink("count");
  } else if (!strcmp(how, "append")) {
    f = fopen("count", "a");
    fputs("0 0\n", f);
    fclose(f);
  } else if (!strcmp(how, "child")) {
    system("echo 0 > count");
  } else if (!strcmp(how, "make")) {
    f = fopen("mark", "w");
    fclose(f);
  }
}

int main(int argc, char **argv) {
  int n = 0, more = 0;
  FILE *f = fopen("count", "r");
  if (!f || access("mark", F_OK) == 0) return 0;
  if (fscanf(f, "%d%d", &n, &more) != 1) return 0;
  fclose(f);
  change(argv[1]);
  int m = twice(n);
  assert(m == 2 * n);
  return 0;
}
)");
    ASSERT_EQ(run({kBin + "/faultline-cc", "-g", dir / "count.c", "-o", dir / "count"}).status, 0);
    layOut("plain");
    run({dir / "count", GetParam()}, {.cwd = dir / "plain"});
    layOut("work");
  }

  void layOut(const std::string& folder) {
    fs::create_directory(dir / folder);
    writeFile(dir / (folder + "/count"), "7\n");
  }
  RunResult faultline(std::vector<std::string> words, const std::string& room = "1M") {
    words.insert(words.begin(), kBin + "/faultline");
    return run(words, {.cwd = dir / "work",
                       .env = {{"XDG_CACHE_HOME", dir / "cache"},
                               {"XDG_DATA_HOME", dir / "data"},
                               {"FAULTLINE_KEEP_SIZE", room}}});
  }
  std::map<std::string, std::string> tree(const std::string& folder) {
    std::map<std::string, std::string> out;
    for (const fs::directory_entry& entry : fs::directory_iterator(dir / folder))
      out[entry.path().filename()] = readFile(entry.path());
    return out;
  }

  TempDir dir;
};

TEST_P(ChangedFiles, DoNotKeepExperimentsFromFindingTheFault) {
  auto explained = faultline({"explain", "--json", "-q", "--budget", "10", "--", dir / "count", GetParam()});
  ASSERT_EQ(explained.status, 0) << explained.err;
  EXPECT_EQ(json::parse(explained.out)["suspects"][0]["place"]["line"], 8) << explained.out.substr(0, 2000);
  EXPECT_EQ(tree("work"), tree("plain"));
}

TEST_P(ChangedFiles, AreNotChangedAgainByQuestions) {
  const std::string recording = dir / "run.flr";
  faultline({"record", "-q", "-o", recording, "--", dir / "count", GetParam()});
  EXPECT_EQ(tree("work"), tree("plain"));
  for (const char* question : {"critical", "changes"}) {
    auto answer = faultline({question, recording});
    EXPECT_THAT(answer.out, HasSubstr("count.c:")) << answer.err;
    EXPECT_THAT(answer.out, HasSubstr("passes")) << answer.err;
    EXPECT_THAT(answer.out, Not(HasSubstr("the failure is not stable")));
  }
  EXPECT_EQ(tree("work"), tree("plain"));
}

INSTANTIATE_TEST_SUITE_P(Ways, ChangedFiles,
                         testing::Values("edit", "rename", "remove", "append", "child", "make"));

// What is made smaller is the file as it was, which is not there any more.
TEST(ChangedInput, IsMadeSmaller) {
  TempDir dir;
  writeFile(dir / "wipe.c", R"(#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(int argc, char **argv) {
  char text[100] = "";
  FILE *f = fopen(argv[1], "r");
  if (!f) return 0;
  fread(text, 1, 99, f);
  fclose(f);
  remove(argv[1]);
  if (strchr(text, '(') && !strchr(text, ')')) abort();
  return 0;
}
)");
  RunOptions world{.cwd = dir.path(),
                   .env = {{"XDG_CACHE_HOME", dir / "cache"}, {"XDG_DATA_HOME", dir / "data"}}};
  ASSERT_EQ(run({kBin + "/faultline-cc", "-g", "wipe.c", "-o", "wipe"}, world).status, 0);
  writeFile(dir / "input", "a * (b + c");
  auto made = run({kBin + "/faultline", "minimize", "--", "./wipe", "input"}, world);
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(readFile(dir / "input.min"), "(") << made.out;
  EXPECT_FALSE(fs::exists(dir / "input"));
}

class LargeFiles : public ChangedFiles {};

TEST_P(LargeFiles, AreSaidNotToBeKept) {
  auto answer =
      faultline({"explain", "--budget", "5", "--color", "never", "--", dir / "count", GetParam()}, "1");
  EXPECT_THAT(answer.out + answer.err, HasSubstr("not kept"));
  EXPECT_EQ(tree("work"), tree("plain"));
}

INSTANTIATE_TEST_SUITE_P(Ways, LargeFiles, testing::Values("edit"));

} // namespace
} // namespace faultline::test

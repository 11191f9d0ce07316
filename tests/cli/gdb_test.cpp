// --format gdb: the script stops the ordinary program at the executions that the explanation is about.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>

namespace faultline::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kBin = FAULTLINE_BIN_DIR;

// The fifth number is read wrongly: a value of one round among many.
constexpr const char* kSum = R"(#include <stdio.h>
#include <stdlib.h>
static int price(int kind, int count) {
  int each = kind * 10;
  if (count >= 5)
    each = each - 1;
  return each * count;
}
int main(void) {
  int count, kind = 0, total = 0;
  while (scanf("%d", &count) == 1) {
    kind++;
    int cost = price(kind, count);
    total += cost;
  }
  printf("%d\n", total);
  return 0;
}
)";

class Gdb : public ::testing::Test {
protected:
  test::TempDir dir_;
  test::RunOptions options_{.cwd = dir_.path(),
                            .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"XDG_DATA_HOME", dir_ / "data"}}};

  void build(const std::string& source) {
    test::writeFile(dir_ / "my program.c", source);
    test::RunResult built =
        test::run({kBin + "/faultline-cc", "-g", "-O0", "my program.c", "-o", "program"}, options_);
    ASSERT_EQ(built.status, 0) << built.err;
  }
  std::string script(std::vector<std::string> words) {
    words.insert(words.begin(), {kBin + "/faultline", "explain", "-q", "--format", "gdb", "-o", "why.gdb"});
    test::RunResult got = test::run(words, options_);
    EXPECT_EQ(got.status, 0) << got.err;
    return test::readFile(dir_ / "why.gdb");
  }
  std::string gdb(const std::string& text, std::vector<std::string> commands) {
    test::writeFile(dir_ / "try.gdb", text);
    std::vector<std::string> words = {"/usr/bin/gdb", "-nx", "-batch", "-x", "try.gdb"};
    for (const std::string& c : commands) words.insert(words.end(), {"-ex", c});
    return test::run(words, options_).out;
  }
};

// Each step on its own: stop, do the line, look at the variable.
TEST_F(Gdb, EachStepStopsWhereTheVariableGetsTheValueThatWasSeen) {
  if (!std::filesystem::exists("/usr/bin/gdb")) GTEST_SKIP() << "no gdb here: the script was not tried";
  build(kSum);
  test::writeFile(dir_ / "in", "1 2 3 5 1 2\n");
  test::writeFile(dir_ / "right", "510\n");
  std::string text = script({"--expect", "right", "--stdin", "in", "--", "./program"});
  size_t first = text.find("\n# Step 1 of");
  ASSERT_NE(first, std::string::npos) << text;
  std::string head = text.substr(0, first);
  std::regex value("with this line done: ([a-z]+) = (-?[0-9]+)");
  size_t tried = 0;
  for (size_t at = first; at != std::string::npos;) {
    size_t next = text.find("\n# Step ", at + 1);
    std::string step = text.substr(at, next == std::string::npos ? text.rfind("\nrun\n") - at : next - at);
    at = next;
    std::smatch match;
    if (step.find("Not exact") != std::string::npos || !std::regex_search(step, match, value)) continue;
    std::string got = gdb(head + step + "\nrun\n", {"next", "print " + match[1].str()});
    EXPECT_THAT(got, HasSubstr("$1 = " + match[2].str() + "\n")) << step << got;
    ++tried;
  }
  EXPECT_GE(tried, 2u) << text;
}

TEST_F(Gdb, TheWholeScriptGoesFromStepToStep) {
  if (!std::filesystem::exists("/usr/bin/gdb")) GTEST_SKIP() << "no gdb here: the script was not tried";
  build(kSum);
  test::writeFile(dir_ / "in", "1 2 3 5 1 2\n");
  test::writeFile(dir_ / "right", "510\n");
  std::string text = script({"--expect", "right", "--stdin", "in", "--", "./program"});
  std::smatch match;
  ASSERT_TRUE(std::regex_search(text, match, std::regex("# Step 1 of ([0-9]+)"))) << text;
  size_t steps = std::stoul(match[1]);
  std::string got = gdb(text, std::vector<std::string>(steps - 1, "continue"));
  for (size_t k = 1; k <= steps; ++k)
    EXPECT_THAT(got, HasSubstr("step " + std::to_string(k) + " of " + std::to_string(steps))) << text;
}

TEST_F(Gdb, InputThatWasNotAFileIsWrittenBesideTheScript) {
  build(kSum);
  test::writeFile(dir_ / "right", "510\n");
  options_.input = "1 2 3 5 1 2\n";
  std::string text = script({"--expect", "right", "--", "./program"});
  EXPECT_THAT(text, HasSubstr("why.gdb.stdin"));
  EXPECT_EQ(test::readFile(dir_ / "why.gdb.stdin"), "1 2 3 5 1 2\n");
}

TEST_F(Gdb, ARunThatPassedHasAScriptThatSaysSo) {
  build("int main(void) { return 0; }\n");
  test::RunResult got =
      test::run({kBin + "/faultline", "explain", "-q", "--format", "gdb", "--", "./program"}, options_);
  EXPECT_EQ(got.status, 2);
  EXPECT_THAT(got.out, HasSubstr("# The run did not fail"));
}

} // namespace
} // namespace faultline::cli

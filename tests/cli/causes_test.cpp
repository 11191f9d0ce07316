// faultline causes, on programs whose faults are known: what stands in the tree, and on which level.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::cli {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const std::string kBin = FAULTLINE_BIN_DIR;

class Causes : public ::testing::Test {
protected:
  test::TempDir dir_;
  test::RunOptions options_{.cwd = dir_.path(),
                            .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"XDG_DATA_HOME", dir_ / "data"}}};

  void build(const std::string& source, const std::string& file = "program.c") {
    test::writeFile(dir_ / file, source);
    bool isCpp = file.ends_with(".cpp");
    auto built = test::run({kBin + (isCpp ? "/faultline-c++" : "/faultline-cc"), "-g", file, "-o", "program"},
                           options_);
    ASSERT_EQ(built.status, 0) << built.err;
  }
  // By logic alone.
  json ask(std::vector<std::string> words) {
    words.insert(words.begin(), "--no-experiments");
    return askAll(words);
  }
  json askAll(std::vector<std::string> words) {
    words.insert(words.begin(), {kBin + "/faultline", "causes", "--json"});
    test::RunResult got = test::run(words, options_);
    EXPECT_EQ(got.status, 0) << got.err;
    return got.status == 0 ? json::parse(got.out) : json::object();
  }
};

std::vector<int> linesOf(const json& node) {
  std::vector<int> lines;
  for (const json& s : node["statements"]) lines.push_back(s["line"]);
  return lines;
}

// Lines of the conditions on a level, with their kinds.
std::vector<std::pair<int, std::string>> level(const json& tree, int number) {
  std::vector<std::pair<int, std::string>> found;
  for (const json& n : tree["nodes"])
    if (n["level"] == number) found.emplace_back(n["condition"]["place"]["line"], n["kind"]);
  return found;
}

const json* nodeAt(const json& tree, int line) {
  for (const json& n : tree["nodes"])
    if (n["condition"]["place"]["line"] == line) return &n;
  return nullptr;
}

const char* const kBranches = R"(#include <assert.h>
int main(void) {
  int a = 2, c = 1, d = 0;
  int b = 1;
  if (a > 0) {
    if (b < 0)
      if (c != 2)
        c = 2;
    d = c + 3;
  }
  assert(d == 5);
  return 0;
}
)";

TEST_F(Causes, DirectAndIndirectConditionsStandBelowTheFailure) {
  build(kBranches);
  json tree = ask({"--", "./program"});
  ASSERT_EQ(tree["nodes"].size(), 3u) << tree["nodes"].dump(1);
  EXPECT_THAT(linesOf(tree["nodes"][0]), ElementsAre(11, 9, 3));
  using P = std::pair<int, std::string>;
  EXPECT_THAT(level(tree, 1), UnorderedElementsAre(P(5, "direct"), P(6, "indirect")));
  EXPECT_THAT(linesOf(*nodeAt(tree, 5)), ElementsAre(5, 3));
  EXPECT_THAT(linesOf(*nodeAt(tree, 6)), ElementsAre(6, 4));
  EXPECT_EQ(nodeAt(tree, 7), nullptr); // never executed: the branch around it is the condition
  EXPECT_EQ((*nodeAt(tree, 6))["condition"]["outcome"], "false");
}

const char* const kShapes = R"(#include <stdio.h>
#include <stdlib.h>
enum shape { PLAIN, TWO_EQUAL, CORNER, ALL_EQUAL, NONE };
static int measure(int a, int b, int c) {
  enum shape shape;
  int size;
  if (a >= b && b >= c) {
    shape = PLAIN;
    if (a == b || b == c)
      shape = TWO_EQUAL;
    if (a * a != b * b + c * c)
      shape = CORNER;
    if (a == b && b == c)
      shape = ALL_EQUAL;
    switch (shape) {
    case CORNER: size = b * c; break;
    case ALL_EQUAL: size = a * a; break;
    default: size = a + b + c;
    }
  } else {
    shape = NONE;
    size = 0;
  }
  return size;
}
int main(int argc, char **argv) {
  int r = measure(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
  printf("%d\n", r);
  return r == 15 ? 0 : 1;
}
)";

TEST_F(Causes, LeadFromTheWrongValueToTheWrongConditionByLevels) {
  build(kShapes);
  json tree = ask({"--", "./program", "6", "5", "4"});
  EXPECT_THAT(linesOf(tree["nodes"][0]), IsSupersetOf({29, 27, 24, 16}));
  using P = std::pair<int, std::string>;
  EXPECT_THAT(level(tree, 1), ElementsAre(P(15, "direct"))); // the switch
  EXPECT_THAT(linesOf(*nodeAt(tree, 15)), ElementsAre(15, 12));
  EXPECT_THAT(level(tree, 2), IsSupersetOf({P(11, "direct"), P(13, "indirect"), P(7, "direct")}));
  // What line 10 would have given shape, line 12 has overwritten: line 9 is no condition of its own.
  EXPECT_THAT(level(tree, 2), Not(Contains(P(9, "indirect"))));
  EXPECT_EQ((*nodeAt(tree, 11))["condition"]["outcome"], "true");
}

TEST_F(Causes, AnEarlierDecisionThatContradictsEndsTheCause) {
  build(R"(#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]) * 3;
  int large = 0;
  if (n > 10)
    large = 1;
  if (n > 5)
    abort();
  return large;
}
)");
  json tree = ask({"--", "./program", "7"});
  // That n was not greater than 5 cannot be, since it had been found to be greater than 10: no need to ask
  // for n.
  EXPECT_THAT(linesOf(tree["nodes"][0]), ElementsAre(8, 7, 5));
  EXPECT_THAT(std::string(tree["nodes"][0]["contradiction"]), HasSubstr("line 5 had decided"));
  const json* decided = nodeAt(tree, 5);
  ASSERT_NE(decided, nullptr);
  EXPECT_EQ((*decided)["kind"], "decided");
  EXPECT_THAT(linesOf(*decided), ElementsAre(5, 3));
  // Without a solver the value is followed to its end.
  tree = ask({"--no-solver", "--", "./program", "7"});
  EXPECT_THAT(linesOf(tree["nodes"][0]), ElementsAre(8, 7, 3));
}

TEST_F(Causes, WhatIsRightIsLeftOut) {
  build(R"(#include <assert.h>
static int limit(int n) {
  if (n > 3)
    return 3;
  return n;
}
int main(int argc, char **argv) {
  int n = argc + 4;
  int m = limit(n);
  assert(m == 5);
  return 0;
}
)");
  json tree = ask({"--", "./program"});
  EXPECT_NE(nodeAt(tree, 3), nullptr);
  tree = ask({"--correct", "limit", "--", "./program"});
  EXPECT_EQ(nodeAt(tree, 3), nullptr);
  test::RunResult misspelt =
      test::run({kBin + "/faultline", "causes", "--correct", "limits", "--", "./program"}, options_);
  EXPECT_EQ(misspelt.status, 1);
  EXPECT_THAT(misspelt.err, HasSubstr("--correct limits: the program has no such function or file"));
  tree = ask({"--correct", "program.c:3", "--", "./program"});
  EXPECT_EQ(nodeAt(tree, 3), nullptr);
}

TEST_F(Causes, IterationsOfALoopAreOneNode) {
  build(R"(#include <assert.h>
int main(void) {
  int sum = 0;
  for (int i = 0; i <= 20; i++)
    if (i % 2)
      sum += i;
  assert(sum == 99);
  return 0;
}
)");
  json tree = ask({"--", "./program"});
  int odd = 0;
  for (const json& n : tree["nodes"]) odd += n["condition"]["place"]["line"] == 5 && n["kind"] == "direct";
  EXPECT_EQ(odd, 1);
  EXPECT_EQ((*nodeAt(tree, 5))["count"], 10);
}

TEST_F(Causes, ACrashLeadsToWhereThePointerWasNotSet) {
  build(R"(#include <stdio.h>
struct item { int key; struct item *next; };
static struct item *find(struct item *list, int key) {
  for (; list; list = list->next)
    if (list->key == key)
      return list;
  return 0;
}
int main(void) {
  struct item b = {7, 0}, a = {3, &b};
  struct item *found = find(&a, 4);
  printf("%d\n", found->key);
  return 0;
}
)");
  json tree = ask({"--", "./program"});
  EXPECT_THAT(linesOf(tree["nodes"][0]), IsSupersetOf({12, 11, 7}));
  std::vector<int> all;
  for (const json& n : tree["nodes"]) all.push_back(n["condition"]["place"]["line"]);
  EXPECT_THAT(all, IsSupersetOf({4, 5}));
}

TEST_F(Causes, MissingOutputLeadsToTheBranchThatDidNotPrint) {
  build(R"(#include <stdio.h>
int main(int argc, char **argv) {
  int verbose = argc > 2;
  puts("begin");
  if (verbose)
    puts("middle");
  puts("end");
  return 0;
}
)");
  test::writeFile(dir_ / "right", "begin\nmiddle\nend\n");
  json tree = ask({"--expect", "right", "--", "./program", "x"});
  const json* node = nodeAt(tree, 5);
  ASSERT_NE(node, nullptr) << tree["nodes"].dump(1);
  EXPECT_EQ((*node)["kind"], "indirect");
  EXPECT_EQ((*node)["condition"]["outcome"], "false");
  EXPECT_THAT(linesOf(*node), Contains(3));
}

TEST_F(Causes, AWrongLengthOfWhatWasPrintedBeforeIsACause) {
  build(R"(#include <stdio.h>
#include <string.h>
int main(void) {
  char text[] = "abcdef";
  size_t length = strlen(text) - 1;
  fwrite(text, 1, length, stdout);
  fputs(".\n", stdout);
  return 0;
}
)");
  test::writeFile(dir_ / "right", "abcdef.\n");
  json tree = ask({"--expect", "right", "--", "./program"});
  EXPECT_THAT(linesOf(tree["nodes"][0]), Contains(5));
}

TEST_F(Causes, ValuesPassThroughFormattingAndVariableArguments) {
  build(R"(#include <stdarg.h>
#include <stdio.h>
static void say(char *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsprintf(to, format, list);
  va_end(list);
}
int main(void) {
  char text[32];
  int half = 9 / 2;
  say(text, "%d", half);
  puts(text);
  return 0;
}
)");
  test::writeFile(dir_ / "right", "5\n");
  json tree = ask({"--expect", "right", "--", "./program"});
  EXPECT_THAT(linesOf(tree["nodes"][0]), IsSupersetOf({12, 11}));
}

TEST_F(Causes, WhatIsSaidToBeRightGoesWithWhatLeadsThere) {
  build(kShapes);
  ASSERT_EQ(
      test::run({kBin + "/faultline", "record", "-o", "run.flr", "--", "./program", "6", "5", "4"}, options_)
          .status,
      0);
  options_.input = "3\nwhy 3\nright 2\nlist\nright 1\nright 99\nquit\n";
  test::RunResult got = test::run({kBin + "/faultline", "causes", "-i", "run.flr"}, options_);
  EXPECT_EQ(got.status, 0) << got.err;
  // Everything below the switch leads to it alone.
  EXPECT_THAT(got.out, HasSubstr("4 gone, 1 left"));
  EXPECT_THAT(got.out, HasSubstr("it is the failure itself"));
  EXPECT_THAT(got.out, HasSubstr("there is no cause 99"));
}

TEST_F(Causes, ARunThatPassesHasNone) {
  build("int main(void) { return 0; }\n");
  test::RunResult got = test::run({kBin + "/faultline", "causes", "--", "./program"}, options_);
  EXPECT_EQ(got.status, 2);
}

TEST_F(Causes, TheTextShowsLevelsAndValues) {
  build(kBranches);
  test::RunResult got = test::run({kBin + "/faultline", "causes", "--", "./program"}, options_);
  EXPECT_EQ(got.status, 0);
  EXPECT_THAT(got.out, HasSubstr("What made it fail"));
  EXPECT_THAT(got.out, HasSubstr("Level 1"));
  EXPECT_THAT(got.out, HasSubstr("b < 0 is false"));
  EXPECT_THAT(got.out, Not(HasSubstr("\x1b[")));
}

std::vector<int> linesToRead(const json& tree) {
  std::vector<int> lines;
  for (const json& line : tree["order"]) lines.push_back(line["line"]);
  return lines;
}

TEST_F(Causes, ALoopThatCountedFarIsFollowedToItsStart) {
  build(R"(#include <assert.h>
int main(void) {
  int start = 3;
  int n = start;
  for (int k = 0; k < 60000; k++)
    n += 1;
  assert(n == 0);
  return 0;
}
)");
  json tree = ask({"--", "./program"});
  EXPECT_THAT(linesOf(tree["nodes"][0]), ElementsAre(7, 6, 4, 3));
  EXPECT_EQ(tree["nodes"][0]["statements"][1]["instances"], 60000);
  EXPECT_THAT(tree["nodes"][0]["contradiction"].get<std::string>(), Not(HasSubstr("no further")));
}

TEST_F(Causes, WhatACallPrintedMightHaveBeenOverwritten) {
  build(R"(#include <stdio.h>
#include <string.h>
int main(void) {
  char line[8];
  strcpy(line, "cab");
  char *end = line + strlen(line) - 1;
  for (char *p = line; p < end; ++p)
    *p = *p - 32;
  fwrite(line, 1, 3, stdout);
  return 0;
}
)");
  test::writeFile(dir_ / "right", "CAB");
  json tree = ask({"--expect", "right", "--", "./program"});
  using P = std::pair<int, std::string>;
  EXPECT_THAT(level(tree, 1), Contains(P(7, "indirect")));
  ASSERT_NE(nodeAt(tree, 7), nullptr);
  EXPECT_THAT(linesOf(*nodeAt(tree, 7)), Contains(6));
}

TEST_F(Causes, WhatACallWasGivenMayHaveMadeItPrintLess) {
  build(R"(#include <stdio.h>
int main(void) {
  char text[4] = "ab";
  text[0] = 0;
  printf("%s\n", text);
  return 0;
}
)");
  test::writeFile(dir_ / "right", "ab\n");
  json tree = ask({"--expect", "right", "--", "./program"});
  EXPECT_THAT(linesOf(tree["nodes"][0]), IsSupersetOf({5, 4}));
}

TEST_F(Causes, TheExpectedNumberIsWished) {
  build(R"(#include <stdio.h>
int main(int argc, char **argv) {
  int n = argc * 7;
  int bit = n & 1;
  printf("%d\n", bit);
  return bit;
}
)");
  // No n has 5 for its last bit; but one has 0.
  test::writeFile(dir_ / "five", "5\n");
  EXPECT_THAT(linesOf(ask({"--expect", "five", "--", "./program"})["nodes"][0]), ElementsAre(5, 4));
  test::writeFile(dir_ / "zero", "0\n");
  EXPECT_THAT(linesOf(ask({"--expect", "zero", "--", "./program"})["nodes"][0]), ElementsAre(5, 4, 3));
  EXPECT_THAT(linesOf(ask({"--expect-status", "6", "--", "./program"})["nodes"][0]), ElementsAre(6, 4));
}

TEST_F(Causes, AnExceptionLeadsToWhoThrewIt) {
  build(R"(#include <cstdio>
static int checked(int n) {
  if (n > 2)
    throw n;
  return n;
}
struct Guard {
  ~Guard() { std::fflush(stdout); }
};
static int guarded(int n) {
  Guard guard;
  return checked(n);
}
int main(int argc, char **argv) {
  int sum = argc + 2;
  try {
    sum = guarded(sum);
  } catch (int) {
    std::puts("too many");
    return 0;
  }
  std::printf("%d\n", sum);
  return 0;
}
)",
        "program.cpp");
  test::writeFile(dir_ / "right", "3\n");
  json tree = ask({"--expect", "right", "--", "./program"});
  const json* node = nodeAt(tree, 3);
  ASSERT_NE(node, nullptr) << tree["nodes"].dump(1);
  EXPECT_THAT(linesOf(*node), IsSupersetOf({3, 15}));
}

TEST_F(Causes, SystemHeadersAreRightAndWhatTheyCallIsNot) {
  build(R"(#include <algorithm>
#include <cassert>
#include <vector>
static bool isBefore(int a, int b) {
  return a > b;
}
int main() {
  std::vector<int> v{3, 1, 2};
  std::sort(v.begin(), v.end(), isBefore);
  assert(v[0] == 1);
  return 0;
}
)",
        "program.cpp");
  json tree = ask({"--", "./program"});
  EXPECT_THAT(linesToRead(tree), Contains(5));
  for (const json& line : tree["order"])
    EXPECT_THAT(line["file"].get<std::string>(), Not(HasSubstr("/usr/")));
  for (const json& n : tree["nodes"]) { // none is there only for what a header decided
    bool hasOwn = false;
    for (const json& s : n["statements"]) hasOwn |= !s.value("library", false);
    EXPECT_TRUE(hasOwn) << n.dump(1);
  }
}

TEST_F(Causes, LinesThatCompareOrComputeAreReadBeforeThoseThatPassOn) {
  build(R"(#include <assert.h>
static int same(int x) {
  return x;
}
int main(int argc, char **argv) {
  int a = same(argc);
  int b = a + 3;
  int c = same(b);
  assert(c == 5);
  return 0;
}
)");
  json tree = ask({"--", "./program"});
  EXPECT_THAT(linesToRead(tree), ElementsAre(9, 7, 8, 6, 3));
  EXPECT_EQ(tree["order"][1]["does"], "computes");
  EXPECT_EQ(tree["order"][1]["node"], 0);
  test::RunResult text = test::run({kBin + "/faultline", "causes", "--", "./program"}, options_);
  EXPECT_THAT(text.out, HasSubstr("Lines to read first"));
  EXPECT_THAT(text.out, HasSubstr("in cause 1"));
}

const char* const kBilled = R"(#include <stdio.h>
static int price(int count, int each) {
  int sum = count * each;
  if (count >= 10)
    sum = sum * 9 / 10;
  return sum;
}
static int shipping(int sum) {
  int cost = 7;
  if (sum >= 100)
    cost = 0;
  return cost;
}
int main(void) {
  int count = 10, each = 10;
  int sum = price(count, each);
  printf("%d\n", sum + shipping(sum));
  return 0;
}
)"; // a discount from the eleventh on was wanted, and nothing for shipping then

TEST_F(Causes, ALineOfWhichAChangeRepairsTheRunIsReadFirst) {
  build(kBilled);
  test::writeFile(dir_ / "want", "100\n");
  std::vector<std::string> words = {"--expect", "want", "--", "./program"};
  json alone = ask(words);
  EXPECT_NE(linesToRead(alone)[0], 4);
  for (const json& line : alone["order"]) EXPECT_FALSE(line.contains("repair"));
  EXPECT_FALSE(alone["stats"].contains("experiments"));

  json tree = askAll(words);
  EXPECT_GT(tree["stats"]["experiments"], 0);
  std::vector<int> repaired;
  bool isOver = false;
  for (const json& line : tree["order"]) {
    isOver |= !line.contains("repair");
    EXPECT_EQ(line.contains("repair"), !isOver) << "repairs come first";
    if (line.value("share", 0.0) == 1) repaired.push_back(line["line"]);
  }
  EXPECT_THAT(repaired, Contains(4));
  EXPECT_THAT(linesToRead(tree), ::testing::UnorderedElementsAreArray(linesToRead(alone)));
  EXPECT_EQ(tree["nodes"].size(), alone["nodes"].size());

  test::RunResult text =
      test::run({kBin + "/faultline", "causes", "--expect", "want", "--", "./program"}, options_);
  EXPECT_THAT(text.out, HasSubstr("the run passes with `>` instead of `>=`"));
}

TEST_F(Causes, AnAssertionIsNotRepairedByAnotherAssertion) {
  build(kBranches);
  json tree = askAll({"--", "./program"});
  EXPECT_GT(tree["stats"]["experiments"], 0);
  for (const json& line : tree["order"])
    if (line["line"] == 11) EXPECT_FALSE(line.contains("repair")) << line.dump();
}

TEST_F(Causes, ARecordingThatReplacesAnotherIsRepeatedAnew) {
  build(kBilled);
  test::writeFile(dir_ / "want", "100\n");
  test::run({kBin + "/faultline", "record", "-o", "run.flr", "--expect", "want", "--", "./program"},
            options_);
  EXPECT_EQ(askAll({"run.flr"})["failure"]["kind"], "wrong-output");
  test::run({kBin + "/faultline", "record", "-o", "run.flr", "--expect-status", "3", "--", "./program"},
            options_);
  EXPECT_EQ(askAll({"run.flr"})["failure"]["kind"], "wrong-status");
  size_t kept = 0;
  for (const auto& file : std::filesystem::directory_iterator(dir_ / "run.flr.index"))
    kept += file.path().filename().string().starts_with("alterable") && file.path().extension() == ".flr";
  EXPECT_EQ(kept, 1u);
}

TEST_F(Causes, WithoutTheProgramTheOrderIsThatOfTheTree) {
  build(kBilled);
  test::writeFile(dir_ / "want", "100\n");
  auto recorded = test::run(
      {kBin + "/faultline", "record", "-o", "run.flr", "--expect", "want", "--", "./program"}, options_);
  json alone = ask({"run.flr"});
  std::filesystem::rename(dir_ / "program", dir_ / "elsewhere");
  json tree = askAll({"run.flr"});
  EXPECT_EQ(linesToRead(tree), linesToRead(alone));
  EXPECT_THAT(tree["caveats"].dump(), HasSubstr("no changes were tried"));
}

std::vector<int> allLines(const json& tree) {
  std::vector<int> lines;
  for (const json& n : tree["nodes"])
    for (int line : linesOf(n)) lines.push_back(line);
  return lines;
}

TEST_F(Causes, AWriteThatWentElsewhereIsACause) {
  build(R"(#include <assert.h>
static int table[8], other[8];
int main(int argc, char **argv) {
  int at = argc * 3;
  other[at] = 5;
  table[at] = 7;
  assert(table[1] == 7);
  return 0;
}
)");
  json tree = ask({"--", "./program"});
  const json* node = nodeAt(tree, 6);
  ASSERT_NE(node, nullptr) << tree["nodes"].dump(1);
  EXPECT_EQ((*node)["kind"], "elsewhere");
  EXPECT_EQ((*node)["relation"], "written to another place, it would have changed what line 7 uses");
  EXPECT_THAT(linesOf(*node), ElementsAre(6, 4));
  EXPECT_EQ(nodeAt(tree, 5), nullptr); // another array
  json pruned = ask({"--correct", "program.c:6", "--", "./program"});
  EXPECT_EQ(nodeAt(pruned, 6), nullptr);
}

TEST_F(Causes, WhatASystemHeaderWroteIsTheStatementThatCalledIt) {
  build(R"(#include <cstdio>
#include <deque>
static std::deque<int> waiting;
static void discount() {
  waiting.clear();
}
int main() {
  waiting.push_back(4);
  discount();
  for (int n : waiting)
    std::printf("%d\n", n);
  std::puts("end");
  return 0;
}
)",
        "program.cpp");
  test::writeFile(dir_ / "expected", "4\nend\n");
  json tree = ask({"--expect", "expected", "--", "./program"});
  EXPECT_THAT(allLines(tree), Contains(5)) << tree["nodes"].dump(1);
  EXPECT_THAT(linesToRead(tree), Contains(5));
}

TEST_F(Causes, WhatACallReadIsFollowedToTheCallThatWroteIt) {
  build(R"(#include <stdio.h>
#include <string.h>
int main(void) {
  double v = 0;
  char text[40], copy[40];
  v = v * 3;
  snprintf(text, sizeof text, "%.2f", v);
  memcpy(copy, text, sizeof copy);
  printf("%d\n", (int)strlen(copy));
  return 0;
}
)");
  test::writeFile(dir_ / "expected", "5\n");
  json tree = ask({"--expect", "expected", "--", "./program"});
  EXPECT_THAT(linesOf(tree["nodes"][0]), IsSupersetOf({9, 8, 7, 6, 4}));
}

TEST_F(Causes, WhatIsBeyondTheShareOfTheRunIsLeftOpen) {
  std::string source = "#include <assert.h>\nint main(int argc, char **argv) {\n  int x = 0;\n";
  for (int k = 0; k < 40; ++k)
    source += "  if (argc * " + std::to_string(k + 2) + " > 1000)\n    x = " + std::to_string(k) + ";\n";
  build(source + "  assert(x == 1);\n  return 0;\n}\n");
  auto shown = [](const json& tree) {
    size_t count = 0;
    for (const json& n : tree["nodes"]) count += !n["left_open"].get<bool>();
    return count;
  };
  json all = ask({"--share", "100", "--", "./program"});
  EXPECT_EQ(all["left_open"], 0);
  EXPECT_EQ(shown(all), all["nodes"].size());
  ASSERT_EQ(all["nodes"].size(), 41u); // the failure and each condition
  EXPECT_EQ(all["stats"]["instances_shown"], all["stats"]["instances"]);

  json least = ask({"--share", "0", "--", "./program"});
  EXPECT_EQ(least["nodes"].size(), all["nodes"].size()); // what is left open is there, and marked
  EXPECT_EQ(shown(least), 12u);
  EXPECT_EQ(least["left_open"], 29);

  for (std::string share : {"10", "30", "60"}) {
    json tree = ask({"--share", share, "--", "./program"});
    std::map<int, bool> isOpen;
    for (const json& n : tree["nodes"]) isOpen[n["id"]] = n["left_open"];
    for (const json& n : tree["nodes"])
      if (!n["left_open"] && !n["parent"].is_null()) EXPECT_FALSE(isOpen[n["parent"]]);
    for (const json& line : tree["order"]) EXPECT_EQ(line["left_open"], isOpen[line["node"]]);
    bool fits = tree["stats"]["instances_shown"].get<double>() <=
                std::stod(share) / 100 * tree["stats"]["run"].get<double>();
    EXPECT_TRUE(fits || shown(tree) == 12) << share;
  }
  test::RunResult text = test::run({kBin + "/faultline", "causes", "--", "./program"}, options_);
  EXPECT_THAT(text.out, HasSubstr("29 more potential causes; --all shows them"));
}

TEST_F(Causes, ABudgetOfNodesIsSaid) {
  build(kShapes);
  json tree = ask({"--most", "2", "--", "./program", "6", "5", "4"});
  EXPECT_THAT(tree["caveats"].dump(), HasSubstr("not complete"));
}

} // namespace
} // namespace faultline::cli

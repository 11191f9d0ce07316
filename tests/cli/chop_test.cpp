// `chop` on programs with a known fault: it has the faulty statement, or the constants beside it do, and less
// than the backward slice.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

const std::string kBin = FAULTLINE_BIN_DIR;

class Chop : public ::testing::Test {
protected:
  RunResult faultline(std::vector<std::string> words) {
    words.insert(words.begin(), kBin + "/faultline");
    return run(
        words,
        {.cwd = dir.path(),
         .env = {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}, {"NO_COLOR", "1"}}});
  }
  void build(const std::string& source, const std::string& name = "p") {
    writeFile(dir / (name + ".c"), source);
    RunResult built = run({kBin + "/faultline-cc", "-g", name + ".c", "-o", name}, {.cwd = dir.path()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  json chop(std::vector<std::string> words) {
    words.insert(words.begin(), {"chop", "--json"});
    RunResult answer = faultline(words);
    EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
    return json::parse(answer.out, nullptr, false);
  }
  static std::set<int> lines(const json& statements) {
    std::set<int> found;
    for (const json& s : statements) found.insert(int(s["line"]));
    return found;
  }

  TempDir dir;
};

// As in the paper: an argument is added up wrongly, the other one is not part of it.
constexpr const char* kColours = R"(#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int red = atoi(argv[1]);
  int green = atoi(argv[2]);
  int base = 3;
  int sweet = 0, bitter = 0;
  sweet = red + 2 * base;
  bitter = green * FACTOR;
  if (green > 40) bitter += 0;
  printf("%d\n", bitter + base);
  printf("%d\n", sweet);
  return 0;
}
)";

std::string colours(const std::string& factor) {
  std::string text = kColours;
  return text.replace(text.find("FACTOR"), 6, factor);
}

TEST_F(Chop, OfWrongOutputHasTheFaultAndNotTheOtherArgument) {
  build(colours("3"));
  build(colours("2"), "right");
  json found = chop({"--argv", "--reference", "./right", "--", "./p", "100", "70"});
  EXPECT_EQ(found["technique"], "chop");
  EXPECT_EQ(found["failure"]["kind"], "wrong-output");
  EXPECT_THAT(lines(found["statements"]), Contains(9)) << found;
  EXPECT_THAT(lines(found["statements"]), Not(Contains(8)));
  EXPECT_THAT(lines(found["constants"]), Contains(6));
  EXPECT_LT(found["sizes"]["chop"], found["sizes"]["backward"]);
}

TEST_F(Chop, AWrongConstantIsBeside) {
  build(R"(#include <assert.h>
#include <stdio.h>
static int limit;
static void configure(void) {
  limit = 7;
}
int main(void) {
  configure();
  int c, n = 0;
  while ((c = getchar()) != EOF)
    if (c == '#') n++;
  assert(n < limit);
  return 0;
}
)");
  writeFile(dir / "in", "a # b ### c #### d ### e");
  json found = chop({"--stdin", "in", "--", "./p"});
  EXPECT_EQ(found["input"]["after"], 7);
  EXPECT_TRUE(found["input"]["one_minimal"]);
  EXPECT_THAT(lines(found["constants"]), Contains(5));
  EXPECT_THAT(lines(found["statements"]), Not(Contains(5)));
  EXPECT_THAT(lines(found["statements"]), Contains(11));
}

// The byte that is one too many is what the chop starts from, not all that was read.
constexpr const char* kOverflow = R"(#include <stdio.h>
#include <string.h>
static struct { char name[32]; char *env; } g;
static int words(const char *s) {
  int n = 0;
  for (; *s; s++)
    if (*s == ' ') n++;
  return n;
}
static void set_name(const char *s) {
  strcpy(g.name, s);
}
int main(void) {
  static char buf[5000];
  size_t got = fread(buf, 1, sizeof buf - 1, stdin);
  buf[got] = 0;
  int n = words(buf);
  if (strncmp(buf, "name ", 5) == 0)
    set_name(buf + 5);
  printf("%d\n", n);
  if (g.env)
    puts(g.env);
  return 0;
}
)";

TEST_F(Chop, OfAMemoryErrorStartsFromTheByteThatIsOneTooMany) {
  build(kOverflow);
  writeFile(dir / "in", "name " + std::string(60, 'a') + " and so on\n");
  json found = chop({"--stdin", "in", "--", "./p"});
  EXPECT_EQ(found["failure"]["kind"], "crash");
  EXPECT_EQ(found["input"]["after"], 5 + 33);
  EXPECT_THAT(std::string(found["input"]["criterion"]), HasSubstr("byte 37 of standard input"));
  EXPECT_THAT(lines(found["statements"]), Contains(11));
  EXPECT_THAT(lines(found["statements"]), Not(Contains(18))) << "what decided is another part of the input";
  json whole = chop({"--whole-input", "--stdin", "in", "--", "./p"});
  EXPECT_THAT(lines(whole["statements"]), Contains(18));
  EXPECT_LT(found["sizes"]["chop"], whole["sizes"]["chop"]);
}

TEST_F(Chop, FromADifferenceToAnInputThatPasses) {
  build(kOverflow);
  writeFile(dir / "bad", "name " + std::string(60, 'a'));
  writeFile(dir / "good", "name " + std::string(10, 'a'));
  json found = chop({"--isolate", "good", "--stdin", "bad", "--", "./p"});
  EXPECT_THAT(lines(found["statements"]), Contains(11));
  RunResult text = faultline({"chop", "--isolate", "good", "--stdin", "bad", "--", "./p"});
  EXPECT_THAT(text.out, HasSubstr("strcpy(g.name, s);"));
  EXPECT_THAT(text.out, HasSubstr("without which it does not fail so"));
}

TEST_F(Chop, ARunThatPassesHasNone) {
  build(kOverflow);
  writeFile(dir / "in", "name short");
  RunResult none = faultline({"chop", "--stdin", "in", "--", "./p"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.out, HasSubstr("did not fail"));
}

// What is left out is in no backward slice: the decision to do so is shown beside the chop.
TEST_F(Chop, ADecisionNotToDoSomethingIsShownBesideIt) {
  auto source = [](const std::string& condition) {
    return R"(#include <stdio.h>
int main(void) {
  int c, last = 0;
  while ((c = getchar()) != EOF) {
    if (c == 'x') last = 1;
    if ()" +
           condition + R"()
      putchar('!');
    putchar(c);
  }
  return 0;
}
)";
  };
  build(source("c == 'x'"), "right");
  build(source("c == 'y'"));
  writeFile(dir / "in", "abxcd\n");
  json found = chop({"--reference", "./right", "--stdin", "in", "--", "./p"});
  EXPECT_EQ(found["input"]["after"], 1);
  EXPECT_THAT(lines(found["statements"]), Not(Contains(6)));
  EXPECT_THAT(lines(found["potential"]), Contains(6));
  EXPECT_THAT(lines(found["potential"]), Not(Contains(5))) << "nothing comes of it";
  EXPECT_EQ(found["sizes"]["potential"], found["potential"].size());
}

// A word says what to do; what the program read made it crash.
TEST_F(Chop, ACrashIsFollowedFromWhatWasRead) {
  build(R"(#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  char table[4] = "abc", *names[1] = {table};
  int c, n = 0;
  if (argc < 2 || strcmp(argv[1], "-c")) return 0;
  while ((c = getchar()) != EOF)
    if (c == '+') n += 40000000;
  printf("%c\n", names[n][0]);
  return 0;
}
)");
  writeFile(dir / "in", "a+b\n");
  json found = chop({"--argv", "--stdin", "in", "--", "./p", "-c"});
  EXPECT_THAT(std::string(found["input"]["criterion"]), HasSubstr("standard input"));
  EXPECT_THAT(lines(found["statements"]), Contains(8));
}

// Where in its file fscanf() reads nobody knows.
TEST_F(Chop, WhatWasReadAtAnUnknownPlaceIsFollowedAsAWhole) {
  build(R"(#include <stdio.h>
int main(int argc, char **argv) {
  static int counts[4], *rows[1] = {counts};
  FILE *f = fopen(argv[1], "r");
  int row = 0, value = 0, other = 5;
  char word[8];
  while (fscanf(f, "%7s %d", word, &value) == 2) {
    other += value;
    row = value - 1;
    if (value > 6) row *= 40000000;
    rows[0][row]++;
  }
  printf("%d\n", other);
  return 0;
}
)");
  writeFile(dir / "in", "a 1 b 9 c 2\n");
  json found = chop({"--", "./p", "in"});
  EXPECT_THAT(lines(found["statements"]), IsSupersetOf({9, 10, 11}));
  EXPECT_THAT(lines(found["statements"]), Not(Contains(8)));
}

} // namespace
} // namespace faultline::test

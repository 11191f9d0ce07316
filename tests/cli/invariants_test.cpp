// `invariants` on programs whose error invariants theory demands, exactly.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBin = FAULTLINE_BIN_DIR;

class Invariants : public ::testing::Test {
protected:
  RunResult faultline(std::vector<std::string> words) {
    words.insert(words.begin(), kBin + "/faultline");
    return run(
        words,
        {.cwd = dir.path(),
         .env = {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}, {"NO_COLOR", "1"}}});
  }
  void build(const std::string& source) {
    writeFile(dir / "p.c", source);
    RunResult built = run({kBin + "/faultline-cc", "-g", "p.c", "-o", "p"}, {.cwd = dir.path()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  json invariants(std::vector<std::string> words) {
    words.insert(words.begin(), {"invariants", "--json"});
    RunResult answer = faultline(words);
    EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
    return json::parse(answer.out, nullptr, false);
  }
  // "LINE: what holds after it", in the order of the run.
  static std::vector<std::string> after(const json& found) {
    std::vector<std::string> out;
    for (const json& step : found["steps"]) {
      std::string all;
      for (const json& c : step["after"]) all += (all.empty() ? "" : " && ") + std::string(c);
      out.push_back(std::to_string(int(step["line"])) + ": " + all);
    }
    return out;
  }
  static void expectChecked(const json& found) {
    for (const json& step : found["steps"]) {
      EXPECT_TRUE(step["checked"]["implied"]) << step;
      EXPECT_TRUE(step["checked"]["enough"]) << step;
    }
  }

  TempDir dir;
};

TEST_F(Invariants, ArithmeticIsCarriedBack) {
  build(R"(#include <assert.h>
int main(void) {
  int x = 0;
  int noise = 3;
  int y = x + 2;
  noise = noise * y;
  assert(y != 2);
  return noise;
}
)");
  json found = invariants({"--", "./p"});
  EXPECT_EQ(found["technique"], "invariants");
  EXPECT_THAT(after(found), ElementsAre("3: x == 0", "5: y == 2"));
  EXPECT_EQ(found["end"]["place"]["line"], 7);
  EXPECT_TRUE(found["steps"][0]["before"].empty()) << "whatever comes before";
  expectChecked(found);
}

std::vector<std::string> experiments(const json& found) {
  std::vector<std::string> out;
  for (const json& step : found["steps"]) out.push_back(step["checked"].value("experiment", ""));
  return out;
}

// In another state that has the invariant the program fails all the same: y is 2 though x is not 0.
TEST_F(Invariants, OtherStatesThatHaveThemFailToo) {
  build(R"(#include <assert.h>
int main(void) {
  int x = 0;
  int y = x + 2;
  assert(y != 2);
  return 0;
}
)");
  json found = invariants({"--confirm", "--", "./p"});
  EXPECT_THAT(after(found), ElementsAre("3: x == 0", "4: y == 2"));
  EXPECT_THAT(experiments(found), ElementsAre("nothing-else", "same-failure"));
  EXPECT_THAT(std::string(found["caveats"].dump()), HasSubstr("of 2 invariants, 1 were confirmed"));
}

TEST_F(Invariants, OtherValuesThatTheyAllowFailToo) {
  build(R"(#include <stdlib.h>
static int limit;
int main(int argc, char **argv) {
  limit = argc + 6;
  unsigned char room = limit * 3;
  if (room > 9) abort();
  return 0;
}
)");
  json found = invariants({"--confirm", "--", "./p"});
  std::vector<std::string> all = experiments(found);
  ASSERT_GE(all.size(), 2u) << found;
  for (const std::string& one : all) EXPECT_EQ(one, "same-failure") << found["steps"];
  expectChecked(found);
}

// That the check is reached at all was taken for granted; asked for decisions, it is in the invariant.
TEST_F(Invariants, AStateThatLeadsAnotherWayIsNoConfirmation) {
  build(R"(#include <assert.h>
int main(int argc, char **argv) {
  int x = argc - 1;
  int y = x + 2;
  if (x == 0)
    assert(y != 2);
  return 0;
}
)");
  json found = invariants({"--confirm", "--", "./p"});
  EXPECT_EQ(experiments(found).back(), "other-way") << found["steps"];
  EXPECT_THAT(faultline({"invariants", "--confirm", "--", "./p"}).out,
              HasSubstr("in another state that has it, the run went another way"));
  json decided = invariants({"--confirm", "--decisions", "--", "./p"});
  for (const std::string& one : experiments(decided)) EXPECT_NE(one, "other-way") << decided["steps"];
}

// The worked example of the paper's kind: a pointer that was never set travels into a structure and from
// there into a function that reads through it.
constexpr const char* kPattern = R"(#include <stdlib.h>
struct pattern { int flags; int length; };
struct address { int kind; struct pattern *regex; };
static struct pattern *last_pattern;
static struct address *parse(int kind) {
  struct address *a = malloc(sizeof *a);
  a->kind = kind;
  a->regex = last_pattern;
  return a;
}
static int match(struct pattern *p) {
  int more = 3;
  return p->length + more;
}
int main(void) {
  int other = 5;
  struct address *a = parse(other);
  other++;
  return match(a->regex);
}
)";

TEST_F(Invariants, ANullPointerTravels) {
  build(kPattern);
  json found = invariants({"--", "./p"});
  EXPECT_THAT(after(found), ElementsAre("8: parse::a->regex == NULL", "19: p == NULL"));
  EXPECT_EQ(found["steps"][1]["kind"], "call");
  EXPECT_EQ(found["steps"][1]["statement"], "match");
  EXPECT_EQ(found["end"]["place"]["line"], 13);
  expectChecked(found);
}

// With addresses it also says why that structure was the one that was read.
TEST_F(Invariants, AddressesTellWhichPlaceItWas) {
  build(kPattern);
  json found = invariants({"--addresses", "--", "./p"});
  std::vector<int> lines;
  for (const json& step : found["steps"]) lines.push_back(step["line"]);
  EXPECT_THAT(lines, ElementsAre(6, 8, 9, 17, 19));
  EXPECT_THAT(after(found)[0], HasSubstr("6: a == 0x"));
  EXPECT_THAT(after(found)[3], ::testing::AllOf(HasSubstr("a == 0x"), HasSubstr("parse::a->regex == NULL")));
  EXPECT_THAT(found["steps"][0]["opaque"], ElementsAre("malloc()"));
  expectChecked(found);
}

TEST_F(Invariants, ALoopThatHandsAValueAroundDoesNotMatter) {
  build(R"(#include <stdio.h>
static int *handed, *kept;
static int count;
int main(void) {
  handed = 0;
  for (int i = 0; i < 50; i++) {
    kept = handed;
    count += i;
    handed = kept;
  }
  return *handed;
}
)");
  json found = invariants({"--", "./p"});
  EXPECT_THAT(after(found), ElementsAre("5: handed == NULL"));
  EXPECT_EQ(found["stats"]["dropped"], 100);
  expectChecked(found);
}

// What a loop adds up is in the trace, with rounds left out; a library function's result stands for it.
TEST_F(Invariants, LoopsLibraryFunctionsAndInput) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char line[64];
  if (!fgets(line, sizeof line, stdin)) return 0;
  int n = 0;
  for (int i = 0; i < 9; i++)
    n += i;
  size_t length = strlen(line);
  int left = n - line[0];
  if (left < 1 && length > 2)
    abort();
  return 0;
}
)");
  writeFile(dir / "in.txt", "0abc\n");
  json found = invariants({"--stdin", "in.txt", "--", "./p"});
  EXPECT_THAT(after(found),
              ElementsAre("6: line[0] == '0'", "7: line[0] == '0' && n == 0",
                          "8: line[0] == '0' && n == 0 && i == 0", "8: line[0] == '0' && n == 0 && i == 1",
                          "9: line[0] == '0' && n == 1 && i == 1", "8: n + i - line[0] < 1",
                          "9: n - line[0] < 1", "10: length > 2 && n - line[0] < 1",
                          "11: length > 2 && left < 1"))
      << "adding i == 0 to n == 0 changes nothing";
  EXPECT_EQ(found["steps"][5]["omitted"]["rounds"], 6);
  EXPECT_THAT(found["steps"][7]["opaque"], ElementsAre("strlen()"));
  EXPECT_THAT(found["steps"][0]["sources"], ElementsAre("stdin:0"));
  expectChecked(found);
}

TEST_F(Invariants, DecisionsOnTheWayIfAskedFor) {
  build(R"(#include <assert.h>
int main(int argc, char **argv) {
  int x = argc + 3;
  int y = 1;
  if (x > 2)
    y = 7;
  assert(y < 5);
  return 0;
}
)");
  EXPECT_THAT(after(invariants({"--", "./p"})), ElementsAre("6: y >= 5"));
  json found = invariants({"--decisions", "--", "./p"});
  EXPECT_THAT(after(found), ElementsAre("2: argc + 3 > 2", "3: x > 2", "6: y >= 5"));
  expectChecked(found);
}

TEST_F(Invariants, DivisionAndFloats) {
  build(R"(#include <stdio.h>
int main(int argc, char **argv) {
  double share = argc * 0.25;
  int parts = (int)(share * 3);
  printf("%d\n", 100 / parts);
  return 0;
}
)");
  json found = invariants({"--", "./p"});
  EXPECT_THAT(after(found),
              ElementsAre("2: (int)(argc * 0.25 * 3) == 0", "3: (int)(share * 3) == 0", "4: parts == 0"));
  expectChecked(found);
}

TEST_F(Invariants, AnswersOnTheTerminal) {
  build(kPattern);
  RunResult answer = faultline({"invariants", "--", "./p"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("{ parse::a->regex == NULL }"));
  EXPECT_THAT(answer.out, HasSubstr("[call of match()]"));
  EXPECT_THAT(answer.out, HasSubstr("[fails]"));
  EXPECT_THAT(answer.out, Not(HasSubstr("not confirmed")));
}

// The trace stands by itself: it fails, and does not if a value that mattered is another.
TEST_F(Invariants, AsAProgramOfItsOwn) {
  build(R"(#include <assert.h>
int main(void) {
  int x = 0;
  unsigned char y = x + 2;
  assert(y != 2);
  return 0;
}
)");
  json found = invariants({"--error-trace", dir / "trace.c", "--", "./p"});
  EXPECT_TRUE(found["error_program"]["fails"]) << found;
  std::string text = readFile(dir / "trace.c");
  EXPECT_THAT(text, HasSubstr("{ y == 2 }"));
  size_t at = text.find("(u32)0x0ull;");
  ASSERT_NE(at, std::string::npos) << text;
  writeFile(dir / "other.c", text.replace(at, 12, "(u32)0x1ull;"));
  ASSERT_EQ(run({"clang-19", "-w", "other.c", "-o", "other", "-lm"}, {.cwd = dir.path()}).status, 0);
  EXPECT_EQ(run({"./other"}, {.cwd = dir.path()}).status, 0);
}

// What failed is the access, whatever the handler makes of it.
TEST_F(Invariants, OfAFaultWhoseHandlerAborts) {
  build(R"(#include <signal.h>
#include <stdlib.h>
static volatile int seen;
static void onSegv(int number) {
  seen = number;
  if (seen == SIGSEGV)
    abort();
}
int main(void) {
  signal(SIGSEGV, onSegv);
  int *volatile p = (int *)24;
  return *p;
}
)");
  json found = invariants({"--", "./p"});
  EXPECT_THAT(after(found).back(), "11: p == 0x18");
  expectChecked(found);
}

TEST_F(Invariants, ARunThatPassedHasNone) {
  build("int main(void) { return 0; }\n");
  RunResult answer = faultline({"invariants", "--", "./p"});
  EXPECT_THAT(answer.out + answer.err, HasSubstr("did not fail"));
}

} // namespace
} // namespace faultline::test

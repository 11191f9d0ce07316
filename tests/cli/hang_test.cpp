// Runs that do not end: which loop it is, and that what is asked about it needs no more than its first
// rounds.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::cli {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kBin = FAULTLINE_BIN_DIR;

class ExplainHang : public ::testing::Test {
protected:
  test::TempDir dir_;
  test::RunOptions options_{.cwd = dir_.path(),
                            .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"XDG_DATA_HOME", dir_ / "data"}}};

  void build(const std::string& source, const std::string& name = "program.c") {
    test::writeFile(dir_ / name, source);
    std::string compiler = kBin + (name.ends_with(".c") ? "/faultline-cc" : "/faultline-c++");
    auto built = test::run({compiler, "-g", name, "-o", "program"}, options_);
    ASSERT_EQ(built.status, 0) << built.err;
  }
  test::RunResult faultline(std::vector<std::string> words) {
    words.insert(words.begin(), kBin + "/faultline");
    return test::run(words, options_);
  }
  json explain(std::vector<std::string> words, const std::string& timeout = "1") {
    words.insert(words.begin(),
                 {"explain", "--json", "--budget", "20", "--timeout", timeout, "--", "./program"});
    test::RunResult got = faultline(words);
    EXPECT_EQ(got.status, 0) << got.err;
    return got.status == 0 ? json::parse(got.out) : json::object();
  }
};

std::vector<int> firstLines(const json& document, size_t count) {
  std::vector<int> lines;
  for (const json& s : document["suspects"])
    if (lines.size() < count) lines.push_back(s["place"]["line"]);
  return lines;
}

std::string caveats(const json& document) { return document["caveats"].dump(); }

// Its experiments are processes from the start, with the files put back.
TEST_F(ExplainHang, AFileThatIsWrittenFirst) {
  build(R"(#include <stdio.h>
int main(void) {
  FILE* f = fopen("log.txt", "a");
  fputs("begins\n", f);
  fclose(f);
  int left = 7;
  while (left != 0) {
    left -= 2;
    if (left < -100) left = 7;
  }
  puts("done");
  return 0;
}
)");
  test::writeFile(dir_ / "log.txt", "before\n");
  json document = explain({});
  ASSERT_FALSE(document["suspects"].empty());
  EXPECT_THAT(firstLines(document, 3), Contains(7));
  EXPECT_EQ(test::readFile(dir_ / "log.txt"), "before\nbegins\n");
}

TEST_F(ExplainHang, AnInputThatIsNotAdvanced) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
struct node { struct node* next; };
static struct node* parse(const char* p) {
  struct node* head = NULL;
  while (*p) {
    if (*p == '<') {
      struct node* n = malloc(sizeof *n);
      n->next = head;
      head = n;
      if (p[1] == '!') continue; // the fault
    }
    p++;
  }
  return head;
}
int main(int argc, char** argv) {
  int count = 0;
  for (struct node* n = parse(argv[1]); n; n = n->next) count++;
  printf("%d\n", count);
  return 0;
}
)");
  json document = explain({"ab<c<!d"});
  EXPECT_EQ(document["failure"]["kind"], "hang");
  EXPECT_EQ(document["failure"]["place"]["line"], 6);
  EXPECT_EQ(document["failure"]["place"]["function"], "parse");
  EXPECT_THAT(document["failure"]["message"], HasSubstr("an endless loop"));
  EXPECT_EQ(firstLines(document, 1), std::vector{11});
  EXPECT_THAT(caveats(document), HasSubstr("what it does not get out of"));
  EXPECT_GT(document["stats"]["hang"]["steps"], 200'000);
  EXPECT_LT(document["stats"]["hang"]["kept"], 5'000);
  EXPECT_LT(document["stats"]["hang"]["entered"], 20);
}

// It is a loop in another function that does not end, and it is entered late.
const char* const kLateHang = R"(#include <stdio.h>
#include <stdlib.h>
static unsigned mix(unsigned h, int c) { return h * 31 + (unsigned)c; }
static int gap(int from, int step) {
  int n = 0;
  while (from != 100) {
    from += step;
    n++;
  }
  return n;
}
int main(int argc, char** argv) {
  unsigned h = 0;
  for (int i = 0; i < atoi(argv[1]); i++) h = mix(h, i);
  printf("%u\n", h);
  printf("%d\n", gap(0, atoi(argv[2])));
  return 0;
}
)";

TEST_F(ExplainHang, WhatWasDoneBeforeIsNotTakenForIt) {
  build(kLateHang);
  json document = explain({"60000", "0"});
  EXPECT_EQ(document["failure"]["place"]["function"], "gap");
  EXPECT_EQ(document["failure"]["place"]["line"], 6);
  EXPECT_GE(document["stats"]["hang"]["entered"], 120'000);
  EXPECT_LT(document["stats"]["hang"]["kept"], 160'000);
  EXPECT_THAT(firstLines(document, 3), Contains(6));
}

TEST_F(ExplainHang, ALongWayThereIsFollowed) {
  build(kLateHang);
  json document = explain({"1000000", "0"}, "2");
  EXPECT_EQ(document["failure"]["place"]["function"], "gap");
  EXPECT_GE(document["stats"]["hang"]["entered"], 2'000'000);
}

TEST_F(ExplainHang, ALoopThatEndsIsNone) {
  build(kLateHang);
  EXPECT_EQ(faultline({"explain", "--timeout", "60", "--", "./program", "1000000", "1"}).status, 2);
}

// What goes round is in the functions that are called, and is the same code when it is stuck.
TEST_F(ExplainHang, TwoFunctionsThatLeaveItToEachOther) {
  build(R"(#include <stdio.h>
#include <string.h>
static int at, state;
static const char* text;
static void odd(void) {
  if (text[at] == 'b')
    state = 1;
  else
    at++;
}
static void even(void) {
  if (text[at] == 'b')
    state = 0;
  else
    at++;
}
int main(int argc, char** argv) {
  text = argv[1];
  int size = (int)strlen(text);
  while (at < size)
    if (state)
      even();
    else
      odd();
  printf("%d\n", at);
  return 0;
}
)");
  json document = explain({"aaaaaaaaaaaaaaaaaaaaaaaaaba"});
  EXPECT_EQ(document["failure"]["place"]["line"], 20);
  EXPECT_GT(document["stats"]["hang"]["entered"], 25);
  EXPECT_THAT(firstLines(document, 2), ::testing::AnyOf(Contains(6), Contains(12)));
}

TEST_F(ExplainHang, PrintingWithoutEnd) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int lines = atoi(argv[1]), body = atoi(argv[2]) - 10;
  if (body < 0) body = 0; // the fault
  for (int done = 0; done < lines; done += body)
    printf("page\n");
  return 0;
}
)");
  json document = explain({"5", "5"});
  EXPECT_EQ(document["failure"]["place"]["line"], 6);
  EXPECT_THAT(firstLines(document, 5), Contains(5));
}

TEST_F(ExplainHang, ALoopWithoutAConditionIsLeftByItsBreaks) {
  build(R"(#include <stdio.h>
int main(int argc, char** argv) {
  const char* p = argv[1];
  int depth = 0;
  for (;;) {
    if (*p == '(') depth++;
    if (*p == 0) break;
    if (depth < 3) p++; // the fault
  }
  printf("%d\n", depth);
  return 0;
}
)");
  json document = explain({"(a(b(c"});
  EXPECT_EQ(document["failure"]["place"]["line"], 7);
  EXPECT_THAT(firstLines(document, 3), Contains(8));
}

TEST_F(ExplainHang, ACallThatDoesNotComeBack) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
static long ways(int n) {
  if (n < 2) return 1;
  return ways(n - 1) + ways(n - 2);
}
int main(int argc, char** argv) {
  printf("%ld\n", ways(atoi(argv[1])));
  return 0;
}
)");
  json document = explain({"90"});
  EXPECT_THAT(document["failure"]["message"], HasSubstr("ways() does not come back"));
  EXPECT_LT(document["stats"]["hang"]["kept"], 100'000);
}

TEST_F(ExplainHang, ALoopOverIterators) {
  build(R"(#include <cstdio>
#include <string>
#include <vector>
int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  int count = 0;
  for (auto it = words.begin(); it != words.end();) {
    if ((*it)[0] == '#') continue; // the fault
    ++count;
    ++it;
  }
  std::printf("%d\n", count);
}
)",
        "program.cpp");
  json document = explain({"a", "b", "#c", "d"});
  EXPECT_EQ(document["failure"]["place"]["line"], 7);
  EXPECT_THAT(firstLines(document, 3), Contains(8));
}

// A program that waits makes no steps: it stands where it waits.
TEST_F(ExplainHang, WhatWaitsIsLeftAsItIs) {
  build(R"(#include <unistd.h>
int main(void) {
  int ends[2];
  char c;
  if (pipe(ends)) return 1;
  return (int)read(ends[0], &c, 1);
}
)");
  json document = explain({}, "0.3");
  EXPECT_EQ(document["failure"]["kind"], "hang");
  EXPECT_EQ(document["failure"]["place"]["line"], 6);
  EXPECT_FALSE(document["stats"].contains("hang"));
}

// The recording that was made by itself has all; what experiments are made on is made short at once.
TEST_F(ExplainHang, OfARecording) {
  build(kLateHang);
  ASSERT_EQ(faultline({"record", "-q", "-o", "p.flr", "--timeout", "1", "--", "./program", "10", "0"}).status,
            0);
  test::RunResult got = faultline({"explain", "--json", "--budget", "20", "p.flr"});
  ASSERT_EQ(got.status, 0) << got.err;
  json document = json::parse(got.out);
  EXPECT_EQ(document["failure"]["place"]["line"], 6);
  EXPECT_LT(document["stats"]["hang"]["kept"], 5'000);
}

} // namespace
} // namespace faultline::cli

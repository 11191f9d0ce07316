// faultline changes: the change that undoes a fault is found, at its line, in its words; and where nothing
// small helps, that is said.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace faultline::cli {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kBin = FAULTLINE_BIN_DIR;

// Reads numbers and tells what is known of them.
const char* const kProgram = R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MOST 64
static int values[MOST], count;
static void put(int value) {
  if (count < MOST) values[count++] = value;
}
static int larger(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static int inside(int value, int low, int high) {
  return value >= low && value <= high;
}
static int weekday(int day) { return (day + 3) % 7; }
static unsigned hash(const char* text) {
  unsigned sum = 5;
  while (*text) sum = sum * 33 + (unsigned char)*text++;
  return sum & 255;
}
static double mean(void) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += values[i];
  return sum / count;
}
static int clip(int value) {
  if (value < 0) return -1;
  return value > 50 ? 50 : value;
}
int main(int argc, char** argv) {
  int value, seen = 0;
  while (scanf("%d", &value) == 1) put(value);
  qsort(values, count, sizeof *values, larger);
  for (int i = 0; i < count; i++) {
    if (inside(values[i], 3, 20)) seen++;
    printf("%d %d %d\n", values[i], weekday(values[i]), clip(values[i]));
  }
  printf("%d inside, %u, %.3f\n", seen, hash("faultline"), mean());
  return 0;
}
)";

struct Fault {
  const char *name, *right, *wrong, *text;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

int lineOf(const std::string& source, const std::string& text) {
  return 1 + int(std::count(source.begin(), source.begin() + long(source.find(text)), '\n'));
}

class Changes : public ::testing::Test {
protected:
  test::TempDir dir_;
  test::RunOptions options_{.cwd = dir_.path(),
                            .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"XDG_DATA_HOME", dir_ / "data"}}};

  void build(const std::string& source, const std::string& name) {
    test::writeFile(dir_ / (name + ".c"), source);
    auto built = test::run({kBin + "/faultline-cc", "-g", name + ".c", "-o", name}, options_);
    ASSERT_EQ(built.status, 0) << built.err;
  }
  test::RunResult ask(std::vector<std::string> words) {
    words.insert(words.begin(), {kBin + "/faultline", "changes"});
    return test::run(words, options_);
  }
};

class OneChange : public Changes, public ::testing::WithParamInterface<Fault> {};

TEST_P(OneChange, UndoesTheFault) {
  const Fault& fault = GetParam();
  std::string source = kProgram;
  size_t at = source.find(fault.right);
  ASSERT_NE(at, std::string::npos);
  build(source, "right");
  source.replace(at, std::string(fault.right).size(), fault.wrong);
  build(source, "wrong");
  test::writeFile(dir_ / "in", "7 3 20 -4 63 12 51 50 0 2\n");
  auto right = test::run({"sh", "-c", "./right < in > expected"}, options_);
  ASSERT_EQ(right.status, 0) << right.err;
  auto got = ask({"--json", "--expect", "expected", "--stdin", "in", "--", "./wrong"});
  ASSERT_EQ(got.status, 0) << got.err << got.out;
  json document = json::parse(got.out);
  bool isFound = false;
  for (const json& change : document["changes"])
    isFound |=
        change["line"] == lineOf(source, fault.wrong) && change["text"] == fault.text && change["verified"];
  EXPECT_TRUE(isFound) << document["changes"].dump(1);
}

// Nobody writes `(flags & 2) >= 0`, nor `found = 2` where that is a bool.
TEST_F(Changes, WhatNobodyWouldWriteIsNotProposed) {
  build(R"(#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  unsigned flags = (unsigned)atoi(argv[1]);
  bool found = true;
  if ((flags & 2) != 0) found = false;
  if (flags > 0) puts("some");
  puts(found ? "yes" : "no");
  return 0;
}
)",
        "program");
  test::writeFile(dir_ / "expected", "some\nno\n");
  auto got = ask({"--json", "--expect", "expected", "--", "./program", "5"});
  ASSERT_EQ(got.status, 0) << got.err << got.out;
  std::set<std::string> texts;
  json document = json::parse(got.out);
  for (const json& change : document["changes"])
    if (change["line"] != 8 && change["line"] != 9) texts.insert(change["text"]);
  EXPECT_THAT(texts, ::testing::Contains("with 0 instead of 1"));
  EXPECT_THAT(texts, ::testing::Contains("with `==` instead of `!=`"));
  for (const char* absurd : {"with `>=` instead of `!=`", "with `<=` instead of `!=`", "with 2 instead of 1"})
    EXPECT_THAT(texts, ::testing::Not(::testing::Contains(absurd)));
}

INSTANTIATE_TEST_SUITE_P(
    Each, OneChange,
    ::testing::Values(Fault{"Comparison", "value >= low", "value > low", "with `>=` instead of `>`"},
                      Fault{"Operator", "(day + 3)", "(day - 3)", "with `+` instead of `-`"},
                      Fault{"NextTo", "sum * 33", "sum * 32", "with 33 instead of 32"},
                      Fault{"Start", "unsigned sum = 5", "unsigned sum = 4", "with 5 instead of 4"},
                      Fault{"Argument", "values[i], 3, 20", "values[i], 2, 20", "with 3 instead of 2"},
                      Fault{"Float", "sum / count", "sum * count", "with `/` instead of `*`"},
                      Fault{"Variable", "value >= low && value <= high", "value >= low && value <= low",
                            "with `high` instead of `low`"},
                      Fault{"Returned", "return -1;", "return -2;", "with -1 instead of -2"},
                      Fault{"Extra", "{ return (day + 3)", "{ day *= 2; return (day + 3)",
                            "if it were left out"}),
    [](const auto& info) { return info.param.name; });

// Masks, bits, letters, tens: what is likely to have been meant though it stands nowhere near.
TEST_F(Changes, ARelatedConstantWasMeant) {
  const std::string right = R"(#include <stdio.h>
static unsigned hash(const char* s) {
  unsigned h = 5;
  for (; *s; s++) h = h * 31 + (*s & 0xff);
  return h;
}
static int isOpen(unsigned mode) { return (mode & 0x10) != 0; }
static int perPage(int lines) { return lines * 60 / 7; }
static int isUpper(char c) { return c >= 'A'; }
int main(void) {
  puts(isOpen(19) ? "open" : "closed");
  printf("%u %d %d\n", hash("\xe4\xf6"), perPage(7), isUpper('Z') + isUpper('0'));
  return 0;
}
)";
  build(right, "right");
  ASSERT_EQ(test::run({"sh", "-c", "./right > expected"}, options_).status, 0);
  for (auto [meant, stands, text] : {std::tuple("& 0xff", "& 0x7f", "with 0xff instead of 0x7f"),
                                     std::tuple("& 0x10", "& 0x20", "with 0x10 instead of 0x20"),
                                     std::tuple("* 60", "* 600", "with 60 instead of 600"),
                                     std::tuple("'A'", "'a'", "with 'A' instead of 'a'")}) {
    std::string source = right;
    source.replace(source.find(meant), std::string(meant).size(), stands);
    build(source, "wrong");
    auto got = ask({"--json", "--expect", "expected", "--", "./wrong"});
    ASSERT_EQ(got.status, 0) << got.err << got.out;
    std::set<std::string> texts;
    json document = json::parse(got.out);
    for (const json& change : document["changes"])
      if (change["line"] == lineOf(source, stands) && change["verified"]) texts.insert(change["text"]);
    EXPECT_THAT(texts, ::testing::Contains(text)) << got.out;
  }
}

TEST_F(Changes, AnotherMemberWasMeant) {
  build(R"(#include <stdio.h>
struct box { int left, width, height; };
static int area(const struct box* b) {
  return b->width * b->width;
}
int main(void) {
  struct box all[] = {{0, 3, 4}, {1, 5, 7}};
  for (int i = 0; i < 2; i++) printf("%d\n", area(&all[i]));
  return 0;
}
)",
        "wrong");
  test::writeFile(dir_ / "expected", "12\n35\n");
  auto got = ask({"--json", "--expect", "expected", "--", "./wrong"});
  ASSERT_EQ(got.status, 0) << got.err;
  json document = json::parse(got.out);
  ASSERT_FALSE(document["changes"].empty());
  EXPECT_EQ(document["changes"][0]["line"], 4) << document.dump(1);
  EXPECT_EQ(document["changes"][0]["form"], "variable");
  EXPECT_EQ(document["changes"][0]["text"], "with `height` instead of `width`");
}

TEST_F(Changes, AnotherElementWasMeant) {
  build(R"(#include <stdio.h>
static int last(const int* from) {
  return *(from + 1) && !*(from + 1);
}
static int second(int n) {
  int row[4] = {n, n * n, n + 7, 0};
  return row[0];
}
static int rise(const int* v, int k) { return v[k] - v[k]; }
int main(void) {
  int list[] = {4, 9, 2, 5, 0, 0};
  for (int i = 0; list[i + 1]; i++) printf("%d %d\n", list[i], last(list + i));
  printf("%d %d\n", second(3), second(5));
  printf("%d %d\n", rise(list, 0), rise(list, 3));
  return 0;
}
)",
        "wrong");
  auto textAt = [&](const char* expected, int line) {
    test::writeFile(dir_ / "expected", expected);
    auto got = ask({"--json", "--expect", "expected", "--", "./wrong"});
    EXPECT_EQ(got.status, 0) << got.err << got.out;
    std::vector<std::string> texts;
    json document = json::parse(got.out);
    for (const json& change : document["changes"])
      if (change["line"] == line) texts.push_back(change["text"]);
    return texts;
  };
  EXPECT_THAT(textAt("4 0\n9 0\n2 1\n3 5\n0 0\n", 3), Contains("with 2 instead of 1 as the index"));
  EXPECT_THAT(textAt("4 0\n9 0\n2 0\n9 25\n0 0\n", 7), Contains("with 1 instead of 0 as the index"));
  EXPECT_THAT(textAt("4 0\n9 0\n2 0\n3 5\n5 -5\n", 9), Contains("if the index were one larger"));
}

// What is missing, and before which line it does: the words, or the empty string.
std::string insertedAt(const test::RunResult& got, int line) {
  json document = json::parse(got.out, nullptr, false);
  for (const json& change : document["changes"])
    if (change["form"] == "inserted" && change["line"] == line && change["verified"] && change["share"] == 1)
      return change["text"];
  return "";
}

const char* const kPages = R"(#include <stdio.h>
#include <stdlib.h>
struct page { int line, column, pages; };
static void put(struct page* p, char c) {
  putchar(c);
  p->column++;
}
static void end_line(struct page* p) {
  putchar('\n');
  p->line++;
  p->column = 0; // column
}
static void end_page(struct page* p) {
  puts("--");
  p->pages++; // pages
  p->line = 0;
}
int main(void) {
  struct page* p = calloc(1, sizeof *p);
  for (const char* at = "one day two men sat by the sea and sang all night long of ships and whales"; *at; at++) {
    put(p, *at);
    if (p->column >= 5 && *at == ' ') end_line(p);
    if (p->line == 2) end_page(p);
  }
  printf("\n%d pages\n", p->pages);
  return 0;
}
)";

TEST_F(Changes, AnAssignmentIsMissing) {
  for (auto [missing, before, text] :
       {std::tuple("  p->column = 0; // column\n", "p->line++;", "if `p->column = 0` came before it"),
        std::tuple("  p->pages++; // pages\n", "puts(", "if `p->pages++` came before it")}) {
    std::string source = kPages;
    build(source, "right");
    ASSERT_EQ(test::run({"sh", "-c", "./right > expected"}, options_).status, 0);
    source.erase(source.find(missing), std::string(missing).size());
    build(source, "wrong");
    auto got = ask({"--json", "--expect", "expected", "--", "./wrong"});
    ASSERT_EQ(got.status, 0) << got.err << got.out;
    EXPECT_EQ(insertedAt(got, lineOf(source, before)), text) << got.out;
  }
}

// The end of a gap is forgotten. A shorter word would do, too, but what was read is not the program's to set.
TEST_F(Changes, InputIsNotAssignedTo) {
  std::string source = test::readFile(FAULTLINE_SOURCE_DIR "/subjects/edit/edit.c");
  const std::string missing = "  b->gap_end = room - tail;\n";
  ASSERT_NE(source.find(missing), source.npos);
  build(source.erase(source.find(missing), missing.size()), "wrong");
  test::writeFile(dir_ / "in", "insert short\nwhere\ninsert and then something longer\nshow\n");
  auto got = ask({"--json", "--stdin", "in", "--", "./wrong"});
  ASSERT_EQ(got.status, 0) << got.err;
  json document = json::parse(got.out);
  size_t inserted = 0;
  for (const json& change : document["changes"]) {
    inserted += change["form"] == "inserted";
    EXPECT_EQ(change["text"].get<std::string>().find("if `*from = 0` came"), std::string::npos) << change;
  }
  EXPECT_GT(inserted, 0u) << got.out;
}

// A calculator with a stack: `r n` replaces what is on top, `m` is the place of the largest.
const char* const kStack = R"(#include <stdio.h>
#include <string.h>
struct stack { int items[16], used; };
static int changes;
static void push(struct stack* s, int n) { s->items[s->used++] = n; }
static void drop(struct stack* s) {
  if (s->used > 0) s->used--;
}
static int largest(const struct stack* s) {
  int at = 0, most = s->items[0];
  for (int k = 1; k < s->used; k++) {
    if (s->items[k] > most) {
      most = s->items[k];
      at = k; // place
    }
  }
  return at;
}
static void show(const struct stack* s) {
  printf("%d:", changes);
  for (int k = 0; k < s->used; k++) printf(" %d", s->items[k]);
  putchar('\n');
}
int main(void) {
  struct stack s = {{0}, 0};
  char what[8];
  int n;
  while (scanf("%7s", what) == 1) {
    changes++; // counted
    if (strcmp(what, "r") == 0) {
      if (scanf("%d", &n) != 1) return 1;
      drop(&s); // replaced
      push(&s, n);
      changes++;
    } else if (strcmp(what, "d") == 0) {
      drop(&s);
    } else if (strcmp(what, "m") == 0) {
      printf("largest: %d\n", largest(&s));
    } else {
      sscanf(what, "%d", &n);
      push(&s, n);
    }
    show(&s);
  }
  return 0;
}
)";

// Calls, assignments to variables without an address; a statement like it stands elsewhere, or none does.
TEST_F(Changes, AStatementIsMissing) {
  build(kStack, "right");
  test::writeFile(dir_ / "in", "4 7 r 9 2 d 5 11 3 m r 1 m d d m 8 m\n");
  ASSERT_EQ(test::run({"sh", "-c", "./right < in > expected"}, options_).status, 0);
  for (auto [missing, before, text] :
       {std::tuple("      drop(&s); // replaced\n", "push(&s, n);\n      changes++",
                   "if `drop(&s)` came before it"),
        std::tuple("      at = k; // place\n", "most = s->items[k];", "if `at = k` came after it"),
        std::tuple("    changes++; // counted\n", "if (strcmp(what, \"r\")",
                   "if `changes++` came before it")}) {
    std::string source = kStack;
    source.erase(source.find(missing), std::string(missing).size());
    build(source, "wrong");
    auto got = ask({"--json", "--expect", "expected", "--stdin", "in", "--", "./wrong"});
    ASSERT_EQ(got.status, 0) << got.err;
    EXPECT_EQ(insertedAt(got, lineOf(source, before)), text) << got.out;
  }
}

TEST_F(Changes, AStatementStandsAtTheWrongPlaceOrIsAnother) {
  build(kStack, "right");
  test::writeFile(dir_ / "in", "4 7 r 9 2 d 5 11 3 m r 1 m d d m 8 m\n");
  ASSERT_EQ(test::run({"sh", "-c", "./right < in > expected"}, options_).status, 0);
  struct Case {
    const char *right, *wrong, *at, *form, *text;
  };
  for (const Case& c :
       {Case{"      drop(&s); // replaced\n      push(&s, n);\n", "      push(&s, n);\n      drop(&s);\n",
             "push(&s, n);\n      drop", "moved", "if it came before line 34 instead"},
        Case{"      at = k; // place\n", "      at = most;\n", "at = most;", "replaced",
             "with `at = k` instead of `at = most`"}}) {
    std::string source = kStack;
    source.replace(source.find(c.right), std::string(c.right).size(), c.wrong);
    build(source, "wrong");
    auto got = ask({"--json", "--expect", "expected", "--stdin", "in", "--", "./wrong"});
    ASSERT_EQ(got.status, 0) << got.err;
    bool isFound = false;
    json document = json::parse(got.out);
    for (const json& change : document["changes"])
      isFound |= change["form"] == c.form && change["line"] == lineOf(source, c.at) &&
                 change["text"] == c.text && change["verified"];
    EXPECT_TRUE(isFound) << got.out;
  }
}

// The first way to pass is not to come to the assertion at all.
const char* const kAsserts = R"(#include <assert.h>
#include <stdio.h>
#include <string.h>
static int used, room = 4;
static char text[64];
static void grow(int n) {
  room = used + n - 1; // too small
}
static void put(const char* s) {
  int n = (int)strlen(s);
  if (n == 0) return;
  if (used + n > room) grow(n);
  assert(used + n <= room);
  memcpy(text + used, s, (size_t)n);
  used += n;
}
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) put(argv[i]);
  printf("%.*s\n", used, text);
  return 0;
}
)";

TEST_F(Changes, WhatMakesAnAssertionHoldComesBeforeWhatAvoidsIt) {
  std::string source = kAsserts;
  build(source, "wrong");
  auto got = ask({"--json", "--", "./wrong", "ab", "cd", "ef"});
  ASSERT_EQ(got.status, 0) << got.err << got.out;
  json document = json::parse(got.out);
  size_t place = 0, repaired = 0, avoided = 0;
  bool isBehind = false;
  for (const json& change : document["changes"]) {
    ++place;
    ASSERT_TRUE(change.contains("reaches_failure")) << change;
    bool isThrough = change["reaches_failure"] == 1;
    EXPECT_FALSE(isThrough && isBehind) << change; // those that come through are all in front
    isBehind |= !isThrough;
    if (isThrough && change["line"] == lineOf(source, "too small") && !repaired) repaired = place;
    if (!isThrough && change["line"] == lineOf(source, "i < argc") && !avoided) avoided = place;
  }
  EXPECT_GT(repaired, 0u) << got.out;
  EXPECT_GT(avoided, repaired) << got.out;
  auto told = ask({"--", "./wrong", "ab", "cd", "ef"});
  EXPECT_THAT(told.out, HasSubstr("without getting to where it failed)"));
}

// Left before what crashes, whenever the value is bad, and only then: 12 and 11 are printed as before.
TEST_F(Changes, AGuardIsMissing) {
  std::string source = R"(#include <stdio.h>
#include <string.h>
struct person { const char *name, *title; };
static int width(const struct person* p) {
  int n = (int)strlen(p->name);
  if (n > 9) return 1;
  n += (int)strlen(p->title) + 1;
  return n;
}
int main(void) {
  struct person all[] = {{"Ada", "Countess"}, {"Alan", "Doctor"}, {"Grace", NULL}, {"Edsger", "Doctor"}};
  for (int i = 0; i < 4; ++i) printf("%d\n", width(&all[i]));
  return 0;
}
)";
  build(source, "wrong");
  json document = json::parse(ask({"--json", "--", "./wrong"}).out);
  json guard;
  for (const json& change : document["changes"])
    if (change["form"] == "guard" && change["line"] == lineOf(source, "p->title")) guard = change;
  ASSERT_TRUE(guard.is_object()) << document.dump(2);
  EXPECT_EQ(guard["text"], "if `width` is left here when `p->title` is null, returning 1");
  EXPECT_EQ(guard["verified"], true);
  EXPECT_GT(document["stats"].value("guards_helped", 0), 0);
}

// Who calls it cannot do with what is returned instead.
TEST_F(Changes, AGuardThatDoesNotHelpIsNotTold) {
  std::string source = R"(#include <stdio.h>
struct person { const char *name; };
static const char* name(const struct person* p) {
  return p->name;
}
static void tell(const struct person* p) {
  const char* text = name(p);
  printf("%c\n", text[0]);
}
int main(void) {
  struct person ada = {"Ada"};
  tell(&ada);
  tell(NULL);
  return 0;
}
)";
  build(source, "wrong");
  json document = json::parse(ask({"--json", "--", "./wrong"}).out);
  bool isTold = false;
  for (const json& change : document["changes"]) {
    if (change["form"] != "guard") continue;
    EXPECT_NE(change["line"], lineOf(source, "return p->name")) << change;
    isTold |= change["text"] == "if `tell` is left here when `p` is null";
  }
  EXPECT_TRUE(isTold) << document.dump(2);
}

// What a right program does with bad input is to refuse it.
TEST_F(Changes, WhereTheRunCrashedToEndWithAStatusMayBeRight) {
  std::string source = R"(#include <stdio.h>
#include <stdlib.h>
static const char* slots[5] = {"north", "east", "south", "west"};
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    int n = atoi(argv[i]);
    if (n > 4) {
      fprintf(stderr, "there is no slot %d\n", n);
      return 2;
    }
    printf("%c\n", slots[n][0]);
  }
  return 0;
}
)";
  build(source, "wrong");
  auto helps = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", "--", "./wrong", "1", "4"});
    json document = json::parse(ask(arguments).out);
    for (const json& c : document["changes"])
      if (c["line"] == lineOf(source, "n > 4") && c["form"] == "comparison") return c;
    return json();
  };
  json refused = helps({});
  ASSERT_TRUE(refused.is_object());
  EXPECT_EQ(refused.value("ends_with_status", 0), 2);
  EXPECT_EQ(refused["verified"], true);
  EXPECT_EQ(refused["text"], "with `>=` instead of `>`");
  json right = helps({"--expect-status", "2"}); // and where that is right, it passes
  EXPECT_FALSE(right.contains("ends_with_status"));
  auto told = ask({"--lines", "50", "--", "./wrong", "1", "4"});
  EXPECT_THAT(told.out, HasSubstr("the run ends by itself (status 2) with `>=` instead"));
  EXPECT_THAT(told.out, HasSubstr("ended by themselves with another status"));
}

// Any status can be made right where it is returned; the complaint is still there.
TEST_F(Changes, WhatStillComplainsComesLast) {
  std::string source = R"(#include <stdio.h>
#include <string.h>
static int errors;
static void check(const char* word) {
  if (strlen(word) >= 3) { // should be > 3
    fprintf(stderr, "too long: %s\n", word);
    errors++;
  }
}
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) check(argv[i]);
  if (errors > 0) return 1;
  return 0;
}
)";
  build(source, "wrong");
  for (const char* method : {"rollback", "fresh"}) {
    auto got = ask({"--method", method, "--no-cache", "--json", "--", "./wrong", "a", "abc"});
    json document = json::parse(got.out);
    std::optional<bool> rule, status;
    for (const json& c : document["changes"]) {
      if (c["line"] == lineOf(source, "should be") && c["form"] == "comparison" && !rule)
        rule = c.value("complains", false);
      if (c["line"] == lineOf(source, "errors > 0") && !status) status = c.value("complains", false);
      if (status) EXPECT_TRUE(rule) << "the status is told before the rule";
    }
    EXPECT_EQ(rule, false) << method << got.out;
    EXPECT_EQ(status, true) << method << got.out;
  }
}

// A program that writes files cannot go back: each experiment is a process. Its way is known all the same.
TEST_F(Changes, ProcessesOfTheirOwnTellTheSameOfTheirWay) {
  build(kAsserts, "wrong");
  auto waysBy = [&](const char* method) {
    auto got = ask({"--json", "--no-cache", "--method", method, "--", "./wrong", "ab", "cd", "ef"});
    EXPECT_EQ(got.status, 0) << got.err << got.out;
    std::map<std::string, std::pair<double, double>> ways; // by place and change
    json document = json::parse(got.out);
    EXPECT_EQ(document["stats"]["fresh_runs"] > 0, std::string(method) == "fresh");
    for (const json& c : document["changes"])
      ways[c["line"].dump() + ":" + c["column"].dump() + c["text"].dump()] = {c["reaches_failure"],
                                                                              c["strays"]};
    return ways;
  };
  auto inOne = waysBy("rollback"), inMany = waysBy("fresh");
  ASSERT_GT(inOne.size(), 3u);
  EXPECT_EQ(inOne, inMany);
}

// Nothing that is written there makes the assertion hold: it is the count that is missing.
TEST_F(Changes, AnAssignmentIsMissingBeforeAnAssertion) {
  std::string source = R"(#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
struct job { int waits; struct job* next; };
static struct job *ready, *last;
static void wait_for(struct job* j, struct job* other) {
  other->next = j;
}
static void done(struct job* j) {
  if (!j->next) return;
  assert(j->next->waits > 0);
  if (--j->next->waits == 0) ready = j->next;
}
int main(void) {
  struct job *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
  last = a;
  wait_for(b, a);
  done(a);
  puts(ready ? "ready" : "none");
  return 0;
}
)";
  build(source, "wrong");
  auto got = ask({"--json", "--", "./wrong"});
  ASSERT_EQ(got.status, 0) << got.err << got.out;
  EXPECT_EQ(insertedAt(got, lineOf(source, "other->next = j;")), "if `j->next->waits = 1` came before it")
      << got.out;
}

TEST_F(Changes, ACallTooManyThatMayThrow) {
  test::writeFile(dir_ / "wrong.cpp", R"(#include <cstdio>
#include <map>
#include <string>
int main() {
  std::map<std::string, int> owed{{"ann", 3}, {"bob", 4}};
  std::string who = "ann";
  owed[who] += 2;
  owed.erase(who);
  std::printf("%zu\n", owed.size());
}
)");
  auto built = test::run({kBin + "/faultline-c++", "-g", "wrong.cpp", "-o", "wrong"}, options_);
  ASSERT_EQ(built.status, 0) << built.err;
  test::writeFile(dir_ / "expected", "2\n");
  auto got = ask({"--json", "--expect", "expected", "--", "./wrong"});
  ASSERT_EQ(got.status, 0) << got.err << got.out;
  json document = json::parse(got.out);
  bool isFound = false;
  for (const json& change : document["changes"])
    isFound |= change["line"] == 8 && change["form"] == "left-out" && change["verified"];
  EXPECT_TRUE(isFound) << document["changes"].dump(1);
}

// The line end comes too early: what was printed before it was too short.
TEST_F(Changes, TheTextBeforeTheWrongByteWasTooShort) {
  build(R"(#include <stdio.h>
#include <string.h>
static char shown[8];
static void keep(const char* text, int from) {
  strcpy(shown, text + from);
}
int main(int argc, char** argv) {
  double skip = argc;
  keep("stressed", (int)skip);
  fputs(shown, stdout);
  putchar('\n');
  return 0;
}
)",
        "wrong");
  test::writeFile(dir_ / "expected", "tressed!\n");
  EXPECT_EQ(ask({"--expect", "expected", "--", "./wrong"}).status, 3); // one byte too few whatever is done
  test::writeFile(dir_ / "expected", "ressed\n");
  auto got = ask({"--json", "--expect", "expected", "--", "./wrong"});
  ASSERT_EQ(got.status, 0) << got.err << got.out;
  json document = json::parse(got.out);
  bool isFound = false;
  for (const json& change : document["changes"])
    isFound |= change["line"] == 9 && change["text"] == "if its result were one larger";
  EXPECT_TRUE(isFound) << document["changes"].dump(1);
}

TEST_F(Changes, NothingSmallHelps) {
  build(R"(#include <stdio.h>
int main(void) {
  puts("hello");
  return 0;
}
)",
        "wrong");
  test::writeFile(dir_ / "expected", "something else altogether\n");
  auto got = ask({"--expect", "expected", "--", "./wrong"});
  EXPECT_EQ(got.status, 3) << got.err;
  EXPECT_THAT(got.out, HasSubstr("No single small change was found"));
}

TEST_F(Changes, WhatNeverEndsIsLeftBehind) {
  // Most changes of this loop run for ever.
  build(R"(#include <stdio.h>
int main(void) {
  unsigned n = 0;
  for (unsigned k = 10; k != 0; k--)
    n += k;
  printf("%u\n", n + 1);
  return 0;
}
)",
        "wrong");
  test::writeFile(dir_ / "expected", "55\n");
  auto got = ask({"--json", "--expect", "expected", "--", "./wrong"});
  ASSERT_EQ(got.status, 0) << got.err;
  json document = json::parse(got.out);
  EXPECT_EQ(document["changes"][0]["line"], 6) << document.dump(1);
  EXPECT_GT(document["stats"]["no_verdict"], 0);
}

// There is no 1 in `n++` that could be 2.
TEST_F(Changes, AStepIsNamedByItsOperator) {
  build(R"(#include <stdio.h>
int main(void) {
  int n = 0;
  for (int k = 0; k < 3; k += 1)
    n++;
  printf("%d\n", n);
  return 0;
}
)",
        "steps");
  test::writeFile(dir_ / "want", "6\n");
  test::RunResult got = test::run(
      {kBin + "/faultline", "changes", "--quiet", "--json", "--expect", "want", "--", "./steps"}, options_);
  ASSERT_EQ(got.status, 0) << got.err;
  std::vector<std::string> texts;
  json document = json::parse(got.out);
  for (const json& change : document["changes"])
    if (change["line"] == 5) texts.push_back(change["text"]);
  EXPECT_THAT(texts, ::testing::Contains("if `++` added 2"));
  EXPECT_THAT(texts, ::testing::Not(::testing::Contains("with 2 instead of 1")));
}

} // namespace
} // namespace faultline::cli

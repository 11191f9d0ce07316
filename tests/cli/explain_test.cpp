// faultline explain: one answer, on programs whose faults are known.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace faultline::cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBin = FAULTLINE_BIN_DIR;

class Explain : public ::testing::Test {
protected:
  test::TempDir dir_;
  test::RunOptions options_{.cwd = dir_.path(),
                            .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"XDG_DATA_HOME", dir_ / "data"}}};

  void build(const std::string& source) {
    test::writeFile(dir_ / "program.c", source);
    auto built = test::run({kBin + "/faultline-cc", "-g", "program.c", "-o", "program"}, options_);
    ASSERT_EQ(built.status, 0) << built.err;
  }
  test::RunResult run(std::vector<std::string> words) {
    words.insert(words.begin(), {kBin + "/faultline", "explain"});
    return test::run(words, options_);
  }
  json ask(std::vector<std::string> words) {
    words.insert(words.begin(), "--json");
    test::RunResult got = run(words);
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

json evidenceOf(const json& document, int line, const std::string& technique) {
  for (const json& s : document["suspects"])
    for (const json& e : s["evidence"])
      if (s["place"]["line"] == line && e["technique"] == technique) return e;
  return {};
}

// What the demo shows: the count is not lowered where an item is dropped, and the report walks beyond the
// items.
TEST_F(Explain, TheFaultOfTheDemoIsAmongTheFirst) {
  const std::string subject = FAULTLINE_SOURCE_DIR "/subjects/demo";
  for (const char* name : {"stock.c", "movements.txt"})
    std::filesystem::copy_file(subject + "/" + name, dir_ / name);
  ASSERT_EQ(test::run({kBin + "/faultline-cc", "-g", "stock.c", "-o", "program"}, options_).status, 0);
  json document = ask({"--", "./program", "movements.txt"});
  EXPECT_THAT(firstLines(document, 3), Contains(63));
  EXPECT_TRUE(evidenceOf(document, 62, "memory").is_null()) << "strcmp() reads no more than it needs";
}

// Each function asks what the one below gave, and gives that on: only the innermost says why it was refused.
TEST_F(Explain, WhoRefusedComesBeforeThoseThatPassItOn) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
static int inRange(long value) {
  if (value > 99) return 0;
  return 1;
}
static int readNumber(const char* text, long* value) {
  *value = strtol(text, NULL, 10);
  if (!inRange(*value)) return -1;
  return 0;
}
static int readAll(int count, char** texts, long* sum) {
  for (int i = 0; i < count; i++) {
    long value;
    if (readNumber(texts[i], &value) < 0) return 0;
    *sum += value;
  }
  return 1;
}
int main(int argc, char** argv) {
  long sum = 0;
  int status = 0;
  if (!readAll(argc - 1, argv + 1, &sum)) {
    status = 1;
  }
  if (status == 0) printf("%ld\n", sum);
  return status;
}
)");
  json document = ask({"--expect-status", "0", "--", "./program", "7", "100", "12"});
  EXPECT_THAT(firstLines(document, 1), ElementsAre(4)) << document["suspects"].dump(1);
}

// Who jumped away with the complaint comes before who was told so, and set the status; no option says that
// the status is wrong.
TEST_F(Explain, WhoJumpedAwayComesBeforeWhoWasTold) {
  build(R"(#include <setjmp.h>
#include <stdio.h>
static jmp_buf top;
static const char* message;
static void fail(const char* text) { message = text; longjmp(top, 1); }
static int number(const char** p) {
  int n = 0;
  if (**p < '0' || **p >= '9') fail("digit expected");
  while (**p >= '0' && **p <= '9') n = n * 10 + (*(*p)++ - '0');
  return n;
}
static int sum(const char** p) {
  int n = number(p);
  while (**p == '+') { ++*p; n += number(p); }
  return n;
}
int main(int argc, char** argv) {
  if (setjmp(top)) {
    fprintf(stderr, "error: %s\n", message);
    return 1;
  }
  const char* p = argv[1];
  printf("%d\n", sum(&p));
  return 0;
}
)");
  json document = ask({"--", "./program", "1+9"});
  EXPECT_THAT(firstLines(document, 1), ElementsAre(8)) << document["suspects"].dump(1);
}

TEST_F(Explain, WhoThrewComesBeforeWhoCaught) {
  test::writeFile(dir_ / "program.cpp", R"(#include <iostream>
#include <stdexcept>
#include <string>
static int number(const char*& p) {
  int n = 0;
  if (*p < '0' || *p >= '9')
    throw std::runtime_error(std::string("digit expected at ") + p);
  while (*p >= '0' && *p <= '9') n = n * 10 + (*p++ - '0');
  return n;
}
int main(int argc, char** argv) {
  try {
    const char* p = argv[1];
    int n = number(p);
    while (*p == '+') n += number(++p);
    std::cout << n << "\n";
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << "\n";
    return 1;
  }
  return 0;
}
)");
  auto built = test::run({kBin + "/faultline-c++", "-g", "program.cpp", "-o", "program"}, options_);
  ASSERT_EQ(built.status, 0) << built.err;
  json document = ask({"--", "./program", "1+9"});
  EXPECT_THAT(firstLines(document, 1), ElementsAre(6)) << document["suspects"].dump(1);
}

// In a log both streams are one; what was complained of is told from what was printed all the same.
TEST_F(Explain, AComplaintIsFoundWhereBothStreamsAreOne) {
  build(R"(#include <stdio.h>
#include <string.h>
static int check(const char* word) {
  if (strlen(word) > 3) {
    fprintf(stderr, "too long: %s\n", word);
    return 1;
  }
  return 0;
}
int main(int argc, char** argv) {
  int bad = 0;
  for (int i = 1; i < argc; i++)
    bad |= check(argv[i]);
  printf("%d words\n", argc - 1);
  return bad;
}
)");
  auto got =
      test::run({"/bin/sh", "-c", kBin + "/faultline explain -q -- ./program abc abcd 2>&1 | cat"}, options_);
  EXPECT_THAT(got.out, HasSubstr("complained on standard error"));
}

TEST_F(Explain, ARecordingThatIsCutOffIsNoRunThatPassed) {
  build("int main(void) { for (int volatile i = 0; i < 100000; i++) {} return 1; }\n");
  auto recorded = test::run({kBin + "/faultline", "record", "-o", "whole.flr", "--", "./program"}, options_);
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  const std::string whole = test::readFile(dir_ / "whole.flr");
  test::writeFile(dir_ / "cut.flr", whole.substr(0, whole.size() - 20));
  auto got = run({"cut.flr"});
  EXPECT_EQ(got.status, 1);
  EXPECT_THAT(got.err, HasSubstr("the recording is cut off"));
}

// The block is two bytes too small, which harms nobody; the sum is wrong for another reason.
TEST_F(Explain, AWriteThatFellOnNothingDoesNotHideTheFault) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  const char* name = "total";
  char* text = malloc(strlen(name) - 1);
  strcpy(text, name);
  int sum = 0, values[] = {3, 4, 5};
  for (int i = 0; i < 3; i++)
    sum = sum - values[i];
  printf("%s %d\n", text, sum);
  free(text);
  return 0;
}
)");
  test::writeFile(dir_ / "right", "total 12\n");
  json document = ask({"--expect", "right", "--", "./program"});
  EXPECT_THAT(firstLines(document, 1), ElementsAre(10));
  EXPECT_THAT(std::string(evidenceOf(document, 7, "memory")["text"]), HasSubstr("it fell on nothing there"));
}

// The run passes by any change that leads around the assertion: most of what there is does.
TEST_F(Explain, WhatLeadsAroundAnAssertionDoesNotHideTheFault) {
  build(R"(#include <assert.h>
#include <stdio.h>
#include <string.h>
static int used, room = 4;
static char text[64];
static void grow(int n) {
  room = used + n - 1; // the fault
}
static void put(const char* s) {
  int n = (int)strlen(s);
  if (n == 0) return;
  if (used + n > room) grow(n);
  assert(used + n <= room);
  memcpy(text + used, s, (size_t)n);
  used += n;
}
static void run(char* line) {
  char* rest = line + strcspn(line, " ");
  if (*rest) *rest++ = 0;
  if (strcmp(line, "put") == 0)
    put(rest);
  else if (strcmp(line, "show") == 0)
    printf("%.*s\n", used, text);
}
int main(void) {
  char line[80];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    run(line);
  }
  return 0;
}
)");
  test::writeFile(dir_ / "in", "put ab\nput cd\nshow\nput ef\nshow\n");
  json document = ask({"--stdin", "in", "--", "./program"});
  EXPECT_EQ(document["failure"]["kind"], "assertion");
  EXPECT_THAT(firstLines(document, 1), ElementsAre(7)) << document["suspects"];
  // Left out, it is passed by, and the evidence says so.
  EXPECT_THAT(evidenceOf(document, 27, "changes").value("text", ""),
              HasSubstr(", but never gets to where it failed"))
      << document["suspects"];
}

const char* const kCount = R"(#include <stdio.h>
int main(void) {
  int values[] = {4, 9, 2, 7, 9, 1}, most = 0, count = 0;
  for (int i = 0; i < 6; i++)
    if (values[i] > most)
      most = values[i];
  for (int i = 0; i < 6; i++) {
    if (values[i] > most)
      count++;
  }
  printf("%d times %d\n", count, most);
  return 0;
}
)";

TEST_F(Explain, AnAssignmentThatWasWronglyLeftOut) {
  build(kCount);
  test::writeFile(dir_ / "right", "1 times 9\n");
  json document = ask({"--expect", "right", "--", "./program"});
  EXPECT_THAT(firstLines(document, 2), Contains(8));
  const json& first = document["suspects"][0];
  EXPECT_EQ(first["rank"], 1);
  EXPECT_THAT(evidenceOf(document, 8, "critical").value("text", ""),
              HasSubstr("`values[i] > most` was false (values[i] = 1, most = 9)"));
  EXPECT_FALSE(first["evidence"].empty());
  EXPECT_EQ(document["technique"], "explain");
}

TEST_F(Explain, AWrongConstantOnTheWayToTheFailingValue) {
  build(R"(#include <assert.h>
static int scale(int n) {
  return n * 3;
}
int main(void) {
  int width = scale(4);
  int height = scale(2);
  int area = width * height;
  assert(area == 32);
  return 0;
}
)");
  json document = ask({"--", "./program"});
  EXPECT_THAT(firstLines(document, 3), Contains(3));
  EXPECT_NE(document["suspects"][0]["place"]["line"], 9); // the assertion itself is no news
}

// It says that something is wrong, and ends as if nothing were: nothing that it does has to do with its
// status.
TEST_F(Explain, AComplaintAfterWhichTheRunGoesOn) {
  build(R"(#include <stdio.h>
static int sum(FILE* f) {
  int c, s = 0;
  while ((c = getc(f)) != EOF) s += c;
  return s;
}
int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    FILE* f = fopen(argv[i], "r");
    if (f == NULL) {
      fprintf(stderr, "cannot open %s\n", argv[i]);
      continue;
    }
    printf("%d\n", sum(f));
    fclose(f);
  }
  return 0;
}
)");
  json document = ask({"--expect-status", "1", "--", "./program", "program.c", "missing"});
  EXPECT_THAT(firstLines(document, 3), ::testing::IsSupersetOf({10, 11})) << document["suspects"].dump(1);
  EXPECT_EQ(evidenceOf(document, 11, "complaint")["text"], "complained on standard error");
}

// What is printed was only copied; the line that named the text chose it.
TEST_F(Explain, ATextThatWasChosenWrongly) {
  build(R"(#include <stdio.h>
#include <string.h>
static void show(const char* kind) {
  char copy[32];
  char* to = copy;
  for (const char* p = kind; *p; ++p) *to++ = *p;
  *to = 0;
  printf("kind: %s\n", copy);
}
int main(int argc, char** argv) {
  const char* usual = "text/plain";
  show(argc > 1 ? argv[1] : usual);
  return 0;
}
)");
  test::writeFile(dir_ / "right", "kind: application\n");
  json document = ask({"--expect", "right", "--", "./program"});
  EXPECT_EQ(firstLines(document, 1), std::vector<int>{11}) << document["suspects"].dump(1);
  EXPECT_EQ(evidenceOf(document, 11, "text")["text"],
            "names \"text/plain\", from which the failing value was copied");
}

// A letter is missing in the list of options; what looks for it there is right.
TEST_F(Explain, ATextThatADecisionWasMadeBy) {
  build(R"(#include <stdio.h>
static int option(const char* word, const char* known) {
  const char* k = known;
  while (*k != word[1]) {
    if (*k == 0) return '?';
    k++;
  }
  return *k;
}
int main(int argc, char** argv) {
  int all = 0, count = 0;
  for (int i = 1; i < argc; i++)
    switch (option(argv[i], "ax")) {
    case 'a': all = 1; break;
    case 'n': count = 3; break;
    case 'x': break;
    default: return 2;
    }
  printf("%d\n", all + count);
  return 0;
}
)");
  test::writeFile(dir_ / "right", "4\n");
  json document = ask({"--expect", "right", "--", "./program", "-a", "-n"});
  EXPECT_THAT(firstLines(document, 5), ::testing::Contains(13)) << document["suspects"].dump(1);
  EXPECT_THAT(std::string(evidenceOf(document, 13, "text")["text"]),
              HasSubstr("names \"ax\", by which line"));
}

// The shorter way is chosen rightly, but does not do all that the longer one does.
TEST_F(Explain, WhatIsMissingUnderADecision) {
  build(R"(#include <stdio.h>
static int total, seen;
static void all(const int* v, int n) {
  for (int i = 0; i < n; i++) {
    total += v[i];
    seen++;
  }
}
static void add(const int* v, int n) {
  if (n == 1) {
    total += v[0];
    v++;
  } else {
    all(v, n);
  }
}
int main(void) {
  int one[] = {5}, three[] = {1, 2, 3};
  add(one, 1);
  add(three, 3);
  printf("%d of %d\n", total, seen);
  return 0;
}
)");
  test::writeFile(dir_ / "right", "11 of 4\n");
  json document = ask({"--expect", "right", "--", "./program"});
  EXPECT_EQ(evidenceOf(document, 11, "under")["text"],
            "executed because line 10 decided so, which repairs the run");
  EXPECT_TRUE(evidenceOf(document, 14, "under").is_null()) << "it was not executed because of that one";
  EXPECT_TRUE(evidenceOf(document, 20, "under").is_null()) << "it would have come there anyway";
  EXPECT_THAT(firstLines(document, 1), ElementsAre(10)) << document["suspects"].dump(1);
}

// A figure of two points is closed as if it had three; far from there its third point is used.
TEST_F(Explain, WhatDecidedThatAPointerIsNull) {
  build(R"(#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
struct point { int x; struct point* next; };
static void say(const char* format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
}
static struct point* tidy(struct point* first) {
  struct point *last = first, *more;
  while (last->next) last = last->next;
  if (first->x != last->x) {
    say("a figure that is open at %d: closed\n", last->x);
    if ((more = malloc(sizeof *more)) == NULL)
      return NULL;
    last->next = more;
    more->x = first->x;
    more->next = NULL;
  }
  return first;
}
static int third(const struct point* p) {
  int sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += p->x;
    p = p->next;
  }
  return sum + p->x;
}
int main(void) {
  struct point b = {7, NULL}, a = {3, &b};
  printf("%d\n", third(tidy(&a)));
  return 0;
}
)");
  json document = ask({"--", "./program"});
  EXPECT_EQ(evidenceOf(document, 14, "origin")["text"],
            "decided that line 20 was executed, which set the failing value");
  EXPECT_EQ(evidenceOf(document, 14, "complaint")["text"],
            "decided that line 15 was executed, which complained on standard error");
  EXPECT_TRUE(evidenceOf(document, 16, "origin").is_null()) << "whether memory came is nobody's decision";
  EXPECT_THAT(firstLines(document, 5), Contains(14)) << document["suspects"].dump(1);
}

// What it says goes through functions and a buffer of its own: the words are told where they were chosen.
TEST_F(Explain, AComplaintThroughABuffer) {
  build(R"(#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
static char pending[256];
static int used;
static void put(const char* s) {
  while (*s) pending[used++] = *s++;
}
static void flush(void) {
  if (used > 0) used -= (int)write(2, pending, (size_t)used);
}
static int refuse(const char* what) {
  put("program: ");
  put(what);
  put("\n");
  return 0;
}
static int check(int size) {
  if (size > 100) return refuse("that is too large for me");
  if (size < 1) return refuse("that is too small for me");
  return 1;
}
int main(int argc, char** argv) {
  int sum = 0;
  for (int i = 1; i < argc; i++) sum += check(argc);
  flush();
  printf("%d\n", sum);
  return argc > 102;
}
)");
  std::vector<std::string> words = {"--expect-status", "3", "--", "./program"};
  for (int k = 0; k < 100; ++k) words.push_back("x");
  json document = ask(words);
  EXPECT_EQ(evidenceOf(document, 19, "complaint")["text"], "complained on standard error")
      << document["suspects"].dump(1);
}

// It fails, says so, and nobody looks.
TEST_F(Explain, AResultThatNobodyLooksAt) {
  build(R"(#include <stdio.h>
static int copy(const char* name) {
  FILE* f = fopen(name, "r");
  if (!f) {
    fprintf(stderr, "cannot open %s\n", name);
    return -1;
  }
  fclose(f);
  return 0;
}
static int all(int count, char** names) {
  int failed = 0;
  for (int i = 0; i < count; i++)
    if (copy(names[i]) < 0) failed = 3;
  return failed;
}
int main(int argc, char** argv) {
  int quiet = 0;
  if (argc > 9) quiet = 1;
  all(argc - 1, argv + 1);
  if (!quiet) puts("done");
  return 0;
}
)");
  json document = ask({"--expect-status", "1", "--", "./program", "program.c", "missing"});
  EXPECT_EQ(firstLines(document, 1), std::vector<int>{20}) << document["suspects"].dump(1);
  EXPECT_EQ(evidenceOf(document, 20, "ignored")["text"],
            "gives 3 after line 5 has complained on standard error, and nobody looks at it");
}

TEST_F(Explain, AStatusThatIsAConstantOfTheWrongBranch) {
  build(R"(#include <string.h>
static int look(const char* word) {
  if (word[0] == '-')
    return 0;
  return 2;
}
static int last;
static int run(const char* word) {
  int status = look(word);
  last = status;
  return status;
}
int main(int argc, char** argv) {
  int status = 0;
  for (int i = 1; i < argc; i++) status = run(argv[i]);
  return last;
}
)");
  json document = ask({"--expect-status", "2", "--", "./program", "-x"});
  EXPECT_THAT(firstLines(document, 2), ::testing::Contains(3)) << document["suspects"].dump(1);
  EXPECT_EQ(evidenceOf(document, 3, "origin")["text"],
            "decided that line 4 was executed, which set the failing value");
}

// realloc() of nothing gives the block back.
const std::string kRoundsDown = R"(#include <stdlib.h>
struct buffer { char* bytes; size_t size, used; };
static void* again(void* old, size_t size) {
  void* made = realloc(old, size);
  return made ? made : old;
}
static void need(struct buffer* b, size_t more) {
  if (b->used + more >= b->size) {
    b->size = (b->used + more) & ~(size_t)1023;
    b->bytes = again(b->bytes, b->size);
  }
}
)";

TEST_F(Explain, ASizeThatIsRoundedDownToNothing) {
  build(kRoundsDown + R"(int main(void) {
  struct buffer b = {malloc(100), 100, 0};
  need(&b, 200);
  free(b.bytes);
  return 0;
}
)");
  json document = ask({"--", "./program"});
  EXPECT_THAT(firstLines(document, 3), ::testing::Contains(9)) << document["suspects"].dump(1);
  EXPECT_THAT(std::string(evidenceOf(document, 9, "memory-size")["text"]), HasSubstr("made the size of 0"));
}

// And the function that made the size is called by many, so that the callers are told of what it gives back.
TEST_F(Explain, WhatOthersAskForIsMadeByWhoRoundsIt) {
  build(kRoundsDown + R"(static void first(struct buffer* b) { need(b, 20); }
static void second(struct buffer* b) { need(b, 10); }
static void third(struct buffer* b) { need(b, 30); }
static void fourth(struct buffer* b) { need(b, 40); }
static void fifth(struct buffer* b) { need(b, 200); }
int main(void) {
  struct buffer b = {malloc(100), 100, 0};
  first(&b), second(&b), third(&b), fourth(&b), fifth(&b);
  free(b.bytes);
  return 0;
}
)");
  json document = ask({"--", "./program"});
  EXPECT_THAT(firstLines(document, 3), ::testing::Contains(9)) << document["suspects"].dump(1);
  EXPECT_THAT(std::string(evidenceOf(document, 9, "memory-size")["text"]), HasSubstr("made the size of 0"));
}

// What is right for this input says nothing of another; that it should not fail at all does.
TEST_F(Explain, TheSmallestInputOfAWrongStatus) {
  build(R"(#include <stdio.h>
int main(void) {
  int c, status = 0;
  while ((c = getchar()) != EOF)
    if (c == '%') status = 3;
  return status;
}
)");
  test::writeFile(dir_ / "in", "some text % and more");
  json one = ask({"--expect-status", "2", "--stdin", "in", "--", "./program"});
  EXPECT_FALSE(one.contains("smallest_input")) << one["smallest_input"].dump(1);
  json any = ask({"--expect-status", "0", "--stdin", "in", "--", "./program"});
  ASSERT_TRUE(any.contains("smallest_input"));
  EXPECT_EQ(any["smallest_input"]["inputs"][0]["after"], 1) << any["smallest_input"].dump(1);
}

TEST_F(Explain, ACrashByAPointerThatWasNotSet) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
struct list { int value; struct list *next; };
static struct list *last(struct list *l) {
  while (l->next)
    l = l->next;
  return l->next;
}
int main(void) {
  struct list b = {2, NULL}, a = {1, &b};
  struct list *end = last(&a);
  printf("%d\n", end->value);
  return 0;
}
)");
  json document = ask({"--", "./program"});
  EXPECT_THAT(firstLines(document, 4), Contains(7));
}

TEST_F(Explain, TheTestInALoopComesBeforeTheLoop) {
  build(R"(#include <stdio.h>
#include <string.h>
static char names[4][8];
static int counts[4], used;
static int find(const char *name) {
  for (int i = 0; i < used; i++)
    if (strncmp(names[i], name, 3) == 0)
      return i;
  strcpy(names[used], name);
  return used++;
}
int main(void) {
  const char *words[] = {"oak", "maple", "maples", "oak"};
  for (int i = 0; i < 4; i++)
    counts[find(words[i])]++;
  for (int i = 0; i < used; i++)
    printf("%s %d\n", names[i], counts[i]);
  return 0;
}
)");
  test::writeFile(dir_ / "right", "oak 2\nmaple 1\nmaples 1\n");
  json document = ask({"--expect", "right", "--", "./program"});
  EXPECT_THAT(firstLines(document, 1), Contains(7));
}

TEST_F(Explain, TheScreenHasSuspectsAndTheWayToTheFailure) {
  build(kCount);
  test::writeFile(dir_ / "right", "1 times 9\n");
  test::RunResult got = run({"--expect", "right", "--", "./program"});
  EXPECT_EQ(got.status, 0);
  EXPECT_THAT(got.out,
              AllOf(HasSubstr("Suspects"), HasSubstr("program.c:8"), HasSubstr("taken the other way"),
                    HasSubstr("From the first suspect to the failure")));
  EXPECT_THAT(got.out, Not(HasSubstr("\x1b[")));
  size_t from = 0;
  for (size_t end = got.out.find('\n'); end != std::string::npos;
       from = end + 1, end = got.out.find('\n', from))
    EXPECT_LE(end - from, 80u) << got.out.substr(from, end - from);
}

// What it says beside a kept verdict, it knows: --no-cache.
TEST_F(Explain, AskedAgainItGoesOnWhereItWasUnlessToldNotTo) {
  build(kCount);
  test::writeFile(dir_ / "right", "1 times 9\n");
  json first = ask({"--expect", "right", "--", "./program"});
  json again = ask({"--expect", "right", "--", "./program"});
  json anew = ask({"--no-cache", "--expect", "right", "--", "./program"});
  EXPECT_EQ(first["stats"]["critical"]["cached"], 0) << first["stats"].dump(1);
  EXPECT_GT(again["stats"]["critical"]["cached"], 0);
  EXPECT_EQ(anew["stats"]["critical"]["cached"], 0);
  EXPECT_EQ(first["suspects"], again["suspects"]);
  EXPECT_EQ(first["suspects"], anew["suspects"]);
}

TEST_F(Explain, TechniquesCanBeLeftOut) {
  build(kCount);
  test::writeFile(dir_ / "right", "1 times 9\n");
  const std::set<std::string> all{"invariants", "causes", "slice", "critical", "changes"};
  for (const std::string& left : all) {
    std::vector<std::string> words{"--expect", "right", "--", "./program"};
    for (const std::string& other : all)
      if (other != left) words.insert(words.begin(), {"--without", other});
    words.insert(words.begin(), {"--without", "memory"}); // there is nothing to be found
    json document = ask(words);
    EXPECT_FALSE(document["suspects"].empty()) << left;
    for (const json& s : document["suspects"])
      for (const json& e : s["evidence"]) EXPECT_EQ(e["technique"], left);
  }
}

const char* const kDepth = R"(#include <assert.h>
#include <stdio.h>
int main(void) {
  int c, depth = 0, words = 0;
  while ((c = getchar()) != EOF) {
    if (c == ' ')
      words++;
    if (c == '(')
      depth++;
    if (c == ')')
      depth--;
    assert(depth >= 0);
  }
  printf("%d\n", words);
  return 0;
}
)";

// Of a run that ends by itself what is right needs not be said, so that a smaller input can be judged.
TEST_F(Explain, TheSmallestInputIsToldAndNothingIsLeftBehind) {
  build(kDepth);
  test::writeFile(dir_ / "in", "(an apple) (a pear)) and so on\n");
  json document = ask({"--stdin", "in", "--", "./program"});
  ASSERT_TRUE(document.contains("smallest_input")) << document["caveats"].dump(1);
  const json& smallest = document["smallest_input"];
  EXPECT_EQ(smallest["one_minimal"], true);
  ASSERT_EQ(smallest["inputs"].size(), 1u);
  EXPECT_EQ(smallest["inputs"][0]["text"], "\")\"");
  EXPECT_EQ(smallest["inputs"][0]["before"], 31);
  EXPECT_EQ(smallest["inputs"][0]["written"], nullptr);
  // All of this by one variant.
  namespace fs = std::filesystem;
  EXPECT_EQ(
      std::distance(fs::directory_iterator(dir_ / "cache/faultline/variants"), fs::directory_iterator()), 1);
  EXPECT_FALSE(evidenceOf(document, 10, "chop").is_null()) << document["suspects"].dump(1);
  EXPECT_THAT(evidenceOf(document, 10, "critical").value("text", ""), HasSubstr("`c == 41` was true"));
  auto all = test::run({kBin + "/faultline", "critical", "--most", "40", "--stdin", "in", "--", "./program"},
                       options_);
  EXPECT_THAT(all.out, HasSubstr("`getchar() != -1` was true"));
  EXPECT_TRUE(evidenceOf(document, 7, "chop").is_null()); // counts words, of which there is none now
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
    files.insert(entry.path().filename());
  EXPECT_EQ(files, (std::set<std::string>{"cache", "data", "in", "program", "program.c"}));

  test::RunResult screen = run({"--stdin", "in", "--", "./program"});
  EXPECT_THAT(screen.out, HasSubstr("1 of 31 bytes of standard input fail in the same way: \")\""));
  EXPECT_FALSE(ask({"--without", "chop", "--stdin", "in", "--", "./program"}).contains("smallest_input"));
}

TEST_F(Explain, TheSmallestInputOfAFileThatAnArgumentNames) {
  std::string source = kDepth;
  source.replace(source.find("int main(void) {"), 16, "int main(int argc, char** argv) {");
  source.replace(source.find("  while"), 7, "  FILE* f = fopen(argv[1], \"r\");\n  while");
  source.replace(source.find("getchar()"), 9, "fgetc(f)");
  build(source);
  test::writeFile(dir_ / "in.txt", "(an apple) (a pear)) and so on\n");
  json document = ask({"--", "./program", "in.txt"});
  ASSERT_TRUE(document.contains("smallest_input")) << document["caveats"].dump(1);
  EXPECT_EQ(document["smallest_input"]["inputs"][0]["text"], "\")\"");
  EXPECT_FALSE(evidenceOf(document, 11, "chop").is_null());
}

// What is right for this input says nothing of another.
TEST_F(Explain, NoSmallerInputIsLookedForWhereItCouldNotBeJudged) {
  build(kDepth);
  test::writeFile(dir_ / "in", "(an apple) (a pear) and so on\n");
  test::writeFile(dir_ / "right", "7\n");
  json document = ask({"--expect", "right", "--stdin", "in", "--", "./program"});
  EXPECT_FALSE(document.contains("smallest_input"));
  for (const json& note : document["caveats"]) EXPECT_THAT(note, Not(HasSubstr("chop")));
}

TEST_F(Explain, AProgramThatDoesItRightSaysWhatIsExpected) {
  build(kDepth);
  ASSERT_EQ(test::run({"/bin/mv", "program", "right"}, options_).status, 0);
  std::string wrong = kDepth;
  wrong.replace(wrong.find("words++"), 7, "words += 1 + (depth > 1)");
  build(wrong);
  test::writeFile(dir_ / "in", "one (two (three four) five) six\n");
  json document = ask({"--reference", "./right", "--stdin", "in", "--", "./program"});
  EXPECT_EQ(document["failure"]["output"]["expected"], "5") << document["failure"].dump(1);
  EXPECT_THAT(firstLines(document, 3), Contains(7));
  EXPECT_EQ(document["smallest_input"]["inputs"][0]["text"], "\"(( \"");

  test::RunResult both = run({"--reference", "./right", "--expect", "in", "--", "./program"});
  EXPECT_EQ(both.status, 1);
  EXPECT_THAT(both.err, HasSubstr("leave out --expect"));
}

TEST_F(Explain, WhatHadToHoldSpeaksForTheLinesThatMadeIt) {
  build(R"(#include <assert.h>
static int scale(int n) {
  return n * 3;
}
int main(void) {
  int width = scale(4);
  int area = width * 2;
  assert(area == 16);
  return 0;
}
)");
  json document = ask({"--", "./program"});
  EXPECT_THAT(evidenceOf(document, 7, "invariants").value("text", ""), HasSubstr("`area != 16`"));
  EXPECT_THAT(evidenceOf(document, 6, "invariants").value("text", ""), HasSubstr("`width * 2 != 16`"));
}

TEST_F(Explain, AHangIsNotFollowedForEver) {
  // What it goes on with was made a billion instructions before.
  build(R"(int main(int argc, char** argv) {
  int step = argc - 1;
  for (int at = 0; at < 10;)
    at += step;
  return 0;
}
)");
  test::RunResult got = run({"--budget", "4", "--timeout", "1", "--", "./program"});
  EXPECT_THAT(got.status, ::testing::AnyOf(0, 3)) << got.err;
  EXPECT_THAT(got.out, AllOf(HasSubstr("Still running"), HasSubstr("note: "))) << got.err;
}

TEST_F(Explain, OfAStackThatRanOverTheRecursionIsFirst) {
  build(R"(#include <stdio.h>
static int expression(const char* text);
static int bracket(const char* text) {
  return text[0] == '(' ? expression(text) + 1 : 0;
}
static int expression(const char* text) {
  volatile char room[4096];
  room[0] = text[0];
  int depth = bracket(text);
  return depth;
}
int main(void) {
  printf("%d\n", expression("((1"));
  return 0;
}
)");
  json document = ask({"--budget", "10", "--", "./program"});
  EXPECT_EQ(document["failure"]["kind"], "stack-overflow");
  std::vector<int> lines;
  for (const json& s : document["suspects"])
    if (s["rank"] <= 2) lines.push_back(s["place"]["line"]);
  EXPECT_THAT(lines, ::testing::UnorderedElementsAre(4, 9)); // by which it calls itself again
}

TEST_F(Explain, ARunThatPassesNeedsNone) {
  build("int main(void) { return 0; }\n");
  EXPECT_EQ(run({"--", "./program"}).status, 2);
}

} // namespace
} // namespace faultline::cli

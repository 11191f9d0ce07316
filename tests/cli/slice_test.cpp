// `slice` and `origin` on programs with a known fault: which statements are found, and which are not.
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

class Slice : public ::testing::Test {
protected:
  RunResult faultline(std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), kBin + "/faultline");
    return run(
        words,
        {.cwd = dir.path(),
         .env = {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}, {"NO_COLOR", "1"}},
         .input = input});
  }
  void build(const std::string& source, bool cpp = false) {
    std::string file = cpp ? "p.cpp" : "p.c";
    writeFile(dir / file, source);
    RunResult built =
        run({kBin + (cpp ? "/faultline-c++" : "/faultline-cc"), "-g", file, "-o", "p", "-lpthread"},
            {.cwd = dir.path()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  void record(std::vector<std::string> arguments = {}, const std::string& input = "") {
    writeFile(dir / "in", input);
    std::vector<std::string> words = {"record", "-q", "--pass-status", "-o", "p.flr", "--stdin", "in",
                                      "--",     "./p"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    faultline(words);
  }
  json ask(std::vector<std::string> words) {
    words.insert(words.begin() + 1, "--json");
    words.push_back("p.flr");
    RunResult answer = faultline(words);
    EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
    return json::parse(answer.out, nullptr, false);
  }
  static std::set<int> lines(const json& document, const char* relation = nullptr) {
    std::set<int> found;
    for (const json& s : document["statements"])
      if (!s["library"] && (!relation || s["relation"] == relation)) found.insert(int(s["line"]));
    return found;
  }
  static json statement(const json& document, int line) {
    for (const json& s : document["statements"])
      if (s["line"] == line) return s;
    return {};
  }
  static std::set<std::string> sources(const json& document) {
    std::set<std::string> found;
    for (const json& s : document["sources"]) found.insert(std::string(s["text"]));
    return found;
  }

  TempDir dir;
};

constexpr const char* kList = R"(#include <stdio.h>
#include <stdlib.h>
struct node { int v; struct node *next; };
static struct node *push(struct node *head, int v) {
  struct node *n = malloc(sizeof *n);
  n->v = v;
  n->next = head;
  return n;
}
static int limit = 5;
static int sum(struct node *n, int *count) {
  int s = 0;
  while (n) {
    if (n->v > limit)
      s += n->v;
    ++*count;
    n = n->next;
  }
  return s;
}
int main(void) {
  struct node *head = NULL;
  int unrelated = 0;
  for (int i = 0; i < 10; i++) {
    head = push(head, i * 2);
    unrelated += i;
  }
  int count = 0;
  int s = sum(head, &count);
  int *p = s > 50 ? NULL : &s;
  printf("%d %d\n", unrelated, count);
  *p = 3;
  return 0;
}
)";

TEST_F(Slice, OfACrashHasWhatLedToThePointerAndNothingElse) {
  build(kList);
  record();
  json slice = ask({"slice"});
  EXPECT_THAT(lines(slice), IsSupersetOf({5, 6, 7, 8, 12, 13, 14, 15, 17, 19, 24, 25, 29, 30, 32}));
  // What was only counted or printed did not matter.
  for (int line : {16, 23, 26, 28, 31}) EXPECT_THAT(lines(slice), Not(Contains(line)));
  // Seven nodes were greater than the limit; the walk stops at the last of them.
  EXPECT_EQ(statement(slice, 15)["instances"], 7);
  EXPECT_EQ(statement(slice, 15)["value"]["text"], "84");
  EXPECT_EQ(statement(slice, 14)["relation"], "control");
  EXPECT_TRUE(statement(slice, 30)["thin"]);
  EXPECT_FALSE(statement(slice, 13)["thin"]);
  EXPECT_THAT(sources(slice), Contains("the initial value of limit"));
}

TEST_F(Slice, CanBeAskedForAVariableAtALine) {
  build(kList);
  record();
  json slice = ask({"slice", "--data", "--at", "p.c:31:count"});
  EXPECT_EQ(lines(slice), (std::set<int>{16, 28, 31}));
  EXPECT_EQ(statement(slice, 16)["instances"], 10);
  // The third time that the line was executed.
  json third = ask({"slice", "--data", "--at", "p.c:15:s", "--execution", "3"});
  EXPECT_EQ(statement(third, 15)["instances"], 3);
}

TEST_F(Slice, StopsAtFunctionsAndAtALimit) {
  build(kList);
  record();
  json stopped = ask({"slice", "--stop", "sum"});
  EXPECT_THAT(lines(stopped), Not(Contains(15)));
  EXPECT_THAT(lines(stopped), Contains(29));
  json bounded = ask({"slice", "--steps", "20"});
  EXPECT_FALSE(bounded["caveats"].empty());
  EXPECT_LT(lines(bounded).size(), 12u);
}

constexpr const char* kOmission = R"(#include <stdlib.h>
#include <string.h>
static int discount = 0;
static int price(int qty, int vip) {
  if (vip && qty > 10)
    discount = 5;
  return qty * 3 - discount;
}
int main(int argc, char **argv) {
  int p = price(10, argc > 1);
  if (p != 25)
    abort();
  return 0;
}
)";

// The fault is the comparison in line 5, which should be >=: the assignment was not executed, so that only a
// relevant slice has it.
TEST_F(Slice, ARelevantOneHasTheDecisionThatLeftSomethingOut) {
  build(kOmission);
  record({"vip"});
  EXPECT_THAT(lines(ask({"slice"})), Not(Contains(5)));
  json relevant = ask({"slice", "--relevant"});
  EXPECT_THAT(lines(relevant), Contains(5));
  EXPECT_EQ(statement(relevant, 5)["relation"], "potential");
}

constexpr const char* kInput = R"(#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int a, b, c = 0;
  char text[32], line[32];
  if (!fgets(line, sizeof line, stdin) || sscanf(line, "%d %d", &a, &b) != 2)
    return 1;
  int unrelated = b + 1;
  int scaled = a * 10;
  snprintf(text, sizeof text, "%d/%d", scaled, unrelated);
  for (int i = 0; i < a; i++)
    c++;
  if (scaled == 70)
    abort();
  puts(text);
  return 0;
}
)";

TEST_F(Slice, LeadsToTheBytesOfTheInput) {
  build(kInput);
  record({}, "7 12\n");
  json slice = ask({"slice"});
  EXPECT_THAT(sources(slice), Contains(HasSubstr("standard input")));
  EXPECT_THAT(lines(slice), IsSupersetOf({6, 9, 13}));
  for (int line : {8, 10, 12}) EXPECT_THAT(lines(slice), Not(Contains(line)));
}

TEST_F(Slice, ForwardsFollowsInputBytes) {
  build(kInput);
  record({}, "7 12\n");
  // How many numbers were read decides whether the program goes on: with decisions, all of it follows.
  EXPECT_THAT(lines(ask({"slice", "--forward", "stdin:2"})), IsSupersetOf({8, 9, 12}));
  json first = ask({"slice", "--data", "--forward", "stdin:0"});
  EXPECT_THAT(lines(first), IsSupersetOf({9, 10, 11, 13}));
  EXPECT_THAT(lines(first), Not(Contains(8)));
  json second = ask({"slice", "--data", "--forward", "stdin:2-3"});
  EXPECT_THAT(lines(second), IsSupersetOf({8, 10}));
  for (int line : {9, 11, 12}) EXPECT_THAT(lines(second), Not(Contains(line)));
}

TEST_F(Slice, NamesTheFileThatBytesWereReadFrom) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  int first = fgetc(in), second = fgetc(in);
  if (second == 'b')
    abort();
  return first;
}
)");
  writeFile(dir / "data.txt", "abc");
  record({"data.txt"});
  EXPECT_THAT(sources(ask({"slice", "--data", "--at", "p.c:6"})), Contains("byte 1 of data.txt"));
}

TEST_F(Slice, ForwardsFromAnArgument) {
  build(R"(#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int m = atoi(argv[2]);
  int k = n * 2;
  return k == m;
}
)");
  record({"4", "8"});
  json one = ask({"slice", "--forward", "argv[1]"});
  EXPECT_THAT(lines(one), IsSupersetOf({3, 5, 6}));
  EXPECT_THAT(lines(one), Not(Contains(4)));
}

TEST_F(Slice, OfAWrongOutputStartsFromTheArgumentThatWasPrinted) {
  build(kInput);
  writeFile(dir / "right", "80/13\n");
  writeFile(dir / "in", "6 12\n");
  RunResult answer = faultline({"slice", "--json", "--expect", "right", "--stdin", "in", "--", "./p"});
  ASSERT_EQ(answer.status, 0) << answer.out << answer.err;
  json slice = json::parse(answer.out);
  EXPECT_THAT(lines(slice), IsSupersetOf({6, 9, 10}));
  EXPECT_THAT(lines(slice), Not(Contains(8)));
}

// What is wrong is where the newline stands, so how much the call before it wrote is of interest.
TEST_F(Slice, OfAByteThatCameTooEarlyHasHowMuchWasPrintedBefore) {
  build(R"(#include <stdio.h>
#include <string.h>
int main(void) {
  const char* text = "abcd";
  unsigned long size = strlen(text);
  size = size - 1;
  fwrite(text, 1, size, stdout);
  putchar('\n');
  return 0;
}
)");
  writeFile(dir / "right", "abcd\n");
  faultline({"record", "-q", "-o", "p.flr", "--expect", "right", "--", "./p"});
  EXPECT_THAT(lines(ask({"slice"})), IsSupersetOf({5, 6, 7}));
  EXPECT_THAT(lines(ask({"slice", "--data"})), Not(Contains(6)));
}

// The newline of the format is right; the number before it is too short.
TEST_F(Slice, OfAFormatAfterAShortFieldStartsFromTheField) {
  build(R"(#include <stdio.h>
int main(int argc, char** argv) {
  int n = argc + 11;
  n = n / 10;
  printf("n=%d\n", n);
  return argv == 0;
}
)");
  writeFile(dir / "right", "n=12\n");
  faultline({"record", "-q", "-o", "p.flr", "--expect", "right", "--", "./p"});
  EXPECT_THAT(lines(ask({"slice", "--data"})), IsSupersetOf({3, 4}));
}

TEST_F(Slice, ARelevantOneHasTheDecisionThatLeftSomethingUnprinted) {
  build(R"(#include <stdio.h>
int main(int argc, char** argv) {
  int x = argc - 4;
  if (x > 100) puts("large");
  printf("x=");
  if (x < -5) putchar('-');
  printf("%d\n", x < 0 ? -x : x);
  return argv == 0;
}
)");
  writeFile(dir / "right", "x=-3\n");
  faultline({"record", "-q", "-o", "p.flr", "--expect", "right", "--", "./p"});
  EXPECT_THAT(lines(ask({"slice"})), Not(Contains(6)));
  std::set<int> relevant = lines(ask({"slice", "--relevant"}), "potential");
  EXPECT_THAT(relevant, Contains(6));
  EXPECT_THAT(relevant, Not(Contains(4))); // "x=" was right: what was decided before it does not matter
}

TEST_F(Slice, GoesThroughThreadsAndVariableArguments) {
  build(R"(#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
static int add(int n, ...) {
  va_list list;
  va_start(list, n);
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += va_arg(list, int);
  va_end(list);
  return sum;
}
static void *work(void *p) {
  int *cell = p;
  *cell = add(3, *cell, 20, 30);
  return NULL;
}
int main(void) {
  int first = 7, other = 9;
  int cell = first + 1;
  other++;
  pthread_t thread;
  pthread_create(&thread, NULL, work, &cell);
  pthread_join(thread, NULL);
  if (cell == 58)
    abort();
  return other;
}
)");
  record();
  json slice = ask({"slice"});
  EXPECT_THAT(lines(slice), IsSupersetOf({7, 9, 11, 15, 19, 20, 23, 25}));
  EXPECT_THAT(lines(slice), Not(Contains(21)));
}

TEST_F(Slice, GoesThroughExceptionsAndCallbacks) {
  build(R"(#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>
static int factor = 3;
static int check(int v) {
  if (v > 4)
    throw std::runtime_error("large");
  return v * factor;
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main() {
  int values[] = {5, 1, 3};
  int unused = 4;
  qsort(values, 3, sizeof(int), compare);
  int result = 0;
  try {
    result = check(values[2]);
  } catch (std::exception &e) {
    result = -1;
  }
  unused *= 2;
  if (result < 0)
    abort();
  return unused;
}
)",
        true);
  record();
  json slice = ask({"slice"});
  EXPECT_THAT(lines(slice), IsSupersetOf({7, 8, 11, 13, 15, 18, 20, 23}));
  for (int line : {14, 22}) EXPECT_THAT(lines(slice), Not(Contains(line)));
}

TEST_F(Slice, KeepsTheBitsOfABitFieldApart) {
  build(R"(#include <stdlib.h>
struct flags { unsigned kind : 4, level : 6, mark : 1; };
static struct flags f;
int main(void) {
  f.kind = 3;
  f.level = 17;
  f.mark = 1;
  if (f.level > 10)
    abort();
  return 0;
}
)");
  record();
  json slice = ask({"slice"});
  // Line 7 writes the bits of `level` back as they were; line 5 set others.
  EXPECT_THAT(lines(slice), IsSupersetOf({6, 8}));
  for (int line : {5, 7}) EXPECT_THAT(lines(slice), Not(Contains(line)));
}

TEST_F(Slice, AFieldIsAskedForWithoutItsNeighboursAlsoOfALocal) {
  build(R"(#include <stdlib.h>
struct flags { unsigned kind : 4; int level : 6; unsigned mark : 1; };
static void see(struct flags *p) { if (!p->mark) abort(); }
int main(int argc, char **argv) {
  struct flags f = {0, 0, 0}, g = {0, 0, 0};
  int n = atoi(argv[1]);
  g.level = n;
  g.kind = argc;
  f.level = g.level - 1;
  f.kind = 3;
  f.mark = argc > 1;
  f.level += 2;
  f.mark = g.kind == 9;
  see(&f);
  return f.level;
}
)");
  record({"7"});
  std::set<int> level = lines(ask({"slice", "--data", "--at", "p.c:13:f.level"}));
  EXPECT_THAT(level, IsSupersetOf({6, 7, 9, 12}));
  for (int line : {8, 10, 11, 13}) EXPECT_THAT(level, Not(Contains(line)));
  std::set<int> mark = lines(ask({"slice", "--data", "--at", "p.c:13:f.mark"}));
  EXPECT_THAT(mark, IsSupersetOf({8, 13}));
  for (int line : {6, 7, 9, 10, 11, 12}) EXPECT_THAT(mark, Not(Contains(line)));
  json origin = ask({"origin", "--at", "p.c:13:f.level"});
  EXPECT_THAT(origin.dump(), HasSubstr("atoi"));
  EXPECT_THAT(origin.dump(), Not(HasSubstr("\"line\":13,")));
  std::set<int> forward = lines(ask({"slice", "--data", "--forward", "argv[1]"}));
  EXPECT_THAT(forward, IsSupersetOf({6, 7, 9, 12}));
  for (int line : {3, 8, 10, 11, 13}) EXPECT_THAT(forward, Not(Contains(line)));
}

TEST_F(Slice, EachConversionOfScanfReadsItsOwnBytes) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int width, height;
  char name[8];
  if (scanf("%d x %d %7s", &width, &height, name) != 3)
    return 1;
  int area = 3 * height;
  int edge = width + 1;
  if (area > 100)
    abort();
  return edge;
}
)");
  record({}, "12 x 345 abc\n");
  EXPECT_THAT(sources(ask({"slice", "--data", "--at", "p.c:8"})),
              ::testing::ElementsAre("bytes 5-7 of standard input"));
  std::set<int> first = lines(ask({"slice", "--data", "--forward", "stdin:0"}));
  EXPECT_THAT(first, IsSupersetOf({6, 9}));
  for (int line : {8, 10}) EXPECT_THAT(first, Not(Contains(line)));
  std::set<int> second = lines(ask({"slice", "--data", "--forward", "stdin:5-7"}));
  EXPECT_THAT(second, IsSupersetOf({6, 8, 10}));
  EXPECT_THAT(second, Not(Contains(9)));
}

TEST_F(Slice, FloatingConstantsAreNoIntegersAmongVariableArguments) {
  build(R"(#include <stdarg.h>
#include <stdlib.h>
static double pick(int n, ...) {
  va_list list;
  va_start(list, n);
  double sum = va_arg(list, double);
  int third = va_arg(list, int);
  if (n > 5)
    sum += va_arg(list, double);
  va_end(list);
  return third;
}
int main(int argc, char **argv) {
  int wanted = argc + 6;
  int other = argc + 1;
  double more = argc / 2.0;
  if (pick(1, 2.5, wanted, more, other) == 7)
    abort();
  return other;
}
)");
  record();
  std::set<int> found = lines(ask({"slice", "--data", "--at", "p.c:11:third"}));
  EXPECT_THAT(found, IsSupersetOf({7, 14, 17}));
  for (int line : {15, 16}) EXPECT_THAT(found, Not(Contains(line)));
}

TEST_F(Slice, SaysWhichFunctionsItKnowsNoModelOfAndTakesOne) {
  build(R"(#include <stdlib.h>
int main(void) {
  long n = a64l("z1");
  int cores = n > 0 ? 1 : 2;
  if (cores)
    abort();
  return 0;
}
)");
  record();
  json without = ask({"slice"});
  EXPECT_THAT(without["caveats"].dump(), HasSubstr("a64l"));
  writeFile(dir / "own.models", "a64l(s): result <- s[z(s)]\n");
  json with = ask({"slice", "--models", "own.models"});
  EXPECT_THAT(with["caveats"].dump(), Not(HasSubstr("a64l")));
}

TEST_F(Slice, OfAHangHasWhatKeepsTheLoopGoingWithinItsBudget) {
  build(R"(static int next(int v) { return v == 3 ? 3 : v + 1; }
int main(void) {
  int v = 0, unrelated = 0;
  while (v != 10) {
    v = next(v);
    unrelated += 2;
  }
  return unrelated;
}
)");
  RunResult answer = faultline({"slice", "--json", "--timeout", "0.2", "--budget", "0.5", "--", "./p"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  json slice = json::parse(answer.out);
  EXPECT_EQ(slice["failure"]["kind"], "hang");
  EXPECT_THAT(lines(slice), IsSupersetOf({1, 4, 5}));
  EXPECT_THAT(lines(slice), Not(Contains(6)));
}

TEST_F(Slice, OfAWrongStatus) {
  build(R"(int main(void) {
  int errors = 0, other = 0;
  for (int i = 0; i < 5; i++) {
    if (i == 3)
      errors++;
    other++;
  }
  return errors;
}
)");
  RunResult answer = faultline({"slice", "--json", "--expect-status", "0", "--", "./p"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  json slice = json::parse(answer.out);
  EXPECT_THAT(lines(slice), IsSupersetOf({2, 3, 4, 5, 8}));
  EXPECT_THAT(lines(slice), Not(Contains(6)));
}

constexpr const char* kHandled = R"(#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct entry { int size; const char *name; };
static struct entry table[3] = {{4, "one"}, {3, "two"}};
static void die(int status) {
  write(2, "program error\n", 14);
  _exit(status);
}
static void onSegv(int signal) {
  if (signal == SIGSEGV)
    die(2);
}
static const char *nameOf(int n) {
  struct entry *e = &table[n];
  return e->name;
}
int main(int argc, char **argv) {
  signal(SIGSEGV, onSegv);
  int unrelated = atoi(argv[1]);
  int n = atoi(argv[2]);
  const char *name = nameOf(n);
  printf("%d\n", unrelated);
  return unrelated > 5 ? name[0] : (int)strlen(name);
}
)";

TEST_F(Slice, OfAFaultThatAHandlerTookStartsFromTheFault) {
  build(kHandled);
  for (const char* way : {"7", "3"}) { // in the program itself, in a library call
    record({way, "2"});
    json slice = ask({"slice"});
    int failing = 26;
    EXPECT_EQ(slice["failure"]["place"]["line"], failing) << slice.dump(1);
    EXPECT_EQ(slice["failure"]["kind"], "crash");
    EXPECT_THAT(slice["caveats"].dump(), HasSubstr("handler of its own for SIGSEGV"));
    EXPECT_THAT(lines(slice), IsSupersetOf({23, 17, 18, 24}));
    for (int handler : {9, 10, 13, 14, 21}) EXPECT_THAT(lines(slice), Not(Contains(handler)));
    json causes = ask({"causes"});
    std::set<int> found;
    for (const json& node : causes["nodes"])
      for (const json& s : node["statements"]) found.insert(int(s["line"]));
    EXPECT_THAT(found, IsSupersetOf({23, 24})) << causes.dump(1);
    EXPECT_THAT(found, Not(Contains(14)));
  }
}

TEST_F(Slice, AsAGraph) {
  build(kOmission);
  record({"vip"});
  RunResult dot = faultline({"slice", "--dot", "p.flr"});
  EXPECT_EQ(dot.status, 0);
  EXPECT_THAT(dot.out, HasSubstr("digraph"));
  EXPECT_THAT(dot.out, HasSubstr("->"));
}

// ---- origin

TEST_F(Slice, AnOriginIsAChainOfAssignmentsToItsSource) {
  build(kInput);
  record({}, "7 12\n");
  json origin = ask({"origin", "--at", "p.c:13:text"});
  std::vector<int> steps;
  for (const json& s : origin["steps"]) steps.push_back(int(s["line"]));
  EXPECT_THAT(steps, IsSupersetOf({10, 9, 8, 6}));
  EXPECT_EQ(origin["steps"][0]["line"], 10);
  EXPECT_THAT(origin["steps"][0]["how"], HasSubstr("snprintf"));
  EXPECT_EQ(origin["value"]["text"], "\"70/13\"");
  EXPECT_THAT(origin["sources"].dump(), HasSubstr("standard input"));
}

TEST_F(Slice, AnOriginPassesThroughCallsAndReturns) {
  build(R"(#include <stdlib.h>
static int twice(int v) { return v * 2; }
static int relay(int v) {
  int kept = twice(v);
  return kept;
}
int main(void) {
  int seed = 21;
  int *p = relay(seed) == 42 ? NULL : &seed;
  int answer = relay(seed);
  return *p + answer;
}
)");
  record();
  json origin = ask({"origin", "--value", "answer"});
  std::vector<std::string> how;
  for (const json& s : origin["steps"]) how.push_back(std::string(s["how"]));
  EXPECT_THAT(how, Contains(HasSubstr("returned by relay()")));
  EXPECT_THAT(how, Contains(HasSubstr("returned by twice()")));
  EXPECT_THAT(how, Contains(HasSubstr("passed to relay()")));
  EXPECT_EQ(origin["steps"].back()["value"]["text"], "21");
  EXPECT_EQ(origin["steps"].back()["line"], 8);
}

// ---- the index

TEST_F(Slice, AnInstanceKnowsWhatItIsNestedIn) {
  build(R"(#include <stdlib.h>
static int check(int v) {
  if (v > 2)
    abort();
  return v;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++) {
    int k = 0;
    while (k < 5 && sum < 100) {
      sum += check(i);
      k++;
    }
  }
  return sum;
}
)");
  record();
  json shown = ask({"show", "--index"});
  std::vector<std::pair<std::string, int>> levels;
  for (const json& l : shown["index"]) levels.push_back({l["kind"], l["place"]["line"]});
  EXPECT_THAT(levels, ::testing::ElementsAre(std::pair("loop", 9), std::pair("branch", 11),
                                             std::pair("call", 12), std::pair("branch", 3)));
  EXPECT_EQ(shown["index"][0]["round"], 4);
}

// ---- wrong uses

TEST_F(Slice, WrongUsesGiveOneLine) {
  build(kOmission);
  record({"vip"});
  auto fails = [&](std::vector<std::string> words, const char* text) {
    words.push_back("p.flr");
    RunResult answer = faultline(words);
    EXPECT_EQ(answer.status, 1) << answer.out;
    EXPECT_THAT(answer.err, HasSubstr(text));
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
  };
  fails({"slice", "--at", "p.c:999"}, "no code stands at");
  fails({"slice", "--at", "p.c:6"}, "never executed");
  fails({"slice", "--at", "p.c:7:nothing"}, "nothing");
  fails({"slice", "--at", "p.c:7", "--execution", "5"}, "not executed 5 times");
  fails({"slice", "--forward", "stdin:1-2"}, "stdin");
  fails({"slice", "--models", "none.models"}, "none.models");
  fails({"origin", "--value", "p +"}, "'+' is not understood");
}

TEST_F(Slice, ARunThatDidNotFailHasNoFailureToAskAbout) {
  build("int main(void) { return 0; }\n");
  record();
  RunResult answer = faultline({"slice", "p.flr"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.out, HasSubstr("did not fail"));
}

} // namespace
} // namespace faultline::test

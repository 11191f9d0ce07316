// `critical` on programs with a known fault: which decision is found, and where there is none.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBin = FAULTLINE_BIN_DIR;

class Critical : public ::testing::Test {
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
    RunResult built = run({kBin + "/faultline-cc", "-g", "p.c", "-o", "p", "-lpthread"}, {.cwd = dir.path()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  json ask(std::vector<std::string> words, int status = 0) {
    words.insert(words.begin(), {"critical", "--json"});
    RunResult answer = faultline(words);
    EXPECT_EQ(answer.status, status) << answer.out << answer.err;
    return json::parse(answer.out, nullptr, false);
  }
  static std::vector<int> lines(const json& document) {
    std::vector<int> out;
    for (const json& p : document["predicates"]) {
      out.push_back(int(p["line"]));
      EXPECT_TRUE(p["verified"]) << p;
    }
    return out;
  }
  TempDir dir;
};

// Line 5 leaves 7 out.
const char* const kSum = R"(#include <stdio.h>
#include <stdlib.h>
static int sum(int n, char** v) {
  int total = 0;
  for (int k = 1; k < n; k++) if (atoi(v[k]) != 7)
    total += atoi(v[k]);
  return total;
}
int main(int argc, char** argv) { printf("%d\n", sum(argc, argv)); return 0; }
)";

TEST_F(Critical, FindsTheDecisionThatLeftSomethingOut) {
  build(kSum);
  writeFile(dir / "right", "15\n");
  json answer = ask({"--expect", "right", "--", "./p", "3", "7", "5"});
  EXPECT_THAT(lines(answer), ElementsAre(5));
  EXPECT_EQ(answer["predicates"][0]["condition"], "atoi() != 7");
  EXPECT_EQ(answer["predicates"][0]["taken"], "false");
  EXPECT_EQ(answer["stats"]["method"], "in one process");
  EXPECT_GT(int(answer["stats"]["experiments"]), 5);
}

// How many steps it takes depends on numbers that nobody can foresee: in each repetition they are the same.
TEST_F(Critical, AProgramThatDrawsRandomNumbersIsRepeatedExactly) {
  build(R"(#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>
static unsigned drawn(int k) {
  unsigned n = 0;
  if (k == 0) return arc4random();
  if (k == 1) return getrandom(&n, sizeof n, 0) == sizeof n ? n : 0;
  if (k == 2) return getentropy(&n, sizeof n) == 0 ? n : 0;
  if (k == 3) return arc4random_uniform(9000);
  if (k == 4) {
    FILE* f = fopen("/dev/random", "r");
    int c = getc(f);
    fclose(f);
    return c;
  }
  int fd = open("/dev/urandom", O_RDONLY);
  if (read(fd, &n, sizeof n) != sizeof n) n = 0;
  close(fd);
  return n;
}
int main(int argc, char** argv) {
  volatile unsigned long steps = 0;
  unsigned last = 0;
  for (int k = 0; k < 7; k++) {
    unsigned n = drawn(k);
    if (k == 6 && n == last) return 3; // the file goes on, nobody begins it anew
    last = n;
    for (unsigned i = 0; i < n % 1000; i++) steps += i;
  }
  int total = 0;
  for (int k = 1; k < argc; k++) if (atoi(argv[k]) != 7) total += atoi(argv[k]); // wrong
  printf("%d\n", total);
  return 0;
}
)");
  writeFile(dir / "right", "15\n");
  json answer = ask({"--no-cache", "--expect", "right", "--", "./p", "3", "7", "5"});
  EXPECT_THAT(lines(answer), ElementsAre(33));
  EXPECT_EQ(answer["stats"]["method"], "in one process");
  EXPECT_THAT(answer["caveats"].dump(), Not(HasSubstr("steps instead of"))) << answer["caveats"];
  // Two runs of their own do not draw the same.
  RunResult one = faultline({"record", "-o", "one.flr", "--", "./p"});
  RunResult two = faultline({"record", "-o", "two.flr", "--", "./p"});
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(two.status, 0) << two.err;
  auto epochs = [&](const char* file) {
    return json::parse(faultline({"info", "--json", file}).out)["stats"]["epochs"];
  };
  EXPECT_NE(epochs("one.flr"), epochs("two.flr"));
}

// The fault shows in three lines: no decision alone repairs them. The run goes another way after each.
TEST_F(Critical, ADecisionThatIsWrongInSeveralExecutions) {
  build(R"(#include <stdio.h>
#include <string.h>
static const char* kind(const char* word) {
  if (strchr(word, '-')) return "joined"; // "or '_'" is missing
  for (const char* c = word; *c; c++)
    if (*c == '_') putchar('?');
  return "plain";
}
int main(int argc, char** argv) {
  for (int k = 1; k < argc; k++) printf("%s\n", kind(argv[k]));
  return 0;
}
)");
  writeFile(dir / "right", "plain\njoined\njoined\nplain\njoined\njoined\n");
  json answer = ask({"--expect", "right", "--", "./p", "a", "b_c", "d-e", "f", "g__h", "i_"});
  ASSERT_EQ(lines(answer), std::vector<int>{4}) << answer;
  EXPECT_EQ(answer["predicates"][0]["executions"], 3);
  EXPECT_EQ(answer["predicates"][0]["share"], 1.0);
  RunResult text =
      faultline({"critical", "--expect", "right", "--", "./p", "a", "b_c", "d-e", "f", "g__h", "i_"});
  EXPECT_THAT(text.out, HasSubstr("taken the other way in 3"));
}

// libc asks nscd first, through a socket: that is refused, and no reason to leave the one process.
TEST_F(Critical, AProgramThatAsksForUsersStaysInOneProcess) {
  build(R"(#include <pwd.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  struct passwd* user = getpwuid(0);
  int n = user ? 2 : 1;
  if (argc > 1) n++;
  printf("%d\n", n);
  return 0;
}
)");
  writeFile(dir / "right", "3\n");
  json answer = ask({"--expect", "right", "--", "./p"});
  EXPECT_THAT(lines(answer), ElementsAre(7));
  EXPECT_EQ(answer["stats"]["method"], "in one process");
}

// Shells end so, and what was forked: streams are not flushed, handlers not called.
TEST_F(Critical, AProgramThatEndsAtOnceStaysInOneProcess) {
  for (const char* end : {"_exit(0)", "_Exit(0)", "syscall(SYS_exit_group, 0)"}) {
    build(R"(#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char** argv) {
  const char* word = "few\n";
  if (argc > 3)
    word = "many\n";
  write(1, word, 4);
  )" + std::string(end) +
          R"(;
}
)");
    writeFile(dir / "right", "many");
    json answer = ask({"--expect", "right", "--", "./p", "a", "b"});
    EXPECT_THAT(lines(answer), ElementsAre(7)) << end;
    EXPECT_EQ(answer["stats"]["method"], "in one process") << end;
  }
}

// One that gets something from its socket takes another way without.
// In the background of a script interrupts are ignored, and the program can see that: in every repetition.
TEST_F(Critical, WhereInterruptsAreIgnoredTheyAreForExperimentsToo) {
  build(R"(#include <signal.h>
#include <stdio.h>
int main(int argc, char** argv) {
  struct sigaction before;
  int asked = 0;
  sigaction(SIGINT, 0, &before);
  if (before.sa_handler != SIG_IGN)
    for (int k = 0; k < 9; k++) asked += k;
  if (argc > 0) asked = 1;
  printf("%d\n", asked);
  return 0;
}
)");
  writeFile(dir / "want", "0\n");
  std::string command = "trap '' INT; exec " + kBin + "/faultline critical --json --expect want -- ./p";
  RunResult answer =
      run({"sh", "-c", command},
          {.cwd = dir.path(),
           .env = {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}, {"NO_COLOR", "1"}}});
  ASSERT_EQ(answer.status, 0) << answer.out << answer.err;
  json found = json::parse(answer.out, nullptr, false);
  EXPECT_EQ(lines(found), std::vector<int>{9});
  EXPECT_THAT(found["caveats"].dump(), ::testing::Not(HasSubstr("not the recorded one")));
}

TEST_F(Critical, AProgramThatNeedsASocketHasProcessesOfItsOwn) {
  build(R"(#include <stdio.h>
#include <sys/socket.h>
int main(int argc, char** argv) {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0), n = 1;
  if (fd >= 0) for (int k = 0; k < 9; k++) n++;
  if (argc > 1) n++;
  printf("%d\n", n);
  return 0;
}
)");
  writeFile(dir / "right", "11\n");
  json answer = ask({"--expect", "right", "--", "./p"});
  EXPECT_THAT(lines(answer), ::testing::Contains(6));
  EXPECT_EQ(answer["stats"]["method"], "each in a process of its own");
}

TEST_F(Critical, GivesTheSameAnswerInProcessesOfTheirOwnAndInForks) {
  build(kSum);
  writeFile(dir / "right", "15\n");
  json here = ask({"--expect", "right", "--", "./p", "3", "7", "5"});
  for (const std::string method : {"fresh", "fork"}) {
    SCOPED_TRACE(method);
    json there = ask({"--method", method, "--expect", "right", "--", "./p", "3", "7", "5"});
    EXPECT_EQ(here["predicates"], there["predicates"]);
    for (const char* count : {"experiments", "passed", "same_failure", "other_failure", "no_verdict"})
      EXPECT_EQ(here["stats"][count], there["stats"][count]) << count;
    EXPECT_EQ(there["stats"]["method"], method == "fork" ? "forked off" : "each in a process of its own");
  }
}

TEST_F(Critical, AsksARecordingThatWasMadeBefore) {
  build(kSum);
  writeFile(dir / "right", "15\n");
  ASSERT_EQ(
      faultline({"record", "-q", "-o", "p.flr", "--expect", "right", "--", "./p", "3", "7", "5"}).status, 0);
  json answer = ask({"p.flr"});
  EXPECT_THAT(lines(answer), ElementsAre(5));
  // And again, from what is kept beside it.
  EXPECT_EQ(ask({"p.flr"})["predicates"], answer["predicates"]);
}

TEST_F(Critical, FindsTheCaseOfASwitch) {
  build(R"(#include <stdio.h>
static const char* name(int n) {
  switch (n & 7) {
  case 1: return "one";
  case 2: return "two";
  default: return "many";
  }
}
int main(int argc, char** argv) { puts(name(argc + 7)); return 0; }
)");
  writeFile(dir / "right", "two\n");
  json answer = ask({"--expect", "right", "--", "./p"});
  ASSERT_THAT(lines(answer), ElementsAre(3));
  EXPECT_EQ(answer["predicates"][0]["switched_to"], 2);
}

TEST_F(Critical, FindsAnIterationTooFewAndACrash) {
  build(R"(#include <stdlib.h>
int main(void) {
  int* cells[4] = {0};
  for (int k = 0; k < 3; k++)
    cells[k] = malloc(sizeof(int));
  *cells[3] = 1;
  return 0;
}
)");
  json answer = ask({"--", "./p"});
  EXPECT_THAT(lines(answer), ElementsAre(4));
  EXPECT_EQ(answer["failure"]["kind"], "crash");
}

TEST_F(Critical, ProgramsThatWriteFilesAreRunInTheirOwnProcess) {
  build(R"(#include <stdio.h>
int main(int argc, char** argv) {
  FILE* f = fopen("log", "a");
  int bad = 1;
  if (argc > 2)
    bad = 0;
  fputs(bad ? "bad\n" : "good\n", f);
  fclose(f);
  return bad;
}
)");
  json answer = ask({"--", "./p"});
  EXPECT_THAT(lines(answer), ElementsAre(5));
  EXPECT_EQ(answer["stats"]["method"], "each in a process of its own");
  // Only the recorded run itself has written.
  EXPECT_EQ(readFile(dir / "log"), "bad\n");
}

// The lists end too early, which one decision repairs, but the last line is wrong for another reason.
TEST_F(Critical, WhereNoneRepairsSaysWhatMakesMoreOfTheOutputRight) {
  build(R"(#include <stdio.h>
static void list(int n) {
  for (int k = 1; k <= n; k++) {
    if (k == 3) continue;
    printf("%d ", k);
  }
  puts("");
}
int main(void) { list(2); list(3); list(4); puts("End"); return 0; }
)");
  writeFile(dir / "right", "1 2 \n1 2 3 \n1 2 3 4 \nend\n");
  json answer = ask({"--expect", "right", "--", "./p"}, 3);
  ASSERT_FALSE(answer["predicates"].empty()) << answer;
  EXPECT_THAT(lines(answer), Contains(4));
  for (const json& p : answer["predicates"]) {
    EXPECT_GT(double(p["share"]), 0);
    EXPECT_LT(double(p["share"]), 1);
  }
  EXPECT_GT(int(answer["stats"]["improved"]), 0);
  json fresh = ask({"--method", "fresh", "--no-cache", "--expect", "right", "--", "./p"}, 3);
  EXPECT_EQ(fresh["predicates"].size(), answer["predicates"].size());
  EXPECT_EQ(fresh["predicates"][0]["share"], answer["predicates"][0]["share"]);
  RunResult text = faultline({"critical", "--expect", "right", "--", "./p"});
  EXPECT_THAT(text.out, HasSubstr("No single decision"));
  EXPECT_THAT(text.out, HasSubstr("% of the output"));
}

TEST_F(Critical, NamesFloatingConstantsAsTheSourceDoes) {
  build(R"(#include <stdio.h>
static const char* size(double d, float f) {
  if (d > 1.5) return "large";
  if (f <= 0.25f) return "small";
  return "middling";
}
int main(int argc, char** argv) { puts(size(argc, argc / 8.0f)); return 0; }
)");
  writeFile(dir / "right", "middling\n");
  json answer = ask({"--expect", "right", "--", "./p"});
  EXPECT_THAT(lines(answer), ElementsAre(4));
  EXPECT_EQ(answer["predicates"][0]["condition"], "f <= 0.25");
  answer = ask({"--expect", "right", "--", "./p", "1", "2"}); // 0.375: neither
  EXPECT_EQ(answer["predicates"][0]["condition"], "d > 1.5");
}

TEST_F(Critical, SaysThatThereIsNone) {
  build("#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 6 * 6); return 0; }\n");
  writeFile(dir / "right", "42\n");
  json answer = ask({"--expect", "right", "--", "./p"}, 3);
  EXPECT_TRUE(answer["predicates"].empty());
  RunResult text = faultline({"critical", "--expect", "right", "--", "./p"});
  EXPECT_THAT(text.out, HasSubstr("No single decision"));
}

TEST_F(Critical, ARunThatPassesIsNoQuestion) {
  build("int main(void) { return 0; }\n");
  EXPECT_EQ(faultline({"critical", "--", "./p"}).status, 2);
}

TEST_F(Critical, WrongUseIsToldInOneLine) {
  EXPECT_THAT(faultline({"critical", "none.flr"}).err, HasSubstr("there is no such recording"));
  EXPECT_THAT(faultline({"critical", "--", "/bin/true"}).err, HasSubstr("carries no Faultline IR"));
  EXPECT_THAT(faultline({"critical", "--method", "warp", "--", "/bin/true"}).err,
              HasSubstr("{auto,rollback,fork,fresh}"));
}

TEST_F(Critical, FindsWhatEndsAHang) {
  build(R"(int main(void) {
  volatile unsigned n = 1;
  while (n != 10)
    n += 2;
  return 0;
}
)");
  json answer = ask({"--timeout", "0.03", "--most", "1", "--", "./p"});
  EXPECT_THAT(lines(answer), ElementsAre(3));
}

// A search that was made before is not made again.
TEST_F(Critical, VerdictsAreKept) {
  build(kSum);
  writeFile(dir / "right", "15\n");
  ASSERT_EQ(
      faultline({"record", "-q", "-o", "p.flr", "--expect", "right", "--", "./p", "3", "7", "5"}).status, 0);
  json first = ask({"p.flr"}), again = ask({"p.flr"}), anew = ask({"--no-cache", "p.flr"});
  EXPECT_EQ(first["stats"]["cached"], 0);
  EXPECT_EQ(again["stats"]["cached"], int(first["stats"]["experiments"]) + 1); // and what was confirmed
  EXPECT_EQ(again["stats"]["rollbacks"], 0);
  EXPECT_EQ(again["predicates"], first["predicates"]);
  EXPECT_EQ(anew["stats"]["cached"], 0);
  EXPECT_EQ(anew["predicates"], first["predicates"]);
  // What is asked is part of what is known.
  writeFile(dir / "other", "8\n");
  EXPECT_EQ(ask({"--expect", "other", "p.flr"}, 2)["stats"].value("cached", 0), 0);
}

// Decisions in a loop, none of which repairs it; it looks at the clock and at its number, and reads the first
// line of a file.
const char* const kLong = R"(#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  int wanted = 0;
  FILE* file = fopen("numbers", "r");
  if (!file || fscanf(file, "%d", &wanted) != 1) return 1;
  volatile int n = 0;
  for (int k = 0; k < 30000; k++) {
    if (n < wanted) n += 1;
    if (time(NULL) == 7) n = 9;
    if (getpid() == 7) n = 9;
  }
  printf("%d\n", n);
  return 0;
}
)";

TEST_F(Critical, ACommandThatWasStoppedGoesOnWhereItWas) {
  build(kLong);
  writeFile(dir / "numbers", "5\nmore\n");
  writeFile(dir / "right", "40000\n");
  auto search = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--expect", "right", "--", "./p"});
    return ask(options, 3);
  };
  ASSERT_EQ(faultline({"critical", "--most", "1", "--budget", "30", "--", "./p"}).status, 2); // the variant
  json first = search({"--budget", "1"});
  int before = first["stats"]["experiments"];
  ASSERT_GT(before, 0);
  EXPECT_EQ(first["stats"]["cached"], 0);
  ASSERT_THAT(first["caveats"].dump(), HasSubstr("not all decisions were tried"));
  json second = search({"--budget", "4"});
  EXPECT_GE(int(second["stats"]["cached"]), before);
  EXPECT_GT(int(second["stats"]["experiments"]), before);
  EXPECT_EQ(search({"--budget", "1", "--no-cache"})["stats"]["cached"], 0);
}

// Nothing that the run got may be other: nor may what it would get if it read on.
TEST_F(Critical, NothingHoldsForARunThatReadsSomethingElse) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int a = 0, b = 0, c = 0;
  FILE* file = fopen("numbers", "r");
  if (fscanf(file, "%d", &a) != 1) return 1;
  if (a > 99 && fscanf(file, "%d", &a) != 1) return 1;
  if (scanf("%d", &b) != 1) return 1;
  if (getenv("WORD")) c = 1;
  if (argc > 7) c = 7;
  printf("%d\n", a + b + c);
  return 0;
}
)");
  writeFile(dir / "right", "77\n");
  auto cached = [&](const std::string& data, const std::string& input) {
    writeFile(dir / "numbers", data);
    writeFile(dir / "in", input);
    return int(ask({"--expect", "right", "--stdin", "in", "--", "./p"}, 3)["stats"]["cached"]);
  };
  std::string data(10'000, ' ');
  EXPECT_EQ(cached("1" + data + "2\n", "3\n"), 0);
  EXPECT_GT(cached("1" + data + "2\n", "3\n"), 0);
  EXPECT_EQ(cached("4" + data + "2\n", "3\n"), 0) << "another file";
  EXPECT_EQ(cached("1" + data + "5\n", "3\n"), 0) << "what only an altered run reads";
  EXPECT_EQ(cached("1" + data + "2\n", "6\n"), 0) << "another input";
  EXPECT_GT(cached("1" + data + "2\n", "3\n"), 0) << "as at first";
}

// Switched, most iterations lead nowhere; they are not awaited to the end of their steps.
TEST_F(Critical, RunsThatDoNotEndAreNotAwaited) {
  build(R"(#include <stdio.h>
int main(int argc, char** argv) {
  volatile unsigned n = 0, spin = 0;
  for (int k = 0; k < 40; k++) {
    if (k % 2 == 7) for (;;) spin++;
    n += 3;
  }
  if (argc > 9) n = 7;
  printf("%u\n", n);
  return 0;
}
)");
  writeFile(dir / "right", "7\n");
  json answer = ask({"--expect", "right", "--most", "1", "--", "./p"});
  EXPECT_THAT(lines(answer), ElementsAre(8));
  answer = ask({"--expect", "right", "--", "./p"});
  EXPECT_THAT(lines(answer), ElementsAre(8));
  EXPECT_GE(int(answer["stats"]["put_aside"]), 40);
}

// A library that goes round in a ruined list makes no steps.
TEST_F(Critical, ARunThatIsStuckInALibraryCostsNoProcess) {
  writeFile(dir / "list.c", "struct n { struct n* next; };\n"
                            "int length(struct n* n) { int k = 0; while (n) n = n->next, k++; return k; }\n");
  ASSERT_EQ(run({"cc", "-O1", "-c", "list.c"}, {.cwd = dir.path()}).status, 0);
  writeFile(dir / "p.c", R"(#include <stdio.h>
struct n { struct n* next; } nodes[3] = {{&nodes[1]}, {&nodes[2]}, {0}};
int length(struct n*);
int main(int argc, char** argv) {
  if (argc > 8) nodes[2].next = &nodes[1];
  int sum = length(nodes);
  if (argc > 9)
    sum = 5;
  printf("%d\n", sum);
  return 0;
}
)");
  ASSERT_EQ(run({kBin + "/faultline-cc", "-g", "p.c", "list.o", "-o", "p"}, {.cwd = dir.path()}).status, 0);
  writeFile(dir / "right", "5\n");
  json answer = ask({"--expect", "right", "--", "./p"});
  EXPECT_THAT(lines(answer), ElementsAre(7));
  EXPECT_EQ(answer["stats"]["stuck_outside"], 1);
  EXPECT_EQ(answer["stats"]["no_verdict"], 1);
  EXPECT_LT(double(answer["stats"]["seconds"]), 5);
}

// It makes steps all the time, but each takes a thousand times as long as those of the run.
TEST_F(Critical, ARunWhoseStepsTakeFarLongerIsNotAwaited) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  size_t size = 16 << 20;
  char* block = malloc(size);
  int rounds = 3, sum = 0;
  if (argc > 8) rounds = 1 << 30;
  for (int i = 0; i < rounds; i++) {
    if (i > 2) memset(block, i, size);
    sum++;
  }
  if (argc > 9)
    sum = 5;
  printf("%d\n", sum);
  return 0;
}
)");
  writeFile(dir / "right", "5\n");
  json answer = ask({"--expect", "right", "--", "./p"});
  EXPECT_THAT(lines(answer), ElementsAre(13));
  EXPECT_GE(int(answer["stats"]["slow_steps"]), 1);
  EXPECT_EQ(answer["stats"]["stuck_outside"], 0);
}

TEST_F(Critical, AnOracleMayDecide) {
  build(kSum);
  json answer = ask({"--oracle", "grep -qx 15 $FAULTLINE_STDOUT", "--", "./p", "3", "7", "5"});
  EXPECT_THAT(lines(answer), ElementsAre(5));
}

// Who goes through the areas of memory, character by character, makes as many steps in every repetition: what
// is there for recordings and for experiments is not shown.
TEST_F(Critical, TheAreasOfMemoryAreTheProgramsOwn) {
  build(R"(#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static char text[65536];
int main(void) {
  int areas = 0, own = 0, odd = 0;
  long size = 0, got;
  int fd = open("/proc/self/maps", O_RDONLY);
  while ((got = read(fd, text + size, 1000)) > 0) size += got;
  for (long i = 0; i < size; i++)
    if (text[i] == '\n') areas++;
  close(fd);
  FILE* file = fopen("/proc/self/maps", "r");
  unsigned long begin, end;
  while (fscanf(file, "%lx-%lx%*[^\n]", &begin, &end) == 2) {
    own += (unsigned long)text >= begin && (unsigned long)text < end;
    odd += begin >= 0x10000000000 && begin < 0x540000000000; // a shadow
  }
  fclose(file);
  for (int k = 0; k < 9; k++)
    if (k != 5) odd += k;
  printf("%d %d %d\n", odd, own, areas > 5);
  return 0;
}
)");
  writeFile(dir / "right", "36 1 1\n");
  for (const char* method : {"auto", "fresh"}) {
    json answer = ask({"--no-cache", "--most", "1", "--method", method, "--expect", "right", "--", "./p"});
    EXPECT_THAT(lines(answer), ElementsAre(21)) << method;
    EXPECT_EQ(answer["stats"]["no_verdict"], 0) << answer["stats"].dump(1);
    EXPECT_EQ(answer["stats"]["fresh_runs"] > 0, method == std::string("fresh"));
  }
}

// What an experiment unmaps is there again when it is over, as it was.
TEST_F(Critical, AFileThatIsMappedToBeReadAndUnmapped) {
  build(R"(#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
  int fd = open("p.c", O_RDONLY), lines = 0;
  struct stat status;
  fstat(fd, &status);
  char* text = mmap(0, status.st_size, PROT_READ, MAP_SHARED, fd, 0);
  for (long i = 0; i < status.st_size; i++)
    if (text[i] == '\n' && i != 18) lines++;
  munmap(text, status.st_size);
  printf("%d\n", lines);
  return 0;
}
)");
  writeFile(dir / "right", "16\n");
  json answer = ask({"--no-cache", "--most", "1", "--expect", "right", "--", "./p"});
  EXPECT_THAT(lines(answer), ElementsAre(12));
  EXPECT_EQ(answer["stats"]["no_verdict"], 0) << answer["stats"].dump(1);
  EXPECT_EQ(answer["stats"]["fresh_runs"], 0);
}

} // namespace
} // namespace faultline::test

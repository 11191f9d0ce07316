// `minimize` on programs whose smallest failing input is known.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBin = FAULTLINE_BIN_DIR;

class Minimize : public ::testing::Test {
protected:
  RunResult faultline(std::vector<std::string> words, std::map<std::string, std::string> env = {}) {
    words.insert(words.begin(), kBin + "/faultline");
    env.insert({{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}, {"NO_COLOR", "1"}});
    return run(words, {.cwd = dir.path(), .env = env});
  }
  void build(const std::string& source, const std::string& name = "p") {
    writeFile(dir / (name + ".c"), source);
    RunResult built = run({kBin + "/faultline-cc", "-g", name + ".c", "-o", name}, {.cwd = dir.path()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  json minimize(std::vector<std::string> words, int status = 0, std::map<std::string, std::string> env = {}) {
    words.insert(words.begin(), {"minimize", "--json"});
    RunResult answer = faultline(words, std::move(env));
    EXPECT_EQ(answer.status, status) << answer.out << answer.err;
    return json::parse(answer.out, nullptr, false);
  }
  RunResult shell(const std::string& command) { return run({"sh", "-c", command}, {.cwd = dir.path()}); }

  TempDir dir;
};

// Reads lines from the file that is its argument, or from standard input.
constexpr const char* kLines = R"(#include <assert.h>
#include <stdio.h>
#include <string.h>
static int depth(const char *s) {
  int d = 0, most = 0;
  for (; *s; s++) {
    if (*s == '(') d++;
    if (*s == ')') d--;
    if (d > most) most = d;
  }
  return most;
}
int main(int argc, char **argv) {
  char line[1000];
  FILE *in = argc > 1 ? fopen(argv[argc - 1], "r") : stdin;
  if (!in) return 2;
  while (fgets(line, sizeof line, in)) {
    int d = depth(line);
    assert(d < 3 || !strstr(line, "deep"));
    printf("%d\n", d);
  }
  return 0;
}
)";

std::string lines() {
  std::string text;
  for (int k = 0; k < 400; ++k) text += "line " + std::to_string(k) + " has (some) text ((as lines have))\n";
  text += "this one is deep ((and ((so)) on)) here\n";
  for (int k = 0; k < 100; ++k) text += "and more\n";
  return text;
}

TEST_F(Minimize, StandardInputToTheLastByte) {
  build(kLines);
  writeFile(dir / "in", lines());
  json found = minimize({"--slice", "--stdin", "in", "--", "./p"});
  EXPECT_EQ(found["schema"], "faultline/1");
  EXPECT_EQ(found["technique"], "minimize");
  EXPECT_EQ(found["failure"]["kind"], "assertion");
  EXPECT_EQ(found["input"]["what"], "standard input");
  EXPECT_EQ(found["input"]["before"], lines().size());
  EXPECT_EQ(found["input"]["after"], 7);
  EXPECT_TRUE(found["one_minimal"]);
  EXPECT_EQ(found["unit"], "bytes");
  EXPECT_TRUE(found["confirmed"]);
  EXPECT_LT(found["runs"], 200);
  EXPECT_TRUE(found["stats"]["slice"]["taken"]) << "what comes after the failure is not depended on";
  EXPECT_EQ(readFile(dir / "stdin.min").size(), 7u);
  RunResult again = shell(found["command"]);
  EXPECT_THAT(again.err, HasSubstr("Assertion"));
}

TEST_F(Minimize, AFileThatIsNamedInTheArgumentsAndNothingThatIsThereIsOverwritten) {
  build(kLines);
  writeFile(dir / "data.txt", lines());
  writeFile(dir / "data.txt.min", "mine");
  json found = minimize({"--", "./p", "data.txt"});
  EXPECT_EQ(found["input"]["what"], "file data.txt");
  EXPECT_EQ(found["input"]["after"], 7);
  EXPECT_EQ(readFile(dir / "data.txt"), lines());
  EXPECT_EQ(readFile(dir / "data.txt.min"), "mine");
  EXPECT_EQ(found["command"], "./p data.txt.min.2");
  EXPECT_THAT(shell(found["command"]).err, HasSubstr("Assertion"));
  json named = minimize({"--output-input", "small", "--", "./p", "data.txt"});
  EXPECT_EQ(named["command"], "./p small");
  EXPECT_EQ(readFile(dir / "small").size(), 7u);
}

TEST_F(Minimize, InUnitsOfTheUsersChoice) {
  build(kLines);
  writeFile(dir / "in", lines());
  json byLines = minimize({"--unit", "lines", "--stdin", "in", "--", "./p"});
  EXPECT_EQ(readFile(dir / "stdin.min"), "this one is deep ((and ((so)) on)) here\n");
  EXPECT_EQ(byLines["unit"], "lines");
  writeFile(dir / "parts", "a((:b;;:deep(((:c");
  minimize({"--separator", ":", "--stdin", "parts", "--output-input", "least", "--", "./p"});
  EXPECT_EQ(readFile(dir / "least"), "deep(((:");
}

TEST_F(Minimize, TheSameFailureNotJustAny) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char text[200] = "";
  fread(text, 1, sizeof text - 1, stdin);
  if (text[0] == 0) abort();
  if (strstr(text, "boom"))
    *(volatile int *)8 = 1;
  if (strstr(text, "b"))
    abort();
  return 0;
}
)");
  writeFile(dir / "in", "let it go boom or not");
  json same = minimize({"--stdin", "in", "--", "./p"});
  EXPECT_EQ(readFile(dir / "stdin.min"), "boom");
  EXPECT_TRUE(same["one_minimal"]);
  json any = minimize({"--any-failure", "--stdin", "in", "--output-input", "any", "--", "./p"});
  EXPECT_EQ(any["input"]["after"], 0) << "with no input at all it aborts";
}

TEST_F(Minimize, TwoPlacesWithTheSameSignalAreTwoFailures) {
  build(R"(#include <stdio.h>
#include <string.h>
int main(void) {
  char text[200] = "";
  fread(text, 1, sizeof text - 1, stdin);
  int *p = NULL;
  if (strlen(text) < 3)
    *p = 1;
  if (strchr(text, 'x'))
    *p = 2;
  return 0;
}
)");
  writeFile(dir / "in", "abcdefx");
  minimize({"--stdin", "in", "--", "./p"});
  EXPECT_EQ(readFile(dir / "stdin.min").size(), 3u);
  EXPECT_THAT(readFile(dir / "stdin.min"), HasSubstr("x"));
}

TEST_F(Minimize, ArgumentsAndTheEnvironment) {
  build(R"(#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  const char *mode = getenv("MODE");
  for (int k = 1; k < argc; k++)
    if (strncmp(argv[k], "--size=", 7) == 0 && strlen(argv[k]) > 10 && mode && strchr(mode, 'z'))
      abort();
  return 0;
}
)");
  json found = minimize({"--argv", "--env", "--", "./p", "-v", "--size=123456", "-q", "other"}, 0,
                        {{"MODE", "lazy"}, {"OTHER", "1"}});
  EXPECT_TRUE(found["one_minimal"]);
  EXPECT_THAT(std::string(found["command"]), HasSubstr("env -i MODE=z ./p --size="));
  EXPECT_THAT(std::string(found["command"]), Not(HasSubstr("-v")));
  for (const json& i : found["inputs"]) {
    if (i["what"] == "argument 2") EXPECT_EQ(i["after"], 11);
    if (i["what"] == "variable OTHER") EXPECT_TRUE(i["gone"]);
  }
  EXPECT_EQ(shell(found["command"]).signal + shell(found["command"]).status, 134) << found["command"];
}

TEST_F(Minimize, SeveralFilesAtOnce) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
static int has(const char *path, int wanted) {
  FILE *f = fopen(path, "r");
  int c, found = 0;
  while (f && (c = getc(f)) != EOF) found |= c == wanted;
  if (f) fclose(f);
  return found;
}
int main(int argc, char **argv) {
  if (has(argv[1], 'a') && has(argv[2], 'b') && has("config", 'c'))
    abort();
  return 0;
}
)");
  writeFile(dir / "one", "xxaxx\n");
  writeFile(dir / "two", "yybyy\n");
  writeFile(dir / "config", "zzczz\n");
  json found = minimize({"--file", "config", "--", "./p", "one", "two"});
  EXPECT_EQ(readFile(dir / "one.min"), "a");
  EXPECT_EQ(readFile(dir / "two.min"), "b");
  EXPECT_EQ(readFile(dir / "config.min"), "c");
  EXPECT_EQ(found["command"], "./p one.min two.min");
  EXPECT_THAT(std::string(found["caveats"][0]), HasSubstr("put config.min in its place"));
  EXPECT_EQ(readFile(dir / "config"), "zzczz\n");
}

std::string sumProgram(const std::string& term) {
  return "#include <stdio.h>\n"
         "int main(void) {\n"
         "  int n, sum = 0;\n"
         "  while (scanf(\"%d\", &n) == 1)\n"
         "    sum += " +
         term +
         ";\n"
         "  printf(\"%d\\n\", sum);\n"
         "  return 0;\n"
         "}\n";
}

TEST_F(Minimize, WrongOutputNeedsOneWhoKnows) {
  build(sumProgram("n > 99 ? n - 1 : n"));
  build(sumProgram("n"), "right");
  writeFile(dir / "in", "12 7\n8 150 3\n22\n");
  writeFile(dir / "out", "202\n");
  RunResult refused = faultline({"minimize", "--expect", "out", "--stdin", "in", "--", "./p"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("--reference PROGRAM"));
  EXPECT_THAT(refused.err, HasSubstr("--oracle"));
  json found = minimize({"--reference", "./right", "--stdin", "in", "--", "./p"});
  EXPECT_EQ(found["failure"]["kind"], "wrong-output");
  EXPECT_EQ(found["input"]["after"], 3) << found["input"];
  EXPECT_TRUE(found["one_minimal"]);
}

TEST_F(Minimize, AnOracleDecides) {
  build(R"(#include <stdio.h>
int main(void) {
  for (int c; (c = getchar()) != EOF;)
    if (c == 'E') puts("error"); else putchar(c);
  return 0;
}
)");
  writeFile(dir / "in", "some text with an E in it");
  json found = minimize({"--oracle", "! grep -q error $FAULTLINE_STDOUT", "--stdin", "in", "--", "./p"});
  EXPECT_EQ(readFile(dir / "stdin.min"), "E");
  EXPECT_EQ(found["failure"]["kind"], "rejected");
}

TEST_F(Minimize, TheSmallestDifferenceToAnInputThatPasses) {
  build(kLines);
  std::string good = lines();
  good.replace(good.find("deep"), 4, "flat");
  writeFile(dir / "bad", lines());
  writeFile(dir / "good", good);
  json found = minimize({"--isolate", "good", "--stdin", "bad", "--", "./p"});
  EXPECT_TRUE(found["one_minimal"]);
  EXPECT_EQ(found["difference"]["steps"], 1);
  std::string fails = readFile(dir / "stdin.min"), passes = readFile(dir / "stdin.pass");
  EXPECT_LE(std::max(fails.size(), passes.size()) - std::min(fails.size(), passes.size()), 1u);
  EXPECT_EQ(run({dir / "p"}, {.input = passes}).status, 0);
  EXPECT_EQ(run({dir / "p"}, {.input = fails}).signal, 6);
  RunResult wrong = faultline({"minimize", "--isolate", "bad", "--stdin", "bad", "--", "./p"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("does not pass"));
}

TEST_F(Minimize, GoingBackWithinAProcessFindsWhatFreshProcessesFind) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int calls;
int main(void) {
  static char text[10000];
  size_t size = fread(text, 1, sizeof text - 1, stdin);
  char *copy = strdup(text);
  for (size_t k = 0; k < size; k++)
    if (copy[k] == '%' && ++calls > 59)
      abort();
  printf("%d\n", calls);
  free(copy);
  return 0;
}
)");
  std::string text;
  for (int k = 0; k < 2000; ++k) text += k % 29 ? char('a' + k % 26) : '%';
  writeFile(dir / "in", text);
  json slow = minimize({"--fresh", "--no-slice", "--stdin", "in", "--output-input", "slow", "--", "./p"});
  // What the first has found is in the cache, and would be known before there is anything to go back in.
  json fast = minimize({"--no-cache", "--no-slice", "--stdin", "in", "--output-input", "fast", "--", "./p"});
  EXPECT_EQ(readFile(dir / "fast"), std::string(60, '%'));
  EXPECT_EQ(readFile(dir / "slow"), readFile(dir / "fast"));
  EXPECT_EQ(fast["stats"]["verdicts"], slow["stats"]["verdicts"]);
  EXPECT_EQ(slow["stats"]["rolled_back"], 0);
  EXPECT_GT(fast["stats"]["rolled_back"], 50) << fast["stats"];
  EXPECT_TRUE(fast["confirmed"]);
  // Now its variant is there: the run is recorded by it, and all goes so from the first on.
  json again =
      minimize({"--no-cache", "--no-slice", "--stdin", "in", "--output-input", "again", "--", "./p"});
  EXPECT_EQ(readFile(dir / "again"), readFile(dir / "fast"));
  EXPECT_EQ(again["stats"]["verdicts"], slow["stats"]["verdicts"]);
  EXPECT_GT(again["stats"]["rolled_back"], fast["stats"]["rolled_back"]);
  EXPECT_EQ(again["failure"], fast["failure"]);
  EXPECT_TRUE(again["confirmed"]);
  EXPECT_EQ(again["stats"]["timeline"].front()[2], 2000);
  EXPECT_EQ(again["stats"]["timeline"].back()[2], 60);
}

// It asks how large its file is, and maps it.
constexpr const char* kMapsItsFile = R"(#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char name[300];
  struct stat status;
  snprintf(name, sizeof name, PATTERN, argv[1]);
  if (lstat(name, &status) != 0 || !S_ISREG(status.st_mode)) return 2;
  int fd = open(name, O_RDONLY), calls = 0;
  char *text = status.st_size ? mmap(0, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : 0;
  for (off_t k = 0; k < status.st_size; k++)
    if (text[k] == '%' && ++calls > 39) abort();
  printf("%d\n", calls);
  return 0;
}
)";

TEST_F(Minimize, GoingBackWithAFileFindsWhatFreshProcessesFind) {
  std::string text;
  for (int k = 0; k < 2000; ++k) text += k % 29 ? char('a' + k % 26) : '%';
  writeFile(dir / "in", text);
  build(std::string("#define PATTERN \"%s\"\n") + kMapsItsFile);
  json slow = minimize({"--fresh", "--no-slice", "--output-input", "slow", "--", "./p", "in"});
  ASSERT_NE(faultline({"critical", "--", "./p", "in"}).status, 1); // its variant is there then
  json fast = minimize({"--no-cache", "--no-slice", "--output-input", "fast", "--", "./p", "in"});
  EXPECT_EQ(readFile(dir / "fast"), std::string(40, '%'));
  EXPECT_EQ(readFile(dir / "slow"), readFile(dir / "fast"));
  EXPECT_EQ(readFile(dir / "in"), text);
  EXPECT_EQ(slow["stats"]["rolled_back"], 0);
  EXPECT_GT(fast["stats"]["rolled_back"], 50) << fast["stats"];
  EXPECT_TRUE(fast["confirmed"]);
}

// It is named, but what goes back sees that it is not opened.
TEST_F(Minimize, AFileThatIsOnlyNamedIsNoInput) {
  writeFile(dir / "in", "what nobody reads");
  build(R"(#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  puts(argv[1]);
  abort();
}
)");
  ASSERT_NE(faultline({"critical", "--", "./p", "in"}).status, 1); // its variant is there then
  RunResult none = faultline({"minimize", "--no-cache", "--", "./p", "in"});
  EXPECT_EQ(none.status, 1) << none.out;
  EXPECT_THAT(none.err, HasSubstr("there is no input to make smaller"));
}

// Most programs ask first whether it is an option.
TEST_F(Minimize, AFileWhoseNameTheProgramLookedAt) {
  writeFile(dir / "in", "some text % and more");
  build(R"(#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int c;
  if (argc < 2 || argv[1][0] == '-') return 2;
  FILE *in = fopen(argv[1], "r");
  if (!in) return 1;
  while ((c = getc(in)) != EOF)
    if (c == '%') abort();
  return 0;
}
)");
  json found = minimize({"--output-input", "small", "--", "./p", "in"});
  EXPECT_EQ(readFile(dir / "small"), "%");
}

// By a name that nobody gave it: each run is a process of its own, which sees the other file by any name.
TEST_F(Minimize, AFileThatIsOpenedByAnotherNameIsMadeSmallerToo) {
  writeFile(dir / "in", std::string(300, 'x') + std::string(50, '%') + "yyy");
  build(std::string("#define PATTERN \".//%s\"\n") + kMapsItsFile);
  json found = minimize({"--rollback", "--no-slice", "--output-input", "small", "--", "./p", "in"});
  EXPECT_EQ(readFile(dir / "small"), std::string(40, '%'));
  EXPECT_EQ(found["stats"]["rolled_back"], 0);
  EXPECT_TRUE(found["confirmed"]);
}

// The same name in another directory is another file.
TEST_F(Minimize, AFileOfTheSameNameElsewhereStaysAsItIs) {
  std::filesystem::create_directory(dir / "sub");
  writeFile(dir / "sub/in", "yes");
  writeFile(dir / "in", std::string(300, 'x') + std::string(50, '%') + "yyy");
  build(R"(#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char other[8] = "", text[1000];
  int calls = 0, sub = open("sub", O_RDONLY | O_DIRECTORY);
  int fd = openat(sub, "in", O_RDONLY);
  if (read(fd, other, 3) != 3 || other[0] != 'y') return 4;
  long size = read(open(argv[1], O_RDONLY), text, sizeof text);
  for (long k = 0; k < size; k++)
    if (text[k] == '%' && ++calls > 39) abort();
  return 0;
}
)");
  minimize({"--no-slice", "--", "./p", "in"});
  RunResult built = faultline({"critical", "--", "./p", "in"}); // its variant is there then
  ASSERT_NE(built.status, 1) << built.err;
  json found = minimize({"--no-cache", "--no-slice", "--output-input", "small", "--", "./p", "in"});
  EXPECT_EQ(readFile(dir / "small"), std::string(40, '%'));
  EXPECT_GT(found["stats"]["rolled_back"], 20) << found["stats"];
  EXPECT_TRUE(found["confirmed"]);
}

TEST_F(Minimize, ARunThatPassesHasNothingToMinimize) {
  build(kLines);
  writeFile(dir / "in", "fine\n");
  EXPECT_EQ(faultline({"minimize", "--stdin", "in", "--", "./p"}).status, 2);
}

TEST_F(Minimize, WithoutInputItSaysWhatElseThereIs) {
  build("#include <stdlib.h>\nint main(void) { abort(); }\n");
  RunResult none = faultline({"minimize", "--", "./p"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("--argv"));
}

constexpr const char* kSlow = R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  static char text[100000];
  fread(text, 1, sizeof text - 1, stdin);
  usleep(20000);
  for (const char *w = "abcdefghijklmnopqrstuvwxyz"; *w; w++)
    if (!strchr(text, *w)) return 0;
  abort();
}
)";

std::string slowInput() {
  std::string text;
  for (char c = 'a'; c <= 'z'; ++c) text += std::string(200, c) + "\n";
  return text + std::string(20000, 'a'); // goes at once, on the slowest machine
}

TEST_F(Minimize, WhenTheBudgetIsOverTheBestSoFarIsTheAnswer) {
  build(kSlow);
  writeFile(dir / "in", slowInput());
  json found = minimize({"--no-slice", "--fresh", "--budget", "3", "--stdin", "in", "--", "./p"}, 3);
  EXPECT_FALSE(found["one_minimal"]);
  EXPECT_THAT(std::string(found["stopped"]), HasSubstr("--budget"));
  EXPECT_TRUE(found["confirmed"]);
  EXPECT_LT(found["input"]["after"], found["input"]["before"]);
  EXPECT_EQ(run({dir / "p"}, {.input = readFile(dir / "stdin.min")}).signal, 6);
}

TEST_F(Minimize, InterruptedToo) {
  build(kSlow);
  writeFile(dir / "in", slowInput());
  faultline({"record", "-q", "-o", "p.flr", "--stdin", "in", "--", "./p"}); // its variant is made
  RunResult answer =
      run({"timeout", "--foreground", "-s", "INT", "3", kBin + "/faultline", "minimize", "--no-slice",
           "--fresh", "p.flr"},
          {.cwd = dir.path(), .env = {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}}});
  EXPECT_THAT(answer.out, HasSubstr("interrupted"));
  EXPECT_THAT(answer.out, HasSubstr("Again: ./p < stdin.min"));
  EXPECT_EQ(run({dir / "p"}, {.input = readFile(dir / "stdin.min")}).signal, 6);
}

// The command, not a recording of it; the second time with another file beside the input.
TEST_F(Minimize, ACommandThatWasStoppedGoesOnWhereItWas) {
  build(R"(#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  char word[9] = "", line[1000];
  FILE *extra = fopen("word", "r");
  if (!extra || !fgets(word, 4, extra)) return 1;
  while (fgets(line, sizeof line, stdin)) assert(!strstr(line, word));
  return 0;
}
)");
  writeFile(dir / "word", "xyz");
  writeFile(dir / "in", "a b c\nd xyz f\nxy q yz\n");
  auto known = [&] {
    return int(minimize({"--fresh", "--stdin", "in", "--", "./p"})["stats"]["from_cache"]);
  };
  EXPECT_EQ(known(), 0);
  EXPECT_GT(known(), 5);
  writeFile(dir / "word", "yz");
  EXPECT_EQ(known(), 0);
}

// The time is never the same twice, also in a program that does it right: no smaller input for the fault.
TEST_F(Minimize, WhatTheReferenceDoesNotPrintAgainIsNotWrong) {
  auto source = [](const std::string& factor) {
    return R"(#include <stdio.h>
#include <string.h>
#include <time.h>
int main(void) {
  char line[100];
  while (fgets(line, sizeof line, stdin)) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (strstr(line, "double")) printf("%d\n", 7 * )" +
           factor + R"();
    else if (strchr(line, 'n')) printf("%ld\n", now.tv_sec * 1000000000L + now.tv_nsec);
  }
  return 0;
}
)";
  };
  build(source("2"), "right");
  build(source("3"));
  writeFile(dir / "in", "some\ndouble nine\nx\n");
  json found = minimize({"--fresh", "--reference", "./right", "--stdin", "in", "--", "./p"});
  EXPECT_EQ(readFile(dir / "stdin.min"), "double");
}

} // namespace
} // namespace faultline::test

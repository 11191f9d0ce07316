// How runs end, as the runner tells it.
#include "unit/experiment/built_program.h"

#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <thread>

namespace faultline::experiment {
namespace {

using testing::BuiltProgram;
using ::testing::HasSubstr;
using testing::valueOf;

// One program, built once, that ends as its first word says.
const char* const kEnds = R"(
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/wait.h>
static int* nothing;
static void crashHere(void) { *nothing = 1; }
static void crashThere(void) { *nothing = 2; }
static void spin(void) { volatile unsigned long n = 0; for (;;) ++n; }
int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "crash")) crashHere();
  if (!strcmp(how, "crash there")) crashThere();
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "assert")) assert(argc > 5);
  if (!strcmp(how, "exit")) exit(3);
  if (!strcmp(how, "hang")) { signal(SIGTERM, SIG_IGN); spin(); }
  if (!strcmp(how, "sleep")) pause();
  if (!strcmp(how, "memory")) for (;;) memset(malloc(1 << 20), 1, 1 << 20);
  if (!strcmp(how, "flood")) for (;;) puts("on and on and on and on");
  if (!strcmp(how, "echo")) { int c; while ((c = getchar()) != EOF) putchar(c); fputs("done", stderr); }
  if (!strcmp(how, "some")) { char b[30]; if (read(0, b, 30) == 30) crashHere(); }
  if (!strcmp(how, "kind")) { struct stat s; fstat(0, &s); puts(S_ISREG(s.st_mode) ? "file" : S_ISFIFO(s.st_mode) ? "pipe" : "other"); }
  if (!strcmp(how, "cat")) { char b[100] = ""; FILE* f = fopen(argv[2], "r"); if (!f) return 9; fgets(b, 100, f); fputs(b, stdout); }
  if (!strcmp(how, "append")) { FILE* f = fopen(argv[2], "a"); if (!f) return 9; fputs("more", f); fclose(f); }
  if (!strcmp(how, "size")) { struct stat s; return stat(argv[2], &s) ? 9 : (int)s.st_size; }
  if (!strcmp(how, "parent")) printf("%d %d\n", getppid() == 1, kill(getppid(), 0));
  if (!strcmp(how, "everybody")) { getchar(); kill(-1, argc > 2 ? SIGSTOP : SIGKILL); }
  if (!strcmp(how, "daemon") && fork() == 0) { setsid(); pause(); }
  if (!strcmp(how, "state")) {
    static int times; // in memory
    struct stat s; fstat(1, &s);
    int more = 0; for (int fd = 3; fd < 100; ++fd) more += fstat(fd, &s) == 0;
    printf("%d %d %d %d %d\n", ++times, getpgrp() == getpid(), raise(0), more, getchar());
    if (fork() == 0) { FILE* f = fopen("made", "a"); fprintf(f, "by %s", argv[0]); fclose(f); _exit(0); }
    wait(NULL); stat("made", &s); printf("%d\n", s.st_size == 3 + (long)strlen(argv[0]));
  }
  if (!strcmp(how, "self")) { char b[500] = ""; if (readlink("/proc/self/exe", b, 499) > 0) puts(b); puts(getcwd(b, 500)); }
  return 0;
}
)";

class FreshRun : public ::testing::Test {
protected:
  static const BuiltProgram& program() {
    static BuiltProgram built(kEnds);
    return built;
  }
  static Ending end(std::vector<std::string> args, std::string input = {}, Limits limits = {.seconds = 20}) {
    FreshRunner runner = program().runner(limits);
    return valueOf(runner.run(program().spec(std::move(args), std::move(input))));
  }
};

TEST_F(FreshRun, HowFarItHadComeInItsInputWhenItCrashed) {
  EXPECT_EQ(end({"some"}, std::string(100, 'x')).inputRead, 30u);
  EXPECT_EQ(end({"crash"}, "not read").inputRead, 0u);
}

TEST_F(FreshRun, TellsACrashByItsPlace) {
  Ending here = end({"crash"}), again = end({"crash"}), there = end({"crash there"});
  EXPECT_EQ(here.signal(), SIGSEGV);
  EXPECT_EQ(here.cut, Ending::None);
  EXPECT_EQ(here.site, 0u);
  EXPECT_NE(here.counter, 0u);
  EXPECT_EQ(here.counter, again.counter);
  EXPECT_EQ(here.epochs, again.epochs);
  EXPECT_NE(here.counter, there.counter);
}

TEST_F(FreshRun, TellsAnAbortByTheCallThatItCameFrom) {
  Ending aborted = end({"abort"}), asserted = end({"assert"});
  EXPECT_EQ(aborted.signal(), SIGABRT);
  EXPECT_EQ(asserted.signal(), SIGABRT);
  EXPECT_GE(aborted.site, 2u);
  EXPECT_GE(asserted.site, 2u);
  EXPECT_NE(aborted.site, asserted.site);
  EXPECT_THAT(asserted.errors, HasSubstr("argc > 5"));
}

TEST_F(FreshRun, TellsAnExit) {
  Ending exited = end({"exit"}), returned = end({});
  EXPECT_FALSE(exited.signalled());
  EXPECT_EQ(exited.status(), 3);
  EXPECT_EQ(exited.method, Ending::Fresh);
  EXPECT_EQ(returned.status(), 0);
  EXPECT_GT(returned.epochs, 0u);
}

TEST_F(FreshRun, CutsWhatTakesTooLong) {
  Ending hung = end({"hang"}, "", {.seconds = 0.3}), slept = end({"sleep"}, "", {.seconds = 0.3});
  EXPECT_EQ(hung.cut, Ending::Time);
  EXPECT_EQ(slept.cut, Ending::Time);
  EXPECT_EQ(hung.site, 0u);
  EXPECT_GE(slept.site, 2u) << "it waits in an outside call";
}

TEST_F(FreshRun, CutsWhatTakesTooManySteps) {
  Ending ending = end({"hang"}, "", {.seconds = 60, .epochs = 100'000});
  EXPECT_EQ(ending.cut, Ending::Steps);
  EXPECT_GT(ending.epochs, 100'000u);
}

TEST_F(FreshRun, CutsWhatTakesTooMuchMemory) {
  Ending ending = end({"memory"}, "", {.seconds = 60, .memory = 200 << 20});
  EXPECT_EQ(ending.cut, Ending::Memory);
}

TEST_F(FreshRun, CutsWhatPrintsTooMuch) {
  Ending ending = end({"flood"}, "", {.seconds = 60, .output = 100'000});
  EXPECT_EQ(ending.cut, Ending::Output);
  EXPECT_EQ(ending.output.size(), 100'000u);
}

TEST_F(FreshRun, GivesInputAndTakesOutput) {
  std::string text(300'000, 'x');
  for (InputKind kind : {InputKind::File, InputKind::Pipe}) {
    FreshRunner runner = program().runner({.seconds = 20}, {}, kind);
    Ending ending = valueOf(runner.run(program().spec({"echo"}, text)));
    EXPECT_EQ(ending.output, text);
    EXPECT_EQ(ending.errors, "done");
    EXPECT_EQ(valueOf(runner.run(program().spec({"kind"}))).output,
              kind == InputKind::File ? "file\n" : "pipe\n");
  }
}

TEST_F(FreshRun, AProgramThatReadsNothingOfALongPipeEnds) {
  FreshRunner runner = program().runner({.seconds = 20}, {}, InputKind::Pipe);
  EXPECT_EQ(valueOf(runner.run(program().spec({"exit"}, std::string(1 << 20, 'x')))).status(), 3);
}

TEST_F(FreshRun, ShowsOtherFilesInsteadOfTheRealOnes) {
  const auto& dir = program().dir();
  test::writeFile(dir / "real", "real text");
  std::filesystem::create_symlink(dir / "real", dir / "link");
  FreshRunner runner = program().runner();
  RunSpec spec = program().spec({"cat", "link"});
  EXPECT_EQ(valueOf(runner.run(spec)).output, "real text");
  spec.files = {{dir / "link", "other"}};
  EXPECT_EQ(valueOf(runner.run(spec)).output, "other");
  EXPECT_EQ(test::readFile(dir / "real"), "real text");
  spec.files.clear();
  EXPECT_EQ(valueOf(runner.run(spec)).output, "real text");
  std::filesystem::remove(dir / "link");
}

TEST_F(FreshRun, ForgetsWhatARunHasWritten) {
  const auto& dir = program().dir();
  test::writeFile(dir / "log", "12345");
  FreshRunner runner = program().runner();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(valueOf(runner.run(program().spec({"append", "log"}))).status(), 0);
    EXPECT_EQ(valueOf(runner.run(program().spec({"size", "log"}))).status(), 5);
    EXPECT_EQ(valueOf(runner.run(program().spec({"append", "fresh"}))).status(), 0);
    EXPECT_EQ(valueOf(runner.run(program().spec({"size", "fresh"}))).status(), 9);
  }
  EXPECT_EQ(test::readFile(dir / "log"), "12345");
  EXPECT_FALSE(std::filesystem::exists(dir / "fresh"));
}

TEST_F(FreshRun, ThatIsLikeTheLastIsACopyAndSeesNothingOfIt) {
  FreshRunner runner = program().runner();
  for (int i = 0; i < 6; ++i) {
    Ending ending = valueOf(runner.run(program().spec({"state"}, std::string(1, char('a' + i)))));
    EXPECT_EQ(ending.isCopy, i > 0);
    EXPECT_EQ(ending.output, fmt::format("1 1 0 0 {}\n1\n", 'a' + i));
    EXPECT_EQ(ending.status(), 0);
  }
  EXPECT_FALSE(std::filesystem::exists(program().dir() / "made"));
  Ending first = valueOf(runner.run(program().spec({"crash"}, "x")));
  Ending copy = valueOf(runner.run(program().spec({"crash"}, "y")));
  EXPECT_FALSE(first.isCopy);
  EXPECT_TRUE(copy.isCopy);
  EXPECT_EQ(copy.signal(), SIGSEGV);
  EXPECT_EQ(copy.counter, first.counter);
  EXPECT_EQ(copy.epochs, first.epochs);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(valueOf(runner.run(program().spec({"parent"}))).output, "0 -1\n");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(valueOf(runner.run(program().spec({"self"}))).output,
              program().dir() / "program" + "\n" + program().dir().path() + "\n");
}

TEST_F(FreshRun, GoesOnWhenWhatIsCopiedIsKilledOrStopped) {
  FreshRunner runner = program().runner({.seconds = 20});
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(valueOf(runner.run(program().spec({"everybody"}, "x"))).cut, Ending::None);
    Ending next = valueOf(runner.run(program().spec({"everybody"}, "x")));
    if (i < 2) EXPECT_TRUE(next.isLateCopy) << "it is made again";
    EXPECT_EQ(valueOf(runner.run(program().spec({"daemon"}))).status(), 0);
    EXPECT_EQ(valueOf(runner.run(program().spec({"daemon"}))).status(), 0);
  }
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(valueOf(runner.run(program().spec({"everybody", "stop"}, "x"))).status(), 0);
  EXPECT_EQ(valueOf(runner.run(program().spec({"echo"}, "text"))).output, "text");
}

TEST_F(FreshRun, WhatIsCopiedDoesNotCountAsAProcess) {
  FreshRunner runner = program().runner({.seconds = 20, .processes = 2});
  for (int i = 0; i < 4; ++i) {
    Ending ending = valueOf(runner.run(program().spec({"state"}, "a")));
    EXPECT_EQ(ending.cut, Ending::None) << "it has one child";
  }
}

TEST_F(FreshRun, SeesTheWorldUnderTheSameNames) {
  Ending ending = end({"self"});
  EXPECT_EQ(ending.output, program().dir() / "program" + "\n" + program().dir().path() + "\n");
  // An orphan's parent is number 1; this is none.
  EXPECT_EQ(end({"parent"}).output, "0 -1\n");
}

TEST_F(FreshRun, SaysWhyItCannotRun) {
  FreshRunner runner = program().runner();
  RunSpec spec = program().spec();
  spec.cwd = "/no/such/place";
  auto ending = runner.run(spec);
  ASSERT_FALSE(ending);
  EXPECT_THAT(ending.error().message, HasSubstr("/no/such/place"));
  EXPECT_EQ(valueOf(runner.run(program().spec({"exit"}))).status(), 3) << "and goes on";
}

TEST_F(FreshRun, RunsSeveralAtOnce) {
  FreshRunner runner = program().runner({.seconds = 20});
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        std::string text = std::to_string(t * 100 + i);
        auto ending = runner.run(program().spec({"echo"}, text));
        if (ending && ending->output == text) ++right;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 40);
}

TEST_F(FreshRun, WorksUncontained) {
  Containment none{.on = false};
  FreshRunner runner = program().runner({.seconds = 0.5, .memory = 200 << 20}, none);
  EXPECT_EQ(valueOf(runner.run(program().spec({"crash"}))).signal(), SIGSEGV);
  EXPECT_EQ(valueOf(runner.run(program().spec({"echo"}, "text"))).output, "text");
  EXPECT_EQ(valueOf(runner.run(program().spec({"hang"}))).cut, Ending::Time);
  RunSpec spec = program().spec({"cat", "a.c"});
  spec.files = {{program().dir() / "a.c", "other"}};
  EXPECT_FALSE(runner.run(spec)) << "it would write over a real file";
}

} // namespace
} // namespace faultline::experiment

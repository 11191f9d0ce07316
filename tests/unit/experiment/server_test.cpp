// Experiments in one process: each begins where it leaves the run, and leaves nothing behind for the next.
#include "experiment/server.h"
#include "unit/experiment/served_program.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

namespace faultline::experiment {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ServedProgram;

// Does much of what a process can do to itself, in an order that its input decides.
const char* const kBusy = R"(
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static int handled;
static void onSignal(int s) { handled += s; }
static jmp_buf back;
static char* big;
static size_t bigSize;
static void grow(size_t n) {
  char* more = realloc(big, n);
  if (!more) exit(41);
  if (n > bigSize) memset(more + bigSize, 7, n - bigSize);
  big = more; bigSize = n;
}
static long sum(void) { long s = 0; for (size_t k = 0; k < bigSize; k += 4096) s += big[k]; return s; }
static int once(int c) {
  switch (c) {
  case 'g': grow(bigSize + 300000); break;
  case 's': grow(bigSize > 300000 ? bigSize - 300000 : 10); break;
  case 'm': { void* p = malloc(5000); memset(p, c, 5000); free(p); break; }
  case 'M': { void* p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              memset(p, 3, 8192); munmap(p, 8192); break; }
  case 'k': signal(SIGUSR1, handled > 20 ? SIG_IGN : onSignal); raise(SIGUSR1); break;
  case 'j': if (setjmp(back) == 0) longjmp(back, 1); break;
  case 'o': { int fd = open("/etc/passwd", O_RDONLY); char b[10]; if (read(fd, b, 10) != 10) exit(42);
              int two = dup(fd); close(fd); lseek(two, 3, SEEK_SET); close(two); break; }
  case 'c': { char* p = calloc(1, 70000); for (int k = 0; k < 70000; k += 100) if (p[k]) exit(43);
              memset(p, 1, 70000); free(p); break; }
  case 'e': fprintf(stderr, "e%d ", handled); break;
  case 'x': exit(5);
  case 'a': abort();
  case 'n': return *(volatile int*)0;
  default: printf("%c%ld ", c, sum());
  }
  return 0;
}
int main(void) {
  int c, n = 0;
  while ((c = getchar()) != EOF) {
    n += once(c);
    if (n > 100 || (c == 'q' && handled > 5)) break;
  }
  printf("%d %ld\n", handled, sum());
  return handled & 3;
}
)";

const ServedProgram& busy() {
  static ServedProgram program(kBusy);
  return program;
}

// Every instruction in every epoch: most are never reached, the others are all there are.
std::vector<Experiment> allSwitches(uint64_t epochs, uint32_t instructions) {
  std::vector<Experiment> out;
  for (uint64_t epoch = 1; epoch <= epochs; ++epoch)
    for (uint32_t i = 0; i < instructions; ++i)
      out.push_back({.alterations = {{.kind = Alteration::Switch, .epoch = epoch, .instruction = i}}});
  return out;
}

void expectSame(const Ending& a, const Ending& b) {
  EXPECT_EQ(a.cut, b.cut) << a.broken << " / " << b.broken;
  EXPECT_EQ(a.waitStatus, b.waitStatus);
  EXPECT_EQ(a.epochs, b.epochs);
  EXPECT_EQ(a.site, b.site);
  EXPECT_EQ(a.counter, b.counter);
  EXPECT_EQ(a.output, b.output);
  EXPECT_EQ(a.errors, b.errors);
  EXPECT_EQ(a.reached, b.reached);
}

Ending alone(const ServerSetting& setting, const Experiment& experiment) {
  Server server(setting);
  auto endings = server.run({&experiment, 1});
  EXPECT_TRUE(bool(endings));
  return bool(endings) ? endings->at(0) : Ending{};
}

TEST(Server, WalksTheRunToItsEnd) {
  Server server(busy().setting("gsgw"));
  auto walk = server.walk();
  ASSERT_TRUE(bool(walk)) << walk.error().message;
  EXPECT_EQ(walk->ending.status(), 0);
  EXPECT_EQ(walk->ending.output, "w518 0 518\n");
}

// Where the branches stand among the instructions is not known here: what is executed five times is looked
// for.
TEST(Server, CountsHowOftenAnInstructionIsExecuted) {
  static ServedProgram program(R"(
#include <stdlib.h>
static int used;
int main(void) {
  for (int k = 0; k < 5; k++) {
    if (++used == 5) abort();
  }
  return 0;
}
)");
  size_t last = 0;
  for (uint32_t i = 0; i < 40; ++i) {
    ServerSetting setting = program.setting("");
    setting.counted = Counted{.instruction = i};
    Server server(setting);
    auto walk = server.walk();
    ASSERT_TRUE(bool(walk)) << walk.error().message;
    EXPECT_EQ(walk->ending.signal(), SIGABRT);
    if (walk->ending.executions != 5u) continue;
    // It leaves the run in the third round. Both branches end it when they go the other way: they are
    // executed once more, and never again.
    Experiment experiment{
        .alterations = {{.kind = Alteration::Switch, .epoch = 4, .instruction = i, .each = true}}};
    Ending ending = alone(setting, experiment);
    if (!ending.reached) continue;
    ASSERT_TRUE(ending.executions.has_value());
    EXPECT_GT(ending.executionsBefore, 0u);
    EXPECT_GT(*ending.executions, ending.executionsBefore);
    last += *ending.executions == ending.executionsBefore + 1;
  }
  EXPECT_EQ(last, 2u);
}

TEST(Server, AnExperimentLeavesNothingBehind) {
  ServerSetting setting = busy().setting("gmkMscojekgcwskeokkq");
  setting.keepOutput = true;
  std::vector<Experiment> experiments = allSwitches(90, 220);
  Server server(setting);
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings)) << endings.error().message;
  size_t reached = 0, different = 0, compared = 0;
  for (size_t k = 0; k < experiments.size(); ++k) {
    if (!endings->at(k).reached) continue;
    ++reached;
    different += endings->at(k).output != endings->at(0).output;
    // Every ninth, in a process where it is the only one.
    if (reached % 9 != 0) continue;
    SCOPED_TRACE(k);
    expectSame(endings->at(k), alone(setting, experiments[k]));
    ++compared;
  }
  EXPECT_GE(compared, 5u);
  EXPECT_GE(different, 10u); // or the switches do nothing
  // And the run itself is as it was.
  expectSame(endings->at(0), alone(setting, {}));
}

// What there is on a kernel that cannot list written pages.
TEST(Server, ExperimentsThatAreForkedOffEndAsThoseInOneProcess) {
  ServerSetting setting = busy().setting("gmkMscojekgcwskeokkq");
  setting.keepOutput = true;
  std::vector<Experiment> experiments = allSwitches(20, 220);
  Server server(setting);
  auto inOne = server.run(experiments);
  ASSERT_TRUE(bool(inOne)) << inOne.error().message;
  setting.forkEach = true;
  Server forking(setting);
  auto forked = forking.run(experiments);
  ASSERT_TRUE(bool(forked)) << forked.error().message;
  size_t reached = 0;
  for (size_t k = 0; k < experiments.size(); ++k) {
    SCOPED_TRACE(k);
    reached += forked->at(k).reached != 0;
    expectSame(forked->at(k), inOne->at(k));
    EXPECT_EQ(forked->at(k).method, Ending::Fork);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(reached, 10u);
  EXPECT_EQ(forking.stats().forks, experiments.size());
  EXPECT_EQ(forking.stats().rollbacks, 0u);
  EXPECT_EQ(server.stats().forks, 0u);
}

// Where a file stands is shared with what is forked off. What is killed there has not put it back.
TEST(Server, AForkedExperimentThatIsKilledLeavesFilesWhereTheyStood) {
  ServedProgram program(R"(
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  pthread_spinlock_t held;
  pthread_spin_init(&held, 0);
  pthread_spin_lock(&held);
  char c, ahead[5];
  int fd = open("p.c", O_RDONLY);
  for (int k = 0; k < 3; k++) {
    if (read(fd, &c, 1) != 1) return 1;
    printf("%c", c == '\n' ? 'n' : c);
    if (c == '~') {
      if (read(fd, ahead, 5) != 5) return 2;
      pthread_spin_lock(&held);
    }
  }
  printf("\n");
  return 0;
}
)");
  ServerSetting setting = program.setting("");
  setting.keepOutput = setting.forkEach = true;
  std::vector<Experiment> experiments = allSwitches(8, 60);
  Server server(setting);
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings)) << endings.error().message;
  size_t killed = 0, asItWas = 0;
  for (const Ending& ending : *endings) {
    killed += ending.cut == Ending::Time;
    asItWas += ending.cut == Ending::None && !ending.reached && ending.output == "n#i\n";
    if (ending.cut == Ending::None && !ending.reached) EXPECT_EQ(ending.output, "n#i\n");
  }
  EXPECT_GE(killed, 2u) << "or nothing was tried";
  EXPECT_GE(asItWas, 20u);
}

// Much memory of each kind: at once, in small pieces, moved, given back and mapped anew.
const char* const kLarge = R"(
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
enum { kBig = 12 << 20, kSmall = 1000, kSmallSize = 15000 };
static unsigned char *big[4], *mapped;
static unsigned char *small[8][kSmall];
static int bigs, smalls;
static size_t sizes[4];
static unsigned hash(const unsigned char* p, size_t size, unsigned h) {
  for (size_t k = 0; k < size; k += 100000) h = (h ^ p[k] ^ p[k / 2] ^ p[size - 1 - k]) * 16777619u;
  return h;
}
static unsigned all(void) {
  unsigned h = 1;
  for (int k = 0; k < bigs; k++) h = hash(big[k], sizes[k], h);
  for (int k = 0; k < smalls; k++)
    for (int i = 0; i < kSmall; i += 20) h = hash(small[k][i], kSmallSize, h);
  return mapped ? hash(mapped, 1 << 20, h) : h;
}
static void once(int c) {
  switch (c) {
  case 'b': big[bigs] = malloc(kBig); memset(big[bigs], 7 + bigs, kBig); sizes[bigs++] = kBig; break;
  case 's': for (int i = 0; i < kSmall; i++) memset(small[smalls][i] = malloc(kSmallSize), i, kSmallSize); smalls++; break;
  case 'f': free(big[--bigs]); break;
  case 'r': sizes[bigs - 1] += 3 << 20; big[bigs - 1] = realloc(big[bigs - 1], sizes[bigs - 1]); break;
  case 'm': mapped = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            memset(mapped, 99, 1 << 19); break;
  case 'M': mmap(mapped, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); break;
  case 'w': for (int k = 0; k < bigs; k++) for (int i = 0; i < 20; i++) big[k][i * 600011 + k]++;
            if (mapped) mapped[70000]++, mapped[700000]++;
            break;
  default: printf("%c%u ", c, all());
  }
}
int main(void) {
  int c, n = 0;
  while ((c = getchar()) != EOF) {
    once(c);
    if (c == 'q' && n++ > 2) break;
  }
  printf("%u\n", all());
  return 0;
}
)";

TEST(Server, AnExperimentOnMuchMemoryLeavesNothingBehind) {
  ServedProgram program(kLarge);
  ServerSetting setting = program.setting("bbmMssMwprwqpfwpqwpqwpmqw");
  setting.limits.epochs = 20'000;
  setting.keepOutput = true;
  Server server(setting);
  auto walk = server.walk();
  ASSERT_TRUE(bool(walk)) << walk.error().message;
  ASSERT_LT(walk->ending.epochs, 20'000u);
  uint64_t late = walk->ending.epochs * 3 / 4;
  std::vector<Experiment> experiments;
  for (uint32_t i = 0; i < 230; ++i)
    experiments.push_back(
        {.alterations = {{.kind = Alteration::Switch, .epoch = late, .instruction = i, .each = true}}});
  auto decisions = server.run(experiments);
  ASSERT_TRUE(bool(decisions)) << decisions.error().message;
  experiments.clear();
  for (uint64_t epoch = 3; epoch < walk->ending.epochs; epoch += walk->ending.epochs / 8)
    for (uint32_t i = 0; i < 230; ++i) {
      if (!decisions->at(i).reached) continue;
      for (uint64_t next : {epoch, epoch + 1})
        experiments.push_back(
            {.alterations = {{.kind = Alteration::Switch, .epoch = next, .instruction = i}}});
    }
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings)) << endings.error().message;
  size_t reached = 0, different = 0, same = 0, compared = 0;
  for (size_t k = 0; k < experiments.size(); ++k) {
    const Ending& ending = endings->at(k);
    if (ending.cut == Ending::Containment) continue; // mmap onto what is there: not in one process
    if (!ending.reached) {
      // Nothing was altered: this is the run itself.
      EXPECT_EQ(ending.output, walk->ending.output) << k;
      ++same;
      continue;
    }
    ++reached;
    different += ending.output != walk->ending.output;
    if (reached % 3 != 0) continue;
    SCOPED_TRACE(k);
    expectSame(ending, alone(setting, experiments[k]));
    ++compared;
  }
  EXPECT_GE(compared, 3u);
  EXPECT_GE(different, 5u);
  EXPECT_GE(same, 100u);
}

TEST(Server, ANewInputIsARunFromTheStart) {
  ServerSetting setting = busy().setting("gw");
  setting.keepOutput = true;
  Server server(setting);
  std::vector<Experiment> experiments;
  for (const char* input : {"w", "", "kkkq", "x", "a", "n", "gsgsgscoMj", "w"}) {
    experiments.push_back({});
    experiments.back().input = input;
  }
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings)) << endings.error().message;
  EXPECT_EQ(endings->at(0).output, "w0 0 0\n");
  EXPECT_EQ(endings->at(1).output, "0 0\n");
  EXPECT_EQ(endings->at(2).status(), 30 & 3);
  EXPECT_EQ(endings->at(3).status(), 5);
  EXPECT_EQ(endings->at(4).signal(), SIGABRT);
  EXPECT_EQ(endings->at(5).signal(), SIGSEGV);
  EXPECT_EQ(endings->at(6).status(), 0);
  expectSame(endings->at(7), endings->at(0));
  EXPECT_EQ(server.stats().processes, 1u);
}

TEST(Server, ReplacesValuesAndLeavesStatementsOut) {
  ServedProgram program(R"(
#include <stdio.h>
static int add(int a, int b) { return a + b; }
int main(void) { int x = 3; x = add(x, 4); printf("%d\n", x); return x; }
)");
  ServerSetting setting = program.setting("");
  setting.keepOutput = true;
  std::vector<Experiment> experiments;
  for (auto kind : {Alteration::ReplaceValue, Alteration::Skip})
    for (uint64_t epoch = 1; epoch <= 2; ++epoch)
      for (uint32_t i = 0; i < 40; ++i)
        experiments.push_back(
            {.alterations = {{.kind = kind, .epoch = epoch, .instruction = i, .value = 50}}});
  Server server(setting);
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings)) << endings.error().message;
  std::set<std::string> outputs;
  for (const Ending& e : *endings)
    if (e.reached) outputs.insert(fmt::format("{} {}", e.output, e.status()));
  // x = 50 at first; a = 50 or b = 50; the sum is 50; printed 50, returned 7; printed 7, returned 50.
  EXPECT_THAT(outputs, ::testing::IsSupersetOf({"54\n 54", "53\n 53", "50\n 50", "50\n 7", "7\n 50"}));
  // Left out: x = 3 (what was on the stack), the call (its result is the value given), the printing.
  EXPECT_THAT(outputs, ::testing::Contains(" 7"));
}

TEST(Server, AnEndlessRunIsCutByItsSteps) {
  ServedProgram program("int main(void) { volatile int n = 0; while (n < 3) n++; return n; }");
  ServerSetting setting = program.setting("");
  std::vector<Experiment> experiments;
  for (uint32_t i = 0; i < 20; ++i)
    experiments.push_back(
        {.alterations = {{.kind = Alteration::Switch, .epoch = 5, .instruction = i, .each = true}}});
  Server server(setting);
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings));
  size_t cut = 0;
  for (const Ending& e : *endings) cut += e.cut == Ending::Steps && e.reached;
  EXPECT_EQ(cut, 1u);
  EXPECT_EQ(endings->back().status(), 3);
}

TEST(Server, SaysWhatItCannotTakeBack) {
  ServedProgram program(R"(
#include <stdio.h>
int main(int argc, char** argv) { if (argc > 1) fclose(fopen("made", "w")); puts("done"); return 0; }
)");
  Server server(program.setting(""));
  std::vector<Experiment> experiments;
  for (uint32_t i = 0; i < 20; ++i)
    experiments.push_back({.alterations = {{.kind = Alteration::Switch, .epoch = 1, .instruction = i}}});
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings));
  size_t strange = 0;
  for (const Ending& e : *endings)
    if (e.cut == Ending::Containment) {
      ++strange;
      EXPECT_THAT(e.broken, HasSubstr("openat"));
    }
  EXPECT_EQ(strange, 1u);
  EXPECT_EQ(endings->back().status(), 0); // the next ones go on
}

// Whichever way a program takes to the kernel: through libc's functions, through syscall(), by itself.
TEST(Server, WhatReachesBeyondTheProcessIsRefusedAndCounted) {
  ServedProgram program(R"(
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
static long byItself(long number, long a, long b) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
  return result;
}
int main(int argc, char** argv) {
  if (argc > 1) {
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM) puts("a socket");
    if (kill(getppid(), 0) == 0) puts("a signal");
    if (syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0) >= 0) puts("a socket by syscall");
    if (byItself(SYS_kill, getppid(), 0) == 0) puts("a signal by itself");
  }
  puts("done");
  return 0;
}
)");
  ServerSetting setting = program.setting("");
  setting.keepOutput = true;
  Server server(setting);
  std::vector<Experiment> experiments;
  for (uint32_t i = 0; i < 60; ++i)
    experiments.push_back({.alterations = {{.kind = Alteration::Switch, .epoch = 1, .instruction = i}}});
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings));
  size_t tried = 0;
  for (const Ending& e : *endings) {
    EXPECT_THAT(e.output, ::testing::EndsWith("done\n"));
    if (e.blocked == 0) continue;
    ++tried;
    EXPECT_EQ(e.blocked, 4u);
    EXPECT_EQ(e.output, "done\n");
  }
  EXPECT_EQ(tried, 1u); // the one that switched argc > 1
}

// The catching leaves out system calls of our own library. Who jumps to one of them meets the kernel's
// refusal.
TEST(Server, WhoGoesPastTheCatchingIsRefusedByTheKernel) {
  if (syscall(444, nullptr, 0, 1) < 1) GTEST_SKIP() << "this kernel has no Landlock";
  ServedProgram program(R"(
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
static unsigned char* instruction(void) {
  char line[500];
  unsigned long begin, end;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    if (!strstr(line, "libfaultline_record") || !strstr(line, "r-xp")) continue;
    sscanf(line, "%lx-%lx", &begin, &end);
    for (unsigned char* p = (unsigned char*)begin; p + 2 < (unsigned char*)end; ++p)
      if (p[0] == 0x0f && p[1] == 0x05 && p[2] == 0xc3) return p;
    for (unsigned char* p = (unsigned char*)begin; p + 2 < (unsigned char*)end; ++p)
      if (p[0] == 0x0f && p[1] == 0x05) return p;
  }
  return 0;
}
int main(int argc, char** argv) {
  if (argc > 1) {
    unsigned char* at = instruction();
    register long mode __asm__("r10") = 0600;
    long result;
    puts("found");
    fflush(stdout);
    __asm__ volatile("call *%1" : "=a"(result) : "r"(at), "a"((long)SYS_openat), "D"((long)AT_FDCWD), "S"("made"),
                     "d"((long)(O_CREAT | O_WRONLY)), "r"(mode) : "rcx", "r11", "memory");
    return 1;
  }
  return 0;
}
)");
  ServerSetting setting = program.setting("");
  setting.keepOutput = true;
  setting.limits.seconds = 5;
  Server server(setting);
  std::vector<Experiment> experiments;
  for (uint32_t i = 0; i < 120; ++i)
    experiments.push_back(
        {.alterations = {{.kind = Alteration::Switch, .epoch = 1, .instruction = i, .each = true}}});
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings));
  size_t tried = 0;
  for (const Ending& e : *endings) tried += e.output.starts_with("found");
  EXPECT_GE(tried, 1u);
  EXPECT_GE(server.stats().landlock, 1u);
  EXPECT_FALSE(std::filesystem::exists(setting.run.cwd + "/made"));
}

TEST(Server, ARunThatDiffersFromTheRecordingHasNoOutcome) {
  ServerSetting setting = busy().setting("gw");
  setting.reference = std::make_shared<recording::MemoryLog>(std::vector<std::vector<uint8_t>>{{}});
  Experiment experiment{.alterations = {{.kind = Alteration::Switch, .epoch = 2, .instruction = 1}}};
  Ending ending = alone(setting, experiment);
  EXPECT_EQ(ending.cut, Ending::Broken);
  EXPECT_THAT(ending.broken, HasSubstr("not the recorded one"));
}

TEST(Server, ManyExperimentsLeaveNoProcessAndNoDescriptor) {
  auto descriptors = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  auto before = descriptors();
  {
    Server server(busy().setting("gmkw"));
    std::vector<Experiment> experiments;
    for (int k = 0; k < 20000; ++k)
      experiments.push_back({.alterations = {{.kind = Alteration::Switch,
                                              .epoch = uint64_t(1 + k % 7),
                                              .instruction = uint32_t(k % 200)}}});
    auto endings = server.run(experiments);
    ASSERT_TRUE(bool(endings));
    for (const Ending& e : *endings) ASSERT_NE(e.cut, Ending::Broken) << e.broken;
    EXPECT_EQ(server.stats().processes, 1u);
  }
  EXPECT_EQ(descriptors(), before);
}

const char* const kBlocks = R"(
#include <signal.h>
#include <stdio.h>
int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  int c, blocked = 0;
  while ((c = getchar()) != EOF)
    if (c == 'b') {
      sigprocmask(SIG_BLOCK, &set, NULL);
      raise(SIGUSR1);
      blocked++;
    }
  printf("%d\n", blocked);
  return 0;
}
)";

TEST(Server, ASignalThatAnExperimentLeavesBlockedDoesNotReachTheRun) {
  ServedProgram program(kBlocks);
  ServerSetting setting = program.setting("aaaaaa");
  setting.keepOutput = true;
  Server server(setting);
  auto walk = server.walk();
  ASSERT_TRUE(bool(walk)) << walk.error().message;
  auto endings = server.run(allSwitches(walk->ending.epochs, 60));
  ASSERT_TRUE(bool(endings)) << endings.error().message;
  size_t blocking = 0;
  for (const Ending& e : *endings) {
    EXPECT_EQ(e.broken, "");
    blocking += e.output == "1\n";
  }
  EXPECT_GE(blocking, 6u);
}

const char* const kLooks = R"(
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  char text[4096];
  int fd = open("/proc/self/maps", O_RDONLY);
  for (long n; (n = read(fd, text, sizeof text)) > 0;)
    if (write(1, text, n) != n) return 2;
  return close(fd);
}
)";

TEST(Server, WhoLooksAtItsMemoryMapSeesTheSameEachTime) {
  ServedProgram program(kLooks);
  ServerSetting setting = program.setting("");
  setting.keepOutput = true;
  Server server(setting);
  auto walk = server.walk();
  ASSERT_TRUE(bool(walk)) << walk.error().message;
  const std::string& seen = walk->ending.output;
  EXPECT_THAT(seen, HasSubstr("libc.so"));
  EXPECT_THAT(seen, Not(HasSubstr("experiments"))); // what is there only to make them
  constexpr uint32_t kNone = 1'000'000;
  Experiment nothing{.alterations = {{.kind = Alteration::ReplaceValue, .epoch = 1, .instruction = kNone}}};
  auto endings = server.run(std::vector<Experiment>{nothing, nothing});
  ASSERT_TRUE(bool(endings)) << endings.error().message;
  for (const Ending& e : *endings) EXPECT_EQ(e.output, seen);
}

} // namespace
} // namespace faultline::experiment

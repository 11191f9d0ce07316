// Runs that begin where the program first does what each of them must do for itself are as if they had begun
// at the start.
#include "unit/experiment/built_program.h"

#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <set>

namespace faultline::experiment {
namespace {

using testing::BuiltProgram;
using ::testing::HasSubstr;
using testing::valueOf;

// What its first word says comes before it reads; what its input says comes after.
const char* const kStarts = R"(
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
static int* nothing;
static unsigned table[20000], kept;
static char* heap[300];
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t writing = PTHREAD_RWLOCK_INITIALIZER;
static FILE* file;
static volatile int ticks;
static int is(const char* how, const char* what) { return !strcmp(how, what); }
static void onSignal(int signal) { printf("signal %d\n", signal); }
static void onTick(int signal) { ++ticks; }
static void* idle(void* word) { ++*(unsigned*)word; return NULL; }
static void* always(void* word) { for (;;) pause(); }
static size_t taken;
static int takeWithin(struct dl_phdr_info* object, size_t size, void* to) { return taken = read(0, to, 199); }
static int nothingWithin(struct dl_phdr_info* object, size_t size, void* to) { return 1; }
static void prepare(void) {
  for (unsigned k = 0; k < 20000; ++k) table[k] = k * k;
  for (unsigned k = 0; k < 300; ++k) heap[k] = strdup("some text that stays");
  ++kept;
}
static void first(const char* how) {
  pthread_t thread;
  if (is(how, "terminal") && (isatty(0) || isatty(1) || isatty(2))) puts("terminal");
  if (is(how, "print")) { puts("before"); fflush(stdout); fputs("and errors\n", stderr); }
  if (is(how, "unflushed")) fputs("waits ", stdout);
  if (is(how, "closed")) { char b[9] = ""; FILE* f = fopen("text", "r"); fgets(b, 5, f); fclose(f); kept += b[0]; }
  if (is(how, "open")) { file = fopen("text", "r"); setvbuf(file, NULL, _IONBF, 0); kept += fgetc(file); }
  if (is(how, "write")) { FILE* f = fopen("text", "a"); fputs("more", f); fclose(f); }
  if (is(how, "thread")) { pthread_create(&thread, NULL, idle, &kept); pthread_join(thread, NULL); }
  if (is(how, "threads")) pthread_create(&thread, NULL, always, NULL);
  if (is(how, "fork")) { if (fork() == 0) _exit(3); int s; wait(&s); kept += s; }
  if (is(how, "pid")) kept = getpid();
  if (is(how, "tid")) kept = gettid();
  if (is(how, "raw pid")) kept = syscall(SYS_getpid);
  if (is(how, "lock")) pthread_mutex_lock(&lock);
  if (is(how, "write lock")) pthread_rwlock_wrlock(&writing);
  if (is(how, "released")) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
  if (is(how, "random")) getrandom(&kept, sizeof kept, 0);
  if (is(how, "clock")) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); printf("%ld%09ld\n", t.tv_sec, t.tv_nsec); }
  if (is(how, "directory")) kept += chdir("/") + 1;
  if (is(how, "handler")) { signal(SIGUSR1, onSignal); signal(SIGFPE, onSignal); }
  if (is(how, "sys handler")) signal(SIGSYS, onSignal);
  if (is(how, "to all")) signal(SIGTERM, onTick);
  if (is(how, "mask")) { sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, NULL); }
  if (is(how, "alarm")) { struct itimerval v = {{0, 1000}, {0, 1000}}; signal(SIGALRM, onTick); setitimer(ITIMER_REAL, &v, NULL); }
  if (is(how, "duplicate")) kept += dup(0);
  if (is(how, "shared")) { int* s = mmap(NULL, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); kept += ++*s; heap[0] = (char*)s; }
  if (is(how, "users")) { struct passwd* p = getpwuid(getuid()); kept += p ? p->pw_name[0] : 1; setlocale(LC_ALL, ""); }
  if (is(how, "pipe")) { int ends[2]; kept += pipe(ends); kept += ends[1]; }
  if (is(how, "limit")) { struct rlimit r = {100, 100}; setrlimit(RLIMIT_NOFILE, &r); }
  if (is(how, "name")) prctl(PR_SET_NAME, "other");
  if (is(how, "crash")) *nothing = 1;
  if (is(how, "exit")) exit(5);
  if (is(how, "signal")) { signal(SIGUSR2, onSignal); raise(SIGUSR2); }
  if (is(how, "spin")) for (volatile unsigned long k = 0; k < 300000000; ++k) {}
}
static void last(const char* how) {
  if (is(how, "open")) { char b[99] = ""; fgets(b, 99, file); printf("rest %s\n", b); }
  if (is(how, "closed") || is(how, "write")) { struct stat s; stat("text", &s); printf("%ld bytes\n", (long)s.st_size); }
  if (is(how, "pid") || is(how, "raw pid")) { printf("%d\n", kept == (unsigned)getpid()); kept = 0; }
  if (is(how, "tid")) { printf("%d\n", kept == (unsigned)gettid()); kept = 0; }
  if (is(how, "lock")) printf("%d %d\n", pthread_mutex_unlock(&lock), pthread_mutex_unlock(&lock));
  if (is(how, "released")) printf("%d\n", pthread_mutex_lock(&lock) + pthread_mutex_lock(&lock) + pthread_mutex_unlock(&lock));
  if (is(how, "write lock")) { pthread_rwlock_unlock(&writing); printf("%d\n", pthread_rwlock_tryrdlock(&writing)); }
  if (is(how, "directory")) { char b[99]; puts(getcwd(b, 99)); }
  if (is(how, "handler")) { raise(SIGUSR1); raise(SIGFPE); }
  if (is(how, "sys handler")) raise(SIGSYS);
  if (is(how, "to all")) { kill(-1, SIGTERM); printf("%d\n", ticks); }
  if (is(how, "mask")) { sigset_t now; sigprocmask(SIG_BLOCK, NULL, &now); printf("%d %d\n", sigismember(&now, SIGSYS), sigismember(&now, SIGTERM)); }
  if (is(how, "alarm")) while (ticks < 3) {}
  if (is(how, "duplicate")) printf("at %ld\n", (long)lseek(3, 0, SEEK_CUR));
  if (is(how, "shared")) printf("%d\n", ++*(int*)heap[0]);
  if (is(how, "limit")) { struct rlimit r; getrlimit(RLIMIT_NOFILE, &r); printf("%d\n", (int)r.rlim_cur); }
  if (is(how, "name")) { char b[20] = ""; prctl(PR_GET_NAME, b); puts(b); }
}
static size_t take(const char* how, char* b, size_t room) {
  struct stat s;
  if (is(how, "fgets")) return fgets(b, room, stdin) ? strlen(b) : 0;
  if (is(how, "getc")) { size_t n = 0; for (int c; n < room && (c = getchar()) != EOF;) b[n++] = c; return n; }
  if (is(how, "loader lock")) { // of libc's own
    dl_iterate_phdr(takeWithin, b);
    dl_iterate_phdr(nothingWithin, NULL);
    return taken;
  }
  if (is(how, "stat")) { fstat(0, &s); printf("size %ld\n", (long)s.st_size); }
  if (is(how, "stat path")) { stat("/dev/stdin", &s); printf("size %ld\n", (long)s.st_size); }
  if (is(how, "link")) { char p[99] = ""; printf("%zd\n", readlink("/proc/self/fd/0", p, 98)); }
  if (is(how, "seek")) { printf("end %ld\n", (long)lseek(0, 0, SEEK_END)); lseek(0, 0, SEEK_SET); }
  if (is(how, "map")) { fstat(0, &s); char* m = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 0, 0); if (s.st_size) putchar(m[0]); }
  if (is(how, "poll")) { struct pollfd p = {0, POLLIN, 0}; printf("%d\n", poll(&p, 1, 0)); }
  if (is(how, "path")) { int fd = open("/dev/stdin", O_RDONLY); return read(fd, b, room); }
  if (is(how, "in") ) { int fd = open("in", O_RDONLY); return read(fd, b, room); }
  return read(0, b, room);
}
int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  char b[200] = "";
  prepare();
  first(how);
  size_t n = take(how, b, 199);
  last(how);
  unsigned sum = kept;
  for (size_t k = 0; k < n; ++k) sum += table[(unsigned char)b[k]] + (unsigned char)heap[k][k % 10];
  printf("%zu %u %d\n", n, sum, getpgrp() == getpid());
  if (b[0] == 'c') *nothing = n;
  if (b[0] == 'd') heap[299][n << 40] = 1;
  if (b[0] == 'a') abort();
  if (b[0] == 'f') { if (fork() == 0) { puts("child"); exit(1); } wait(NULL); }
  if (b[0] == 't') { pthread_t t; unsigned u = 1; pthread_create(&t, NULL, idle, &u); pthread_join(t, NULL); printf("%u\n", u); }
  if (b[0] == 'w') { FILE* f = fopen("text", "a"); fputs("more", f); fclose(f); struct stat s; stat("text", &s); printf("%ld\n", (long)s.st_size); }
  return b[0] == 'e' ? 7 : 0;
}
)";

const std::vector<std::string> kInputs = {
    "x", "", "c", "d1", "a", "e", "f", "t", std::string(150, 'y'), "more text\nlines\n"};

void expectSame(const Ending& late, const Ending& ordinary, const std::string& what) {
  EXPECT_EQ(late.output, ordinary.output) << what;
  EXPECT_EQ(late.errors, ordinary.errors) << what;
  EXPECT_EQ(late.waitStatus, ordinary.waitStatus) << what;
  EXPECT_EQ(late.cut, ordinary.cut) << what;
  EXPECT_EQ(late.epochs, ordinary.epochs) << what;
  EXPECT_EQ(late.inputRead, ordinary.inputRead) << what;
  EXPECT_EQ(late.site, ordinary.site) << what;
  EXPECT_EQ(late.counter, ordinary.counter) << what;
  EXPECT_EQ(late.instruction, ordinary.instruction) << what;
  EXPECT_EQ(late.blocked, ordinary.blocked) << what;
}

class LateCopies : public ::testing::Test {
protected:
  static const BuiltProgram& program() {
    static BuiltProgram built(kStarts, {"-pthread"});
    static const bool isThere = [] {
      test::writeFile(built.dir() / "text", "hello there");
      std::filesystem::create_symlink("/dev/stdin", built.dir() / "in");
      return true;
    }();
    (void)isThere;
    return built;
  }
  static Ending ordinary(const RunSpec& spec, InputKind kind = InputKind::File) {
    FreshRunner runner = program().runner({.seconds = 20}, {}, kind);
    return valueOf(runner.run(spec));
  }
  // Each input as a copy, and as the first run of a cell. How many of the copies were late.
  static int compare(const std::string& how, const std::vector<std::string>& inputs = {"x", "c", "lines\n"},
                     InputKind kind = InputKind::File) {
    FreshRunner runner = program().runner({.seconds = 20}, {}, kind);
    int late = 0;
    valueOf(runner.run(program().spec({how}, "first")));
    for (const std::string& input : inputs) {
      const RunSpec spec = program().spec({how}, input);
      Ending copy = valueOf(runner.run(spec));
      EXPECT_TRUE(copy.isCopy) << how;
      late += copy.isLateCopy;
      expectSame(copy, ordinary(spec, kind), how + ": " + input);
    }
    return late;
  }
};

TEST_F(LateCopies, AreMadeAndLikeOrdinaryRuns) {
  EXPECT_EQ(compare("", kInputs), int(kInputs.size()));
  EXPECT_EQ(compare("", kInputs, InputKind::Pipe), int(kInputs.size()));
  EXPECT_EQ(compare("", {"x", "y"}, InputKind::None), 2);
}

TEST_F(LateCopies, ReadAsTheProgramDoes) {
  for (const char* how :
       {"fgets", "getc", "stat", "stat path", "link", "seek", "map", "poll", "path", "in", "terminal"})
    EXPECT_EQ(compare(how), 3) << how;
}

TEST_F(LateCopies, ComeAfterWhatIsTheSameForAll) {
  for (const char* how : {"closed", "handler", "to all", "released", "users", "name", "unflushed"})
    EXPECT_EQ(compare(how), 3) << how;
}

// They begin before that, or the runs are copies of what has only been loaded.
TEST_F(LateCopies, DoThemselvesWhatCannotBeShared) {
  for (const char* how : {"print",   "open", "thread",     "threads",   "fork",        "pid",   "tid",
                          "raw pid", "lock", "write lock", "directory", "sys handler", "mask",  "duplicate",
                          "shared",  "pipe", "limit",      "crash",     "exit",        "signal"})
    compare(how);
}

TEST_F(LateCopies, AreNotMadeOfWhatHoldsALockOrAFile) {
  for (const char* how : {"open", "lock", "write lock", "loader lock"}) EXPECT_EQ(compare(how), 0) << how;
}

TEST_F(LateCopies, HaveTheirOwnTimeAndRandomNumbers) {
  FreshRunner runner = program().runner({.seconds = 20});
  std::set<std::string> seen;
  for (int i = 0; i < 5; ++i) seen.insert(valueOf(runner.run(program().spec({"random"}, "x"))).output);
  EXPECT_EQ(seen.size(), 5u);
  for (int i = 0; i < 4; ++i) {
    auto before = std::chrono::system_clock::now().time_since_epoch();
    std::string said = valueOf(runner.run(program().spec({"clock"}, "x"))).output;
    EXPECT_GE(std::stoll(said), std::chrono::nanoseconds(before).count());
  }
}

TEST_F(LateCopies, GetSignalsOfATimerThatEachHasSet) {
  FreshRunner runner = program().runner({.seconds = 20});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(valueOf(runner.run(program().spec({"alarm"}, "x"))).status(), 0);
}

TEST_F(LateCopies, LeaveNoFiles) {
  FreshRunner runner = program().runner({.seconds = 20});
  for (const char* how : {"write", ""})
    for (int i = 0; i < 5; ++i) {
      const RunSpec spec = program().spec({how}, "w");
      expectSame(valueOf(runner.run(spec)), ordinary(spec), how);
    }
}

TEST_F(LateCopies, AStartThatTakesLongDoesNotEndTheRun) {
  FreshRunner runner = program().runner({.seconds = 20});
  for (int i = 0; i < 3; ++i) {
    const RunSpec spec = program().spec({"spin"}, "e");
    EXPECT_EQ(valueOf(runner.run(spec)).status(), 7);
  }
}

TEST_F(LateCopies, FilesThatOneRunIsGivenAreSeenByItAlone) {
  FreshRunner runner = program().runner({.seconds = 20});
  RunSpec plain = program().spec({"closed"}, "x"), given = plain;
  given.files = {{program().dir() / "text", "other text"}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(valueOf(runner.run(plain)).output, HasSubstr("11 bytes"));
    Ending ending = valueOf(runner.run(given));
    EXPECT_FALSE(ending.isLateCopy);
    EXPECT_THAT(ending.output, HasSubstr("10 bytes"));
  }
}

TEST(LateCopiesOfCpp, ReadByAStream) {
  BuiltProgram program(R"(
#include <iostream>
#include <map>
#include <string>
static std::map<int, std::string> names = {{1, "one"}, {2, "two"}, {3, "three"}};
int main() {
  std::ios::sync_with_stdio(false);
  for (int n; std::cin >> n;) std::cout << names.at(n) << '\n';
})",
                       {}, "faultline-c++");
  FreshRunner runner = program.runner({.seconds = 20});
  int late = 0;
  for (const char* input : {"1", "1 2", "3", "1 4", "2 2 2"}) {
    FreshRunner other = program.runner({.seconds = 20});
    Ending ending = valueOf(runner.run(program.spec({}, input)));
    late += ending.isLateCopy;
    expectSame(ending, valueOf(other.run(program.spec({}, input))), input);
  }
  EXPECT_EQ(late, 4);
}

TEST(LateCopiesOfCpp, HaveTheirOwnRandomNumbers) {
  BuiltProgram program(R"(
#include <iostream>
#include <random>
int main() {
  unsigned long long first = std::random_device{}() * (1ull << 32) + std::random_device{}();
  std::cin.get();
  std::cout << first;
})",
                       {}, "faultline-c++");
  FreshRunner runner = program.runner({.seconds = 20});
  std::set<std::string> seen;
  for (int i = 0; i < 4; ++i) seen.insert(valueOf(runner.run(program.spec({}, "x"))).output);
  EXPECT_EQ(seen.size(), 4u);
}

} // namespace
} // namespace faultline::experiment

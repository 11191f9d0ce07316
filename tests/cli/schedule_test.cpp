// `--seed`: one seed gives one schedule, and another seed gives another one; each replays.
#include "support/run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace faultline::test {
namespace {

const std::string kBin = FAULTLINE_BIN_DIR;
const std::string kPrograms = std::string(FAULTLINE_SOURCE_DIR) + "/tests/programs";

class Schedule : public ::testing::Test {
protected:
  RunResult faultline(std::vector<std::string> words) {
    words.insert(words.begin(), kBin + "/faultline");
    return run(words, {.cwd = dir.path(), .env = {{"XDG_CACHE_HOME", dir / "cache"}}});
  }
  // What the program printed.
  std::string record(const std::string& program, int seed) {
    RunResult r = faultline(
        {"record", "-q", "--timeout", "60", "--seed", std::to_string(seed), "-o", "run.flr", "--", program});
    EXPECT_EQ(r.status, 0) << r.err;
    RunResult verified = faultline({"verify", "run.flr"});
    EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
    return r.out;
  }
  TempDir dir;
};

// Four threads that race for a counter, wait at a barrier, for slots, for each other's locks, and for a time;
// one that takes what they make; the first one spins. The order of it all is what is printed.
constexpr const char* kMeeting = R"(#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t together;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t slots;
static int queue, counter, length;
static atomic_int over;
static char trace[4000];
static void note(char c) { if (length < 3999) trace[length++] = c; }
static void *worker(void *argument) {
  int me = (int)(long)argument;
  unsigned work = me + 1;
  for (int k = 0; k < 30; k++) {
    for (int i = 0; i < 200 * (me + 1); i++) work = work * 1103515245 + 12345;
    int old = counter;
    for (int i = 0; i < 20; i++) work ^= work >> 3;
    counter = old + 1;
    note((char)('a' + me));
    pthread_mutex_lock(&lock);
    note((char)('A' + me));
    ++queue;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    if (k % 10 == 3) {
      sem_wait(&slots);
      note('s');
      if (me == 2) usleep(300);
      sem_post(&slots);
    }
    if (k % 7 == 5) {
      pthread_rwlock_wrlock(&shared);
      note('w');
      pthread_rwlock_unlock(&shared);
    }
    if (k == 15) pthread_barrier_wait(&together);
  }
  atomic_fetch_add(&over, 1);
  return 0;
}
static void *consumer(void *argument) {
  for (int got = 0; got < 120;) {
    pthread_mutex_lock(&lock);
    while (!queue) pthread_cond_wait(&filled, &lock);
    got += queue;
    queue = 0;
    note('.');
    pthread_mutex_unlock(&lock);
  }
  return argument;
}
int main(void) {
  pthread_t t[5];
  sem_init(&slots, 0, 2);
  pthread_barrier_init(&together, 0, 4);
  for (long k = 0; k < 4; k++) pthread_create(&t[k], 0, worker, (void *)k);
  pthread_create(&t[4], 0, consumer, 0);
  while (over < 4) ;
  for (int k = 0; k < 5; k++) pthread_join(t[k], 0);
  printf("%d %s\n", counter, trace);
  return 0;
}
)";

TEST_F(Schedule, IsTheSameForTheSameSeedAndAnotherForAnother) {
  writeFile(dir / "p.c", kMeeting);
  ASSERT_EQ(run({kBin + "/faultline-cc", "-g", "p.c", "-o", "p", "-pthread"}, {.cwd = dir.path()}).status, 0);
  std::set<std::string> all;
  for (int seed = 1; seed <= 4; ++seed) {
    std::string first = record("./p", seed);
    EXPECT_GT(first.size(), 200u);
    for (int again = 0; again < 3; ++again) EXPECT_EQ(record("./p", seed), first) << "seed " << seed;
    all.insert(first);
  }
  EXPECT_EQ(all.size(), 4u);
}

// What waits under a seed waits in another way: everything about threads must still work.
TEST_F(Schedule, KeepsTheMeaningOfThreadFunctions) {
  for (const char* file : {"threads_locks.c", "threads_misc.c", "threads_queue.c", "threads_c11.c",
                           "signal_threads.c", "cancel_cleanup.cpp", "cpp_threads.cpp", "exit_threads.c"}) {
    SCOPED_TRACE(file);
    bool cpp = std::string(file).ends_with(".cpp");
    std::vector<std::string> words = {kBin + (cpp ? "/faultline-c++" : "/faultline-cc"),
                                      "-g",
                                      kPrograms + "/" + file,
                                      "-o",
                                      "q",
                                      "-pthread"};
    if (cpp) words.push_back("-std=gnu++20");
    RunResult built = run(words, {.cwd = dir.path()});
    ASSERT_EQ(built.status, 0) << built.err;
    RunResult expected = run({dir / "q"}, {.cwd = dir.path()});
    for (int seed : {1, 2}) EXPECT_EQ(record("./q", seed), expected.out);
  }
}

} // namespace
} // namespace faultline::test

// `vary` on programs whose failure is known to depend on the schedule, on the layout, or on neither.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kBin = FAULTLINE_BIN_DIR;

class Vary : public ::testing::Test {
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
  // By what was varied.
  std::map<std::string, json> ask(std::vector<std::string> words, int status = 0) {
    words.insert(words.begin(), {"vary", "--json"});
    RunResult answer = faultline(words);
    EXPECT_EQ(answer.status, status) << answer.out << answer.err;
    std::map<std::string, json> out;
    json document = json::parse(answer.out, nullptr, false);
    for (const json& v : document["variations"]) out[v["what"]] = v;
    return out;
  }
  // A recording of a run that fails, in some schedule.
  void recordFailing() {
    for (int seed = 1; seed < 40; ++seed) {
      RunResult r = faultline(
          {"record", "-q", "--pass-status", "--seed", std::to_string(seed), "-o", "p.flr", "--", "./p"});
      if (r.status != 0) return;
    }
    FAIL() << "no schedule fails";
  }
  TempDir dir;
};

// The worker may come before the pointer is set.
const char* const kRace = R"(#include <pthread.h>
static int value = 3, *volatile data;
static void* worker(void* argument) {
  volatile unsigned work = 0;
  for (int k = 0; k < 20; k++) work += k;
  return (void*)(long)*data;
}
int main(void) {
  pthread_t thread;
  volatile unsigned work = 0;
  pthread_create(&thread, 0, worker, 0);
  for (int k = 0; k < 400; k++) work += k;
  data = &value;
  void* result;
  pthread_join(thread, &result);
  return (long)result != 3;
}
)";

// What is varied runs in processes of their own, and must be known for the same crash there.
TEST_F(Vary, ACrashInTheProgramItselfIsTheSameEachTime) {
  build("int main(int argc, char** argv) { int* none = 0; argc += 2; *none = argc; return argc; }\n");
  auto found = ask({"--layouts", "4", "--", "./p"});
  EXPECT_EQ(found["repetition"]["same_failure"], 3);
  EXPECT_EQ(found["layout"]["same_failure"], 4) << found["layout"];
}

TEST_F(Vary, ARaceDependsOnTheSchedule) {
  build(kRace);
  recordFailing();
  auto found = ask({"--layouts", "3", "p.flr"});
  EXPECT_EQ(found["repetition"]["same_failure"], 3);
  EXPECT_GT(int(found["schedule"]["passed"]), 0);
  EXPECT_EQ(found["layout"]["same_failure"], 3);
  // The schedule that is said to pass does.
  std::string seed = std::to_string(int(found["schedule"]["passing"]));
  EXPECT_EQ(faultline({"record", "-q", "--pass-status", "--seed", seed, "--", "./p"}).status, 0);
  EXPECT_THAT(faultline({"vary", "--layouts", "0", "p.flr"}).out,
              HasSubstr("record --seed " + seed + " -- ./p"));
}

TEST_F(Vary, AnOverflowDependsOnTheLayout) {
  build(R"(#include <stdlib.h>
#include <string.h>
int main(void) {
  char* text = malloc(24);
  int* number = malloc(24);
  *number = 7;
  memset(text, 'x', 40);
  return *number != 7;
}
)");
  auto found = ask({"--", "./p"});
  EXPECT_EQ(found["repetition"]["same_failure"], 3);
  EXPECT_EQ(found["schedule"]["skipped"], "the program has only one thread");
  EXPECT_GT(int(found["layout"]["passed"]), 5);
  EXPECT_THAT(faultline({"vary", "--", "./p"}).out, HasSubstr("depends on where things lie in memory"));
}

TEST_F(Vary, AVariableThatWasNeverSetDependsOnTheLayout) {
  build(R"(int main(int argc, char** argv) {
  int cells[4];
  if (argc > 1) for (int k = 0; k < 4; k++) cells[k] = 1;
  return cells[argc & 3] == 0;
}
)");
  EXPECT_GT(int(ask({"--", "./p"})["layout"]["passed"]), 10);
}

TEST_F(Vary, AnOrdinaryFaultDependsOnNeither) {
  build("int main(void) { return 3; }\n");
  auto found = ask({"--", "./p"});
  EXPECT_EQ(found["layout"]["same_failure"], 20);
  EXPECT_EQ(found["layout"]["depends"], false);
}

TEST_F(Vary, ARunThatPassesIsNoQuestion) {
  build("int main(void) { return 0; }\n");
  EXPECT_EQ(faultline({"vary", "--", "./p"}).status, 2);
}

// Threads run when it is altered, and the fault is no race: the same schedule is given to every experiment.
TEST_F(Vary, CriticalAndChangesAlterARunOfThreads) {
  build(R"(#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void* worker(void* argument) {
  for (int k = 0; k < 20; k++) {
    pthread_mutex_lock(&lock);
    if (k != 7) total += k;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
int main(void) {
  pthread_t threads[2];
  for (long k = 0; k < 2; k++) pthread_create(&threads[k], 0, worker, (void*)k);
  for (int k = 0; k < 2; k++) pthread_join(threads[k], 0);
  printf("%d\n", total + 7);
  return 0;
}
)");
  writeFile(dir / "right", "380\n");
  ASSERT_EQ(faultline({"record", "-q", "--expect", "right", "-o", "p.flr", "--", "./p"}).status, 0);
  RunResult answer = faultline({"critical", "--json", "p.flr"});
  ASSERT_EQ(answer.status, 0) << answer.out << answer.err;
  json critical = json::parse(answer.out);
  ASSERT_FALSE(critical["predicates"].empty());
  for (const json& p : critical["predicates"]) {
    EXPECT_EQ(p["line"], 8);
    EXPECT_TRUE(p["verified"]);
  }
  EXPECT_EQ(critical["stats"]["method"], "each in a process of its own");
  EXPECT_EQ(critical["stats"]["no_verdict"], 0) << critical["caveats"];
  EXPECT_THAT(critical["caveats"].dump(), HasSubstr("the program has threads"));
  writeFile(dir / "right", "387\n"); // a change is made in both threads
  json changes = json::parse(faultline({"changes", "--json", "--expect", "right", "--", "./p"}).out);
  ASSERT_FALSE(changes["changes"].empty());
  for (const json& c : changes["changes"]) EXPECT_TRUE(c["verified"]) << c;
}

} // namespace
} // namespace faultline::test

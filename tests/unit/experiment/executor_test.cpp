#include "experiment/cached_executor.h"
#include "experiment/executor.h"
#include "experiment/local_executor.h"
#include "unit/experiment/built_program.h"

#include <atomic>
#include <gmock/gmock.h>
#include <poll.h>
#include <set>
#include <sys/wait.h>
#include <thread>

namespace faultline::experiment {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::valueOf;

// Fails, as the original does, with status 1 at site 5 unless its input is "good".
Ending endingFor(const RunSpec& spec) {
  Ending ending;
  ending.site = 5;
  ending.waitStatus = spec.input == "good" ? 0 : 1 << 8;
  ending.output = spec.input;
  return ending;
}
Judge judge() { return valueOf(Judge::create({}, endingFor({}), "/")); }
RunSpec specOf(std::string input) {
  RunSpec spec;
  spec.input = std::move(input);
  return spec;
}
bool isStopped(int stop, int milliseconds) {
  pollfd fd{stop, POLLIN, 0};
  return poll(&fd, 1, milliseconds) > 0;
}

TEST(LocalExecutor, GivesOutcomesInTheOrderOfTheRequest) {
  // Later ones are faster.
  auto run = [](const RunSpec& spec, int) -> Result<Ending> {
    std::this_thread::sleep_for(std::chrono::milliseconds(20 - std::stoi(spec.input)));
    return endingFor(spec);
  };
  auto executor = valueOf(LocalExecutor::create(run, judge(), 4));
  std::vector<std::string> got;
  auto done = runInOrder(
      *executor, 20, [](size_t i) { return specOf(std::to_string(i)); },
      [&](size_t i, const Outcome& outcome) {
        EXPECT_EQ(outcome.ending.output, std::to_string(i));
        EXPECT_EQ(outcome.verdict, Verdict::SameFailure);
        got.push_back(outcome.ending.output);
        return true;
      });
  EXPECT_TRUE(done);
  EXPECT_EQ(got.size(), 20u);
  EXPECT_EQ(executor->stats().done, 20u);
  EXPECT_EQ(executor->stats().underWay, 0u);
}

TEST(LocalExecutor, MakesOnlyWhatThereIsRoomForAndStopsWhenTold) {
  std::atomic<int> made = 0, begun = 0;
  auto run = [&](const RunSpec& spec, int stop) -> Result<Ending> {
    ++begun;
    if (spec.input != "0") isStopped(stop, 60'000); // would take for ever
    return endingFor(spec);
  };
  auto executor = valueOf(LocalExecutor::create(run, judge(), 3));
  ASSERT_TRUE(runInOrder(
      *executor, 1'000'000,
      [&](size_t i) {
        ++made;
        return specOf(std::to_string(i));
      },
      [](size_t, const Outcome&) { return false; }));
  executor.reset();
  EXPECT_LE(made, 3);
  EXPECT_LE(begun, 3);
}

TEST(LocalExecutor, ACancelledRunDoesNotEndTheNextOne) {
  auto run = [&](const RunSpec& spec, int stop) -> Result<Ending> {
    bool stopped = isStopped(stop, spec.input == "long" ? 60'000 : 50);
    Ending ending = endingFor(spec);
    if (stopped) ending.cut = Ending::Broken;
    return ending;
  };
  auto executor = valueOf(LocalExecutor::create(run, judge(), 1));
  for (int i = 0; i < 5; ++i) {
    auto first = executor->submit(specOf("long")), second = executor->submit(specOf("good"));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    executor->cancel(first);
    EXPECT_EQ(valueOf(executor->wait(second)).verdict, Verdict::Passed);
  }
  EXPECT_EQ(executor->stats().cancelled, 5u);
  EXPECT_EQ(executor->stats().underWay, 0u);
}

TEST(LocalExecutor, TellsWhatCannotBeRun) {
  auto run = [](const RunSpec&, int) -> Result<Ending> { return errorf("no such folder"); };
  auto executor = valueOf(LocalExecutor::create(run, judge(), 2));
  auto outcome = executor->run(specOf("x"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "no such folder");
}

TEST(LocalExecutor, RunsProgramsAndEndsThoseThatAreNoLongerWanted) {
  testing::BuiltProgram program(
      "#include <stdio.h>\n#include <unistd.h>\n"
      "int main(void) { int c = getchar(); if (c == 's') pause(); return c == 'x'; }");
  auto runner = std::make_shared<FreshRunner>(program.runner({.seconds = 100}));
  Ending original = valueOf(runner->run(program.spec({}, "x")));
  auto executor = valueOf(
      LocalExecutor::create([runner](const RunSpec& spec, int stop) { return runner->run(spec, stop); },
                            valueOf(Judge::create({}, original, "/")), 2));
  auto slow = executor->submit(program.spec({}, "s"));
  EXPECT_EQ(valueOf(executor->run(program.spec({}, "x"))).verdict, Verdict::SameFailure);
  EXPECT_EQ(valueOf(executor->run(program.spec({}, "y"))).verdict, Verdict::Passed);
  executor->cancel(slow);
  executor.reset(); // would wait for the slow one for 100 s
}

class Cached : public ::testing::Test {
protected:
  // Counts what is really run.
  std::unique_ptr<CachedExecutor> executor(Setting setting = {}) {
    auto run = [this](const RunSpec& spec, int) -> Result<Ending> {
      ++runs_;
      return endingFor(spec);
    };
    std::shared_ptr<VerdictCache> cache = valueOf(VerdictCache::open(dir_ / "verdicts"));
    notice_ = cache->notice();
    return std::make_unique<CachedExecutor>(valueOf(LocalExecutor::create(run, judge(), 2)), cache,
                                            std::move(setting));
  }
  test::TempDir dir_;
  std::atomic<int> runs_ = 0;
  std::string notice_;
};

TEST_F(Cached, AnInterruptedSearchGoesOnWhereItWas) {
  auto search = [&](size_t until) {
    auto executor = this->executor();
    std::vector<Verdict> verdicts;
    EXPECT_TRUE(runInOrder(
        *executor, until, [](size_t i) { return specOf(i == 3 ? "good" : std::to_string(i)); },
        [&](size_t, const Outcome& outcome) {
          verdicts.push_back(outcome.verdict);
          return true;
        }));
    return verdicts;
  };
  auto first = search(5);
  EXPECT_EQ(runs_, 5);
  auto second = search(8);
  EXPECT_EQ(runs_, 8) << "only what was not known";
  EXPECT_EQ(std::vector(second.begin(), second.begin() + 5), first);
  EXPECT_EQ(first[3], Verdict::Passed);
}

TEST_F(Cached, WhatTheVerdictDependsOnIsInTheKey) {
  Setting setting;
  RunSpec spec = specOf("x");
  std::string key = verdictKey(setting, spec);
  EXPECT_EQ(verdictKey(setting, spec), key);
  std::vector<std::function<void(Setting&, RunSpec&)>> changes = {
      [](Setting& s, RunSpec&) { s.programKey = "other"; },
      [](Setting& s, RunSpec&) { s.origin = "another recording"; },
      [](Setting& s, RunSpec&) { s.limits.seconds = 3; },
      [](Setting& s, RunSpec&) { s.limits.memory = 3; },
      [](Setting& s, RunSpec&) { s.expectation.output = ""; },
      [](Setting& s, RunSpec&) { s.expectation.oracle = "true"; },
      [](Setting& s, RunSpec&) { s.original.site = 9; },
      [](Setting& s, RunSpec&) { s.containment.on = false; },
      [](Setting& s, RunSpec&) { s.input = InputKind::Pipe; },
      [](Setting&, RunSpec& r) { r.input = "y"; },
      [](Setting&, RunSpec& r) { r.argv = {"x"}; },
      [](Setting&, RunSpec& r) { r.env = {"x"}; },
      [](Setting&, RunSpec& r) { r.cwd = "/x"; },
      [](Setting&, RunSpec& r) { r.files = {{"/a", "b"}}; },
      [](Setting&, RunSpec& r) { r.alterations = {{.epoch = 1}}; }};
  std::set<std::string> keys = {key};
  for (const auto& change : changes) {
    Setting other = setting;
    RunSpec run = spec;
    change(other, run);
    keys.insert(verdictKey(other, run));
  }
  EXPECT_EQ(keys.size(), changes.size() + 1);
}

TEST_F(Cached, ADamagedFileIsThrownAwayAndThatIsSaid) {
  executor()->run(specOf("1")).value();
  std::string file = dir_ / "verdicts";
  test::writeFile(file,
                  "this is no database, but long enough to be looked at as one" + std::string(5000, 'x'));
  std::filesystem::remove(file + "-wal");
  std::filesystem::remove(file + "-shm");
  EXPECT_EQ(valueOf(executor()->run(specOf("1"))).verdict, Verdict::SameFailure);
  EXPECT_THAT(notice_, ::testing::HasSubstr("damaged"));
  EXPECT_EQ(runs_, 2);
  EXPECT_TRUE(valueOf(executor()->run(specOf("1"))).cached);
  EXPECT_THAT(notice_, IsEmpty());
}

TEST_F(Cached, DamageInTheMiddleIsFoundWhenItIsMet) {
  auto cache = valueOf(VerdictCache::open(dir_ / "verdicts"));
  for (int i = 0; i < 3000; ++i)
    cache->store(verdictKey({}, specOf(std::to_string(i))), {Verdict::Passed, {}});
  cache.reset();
  std::string file = dir_ / "verdicts", bytes = test::readFile(file);
  ASSERT_GT(bytes.size(), 100'000u);
  std::fill(bytes.begin() + 8192, bytes.end() - 4096, '\x5a');
  test::writeFile(file, bytes);
  cache = valueOf(VerdictCache::open(file));
  for (int i = 0; i < 3000; ++i) (void)cache->find(verdictKey({}, specOf(std::to_string(i))));
  EXPECT_THAT(cache->notice(), ::testing::HasSubstr("damaged"));
  std::string key = verdictKey({}, specOf("new"));
  cache->store(key, {Verdict::Passed, {}});
  EXPECT_TRUE(cache->find(key)) << "and works again";
}

TEST_F(Cached, WhatMayBeOtherwiseNextTimeIsNotKept) {
  auto cache = valueOf(VerdictCache::open(dir_ / "verdicts"));
  Outcome broken{Verdict::None, {}}, slow = broken, hung = broken;
  broken.ending.cut = Ending::Broken;
  slow.ending.cut = Ending::Time;
  hung = slow;
  hung.verdict = Verdict::SameFailure;
  cache->store("broken", broken);
  cache->store("slow", slow);
  cache->store("hung", hung);
  EXPECT_FALSE(cache->find("broken"));
  EXPECT_FALSE(cache->find("slow"));
  EXPECT_TRUE(cache->find("hung"));
}

TEST_F(Cached, AWorldIsKeptForTheRunItWasMadeFor) {
  World world{.pid = 7, .clock = uint64_t(1) << 60};
  valueOf(VerdictCache::open(dir_ / "verdicts"))->storeWorld("run", world);
  auto cache = valueOf(VerdictCache::open(dir_ / "verdicts"));
  EXPECT_EQ(cache->findWorld("run"), world);
  EXPECT_FALSE(cache->findWorld("another"));
}

TEST_F(Cached, TheFileStaysWithinItsBound) {
  constexpr uint64_t kMost = 300'000;
  auto cache = valueOf(VerdictCache::open(dir_ / "verdicts", kMost));
  for (int i = 0; i < 20'000; ++i)
    cache->store(verdictKey({}, specOf(std::to_string(i))), {Verdict::Passed, {}});
  EXPECT_TRUE(cache->find(verdictKey({}, specOf("19999")))) << "the last ones are there";
  cache.reset();
  EXPECT_LT(std::filesystem::file_size(dir_ / "verdicts"), 3 * kMost);
}

TEST_F(Cached, SeveralProcessesMayUseItAtOnce) {
  // All at once, at making the file too.
  int begin[2];
  ASSERT_EQ(pipe(begin), 0);
  std::vector<pid_t> children;
  for (int c = 0; c < 8; ++c) {
    pid_t pid = fork();
    if (pid == 0) {
      char none;
      close(begin[1]);
      (void)!read(begin[0], &none, 1);
      auto cache = VerdictCache::open(dir_ / "verdicts");
      if (!cache) _exit(1);
      for (int i = 0; i < 200; ++i) (*cache)->store(fmt::format("{}-{}", c, i), {Verdict::Passed, {}});
      for (int i = 0; i < 200; ++i)
        if (!(*cache)->find(fmt::format("{}-{}", c, i))) _exit(2);
      _exit((*cache)->notice().empty() ? 0 : 3);
    }
    children.push_back(pid);
  }
  close(begin[0]);
  close(begin[1]);
  for (pid_t pid : children) {
    int status;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

} // namespace
} // namespace faultline::experiment

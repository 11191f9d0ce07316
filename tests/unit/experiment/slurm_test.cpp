// Experiments on a cluster: a real controller and a real node, started for the test.
#include "experiment/local_executor.h"
#include "experiment/slurm_executor.h"
#include "support/slurm_cluster.h"
#include "unit/experiment/built_program.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

namespace faultline::experiment {
namespace {

using test::SlurmCluster;
using testing::BuiltProgram;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::valueOf;

const char* const kProgram = R"(
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
  char line[100] = "";
  if (!fgets(line, 100, stdin)) return 0;
  printf("got %s", line);
  fflush(stdout);
  if (line[0] == 's') pause();
  if (atoi(line) % 3 == 0) abort();
  return atoi(line) % 5 == 0 ? 2 : 0;
}
)";

class OnACluster : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    if (SlurmCluster::whyNot().empty()) cluster_ = new SlurmCluster;
  }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }
  void SetUp() override {
    if (!cluster_) GTEST_SKIP() << SlurmCluster::whyNot();
    program_.emplace(kProgram);
    runner_ = std::make_shared<FreshRunner>(program_->runner());
    Ending original = valueOf(runner_->run(program_->spec({}, "3")));
    judge_ = valueOf(Judge::create({}, original, "/"));
    setting_ = {.program = FreshProgram::of(program_->variant(), program_->dir() / "program"),
                .programKey = program_->variant().key,
                .original = judge_->original(),
                .directory = "/"};
  }
  void TearDown() override {
    if (!cluster_) return;
    EXPECT_TRUE(std::filesystem::is_empty(shared_.path())) << "nothing is left behind";
  }
  SlurmOptions options() const {
    return {.shared = shared_.path(), .worker = std::string(FAULTLINE_BIN_DIR) + "/faultline"};
  }
  // "12 got 12 ..." for each run.
  std::vector<std::string> search(Executor& executor, size_t count) const {
    std::vector<std::string> got;
    auto done = runInOrder(
        executor, count, [&](size_t i) { return program_->spec({}, std::to_string(i + 1)); },
        [&](size_t i, const Outcome& o) {
          got.push_back(fmt::format("{} {} {} {} {}", i, int(o.verdict), o.ending.waitStatus, o.ending.site,
                                    o.ending.output));
          return true;
        });
    EXPECT_TRUE(done) << done.error().message;
    return got;
  }

  static SlurmCluster* cluster_;
  test::TempDir shared_;
  std::optional<BuiltProgram> program_;
  std::shared_ptr<FreshRunner> runner_;
  std::optional<Judge> judge_;
  Setting setting_;
};
SlurmCluster* OnACluster::cluster_ = nullptr;

TEST_F(OnACluster, TheResultsAreThoseOfThisMachineInTheSameOrder) {
  auto cluster = valueOf(SlurmExecutor::create(setting_, options()));
  auto local = valueOf(LocalExecutor::create(
      [this](const RunSpec& spec, int stop) { return runner_->run(spec, stop); }, *judge_, 2));
  auto there = search(*cluster, 70), here = search(*local, 70);
  EXPECT_EQ(there, here);
  EXPECT_EQ(there.size(), 70u);
  EXPECT_EQ(cluster->stats().done, 70u);
  EXPECT_EQ(cluster->stats().retried, 0u);
}

TEST_F(OnACluster, ATaskThatIsLostIsTriedAgain) {
  // The first task of all ends without a word, as if its node had been switched off.
  std::string worker = program_->dir() / "worker", mark = program_->dir() / "lost";
  test::writeFile(worker, fmt::format("#!/bin/sh\nif mkdir {} 2>/dev/null; then exit 1; fi\nexec {} \"$@\"\n",
                                      mark, options().worker));
  chmod(worker.c_str(), 0755);
  SlurmOptions options = this->options();
  options.worker = worker;
  auto cluster = valueOf(SlurmExecutor::create(setting_, options));
  EXPECT_EQ(search(*cluster, 8).size(), 8u);
  EXPECT_TRUE(std::filesystem::exists(mark));
  EXPECT_EQ(cluster->stats().retried, 1u);
}

TEST_F(OnACluster, WhatCannotBeRunIsSaid) {
  SlurmOptions options = this->options();
  options.retries = 0;
  setting_.program.variant = "/no/such/program";
  auto cluster = valueOf(SlurmExecutor::create(setting_, options));
  auto outcome = cluster->run(program_->spec({}, "1"));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("/no/such/program"));
}

TEST_F(OnACluster, WhatIsNoLongerWantedIsEnded) {
  setting_.limits.seconds = 1000;
  auto cluster = valueOf(SlurmExecutor::create(setting_, options()));
  auto ticket = cluster->submit(program_->spec({}, "sleep"));
  for (int i = 0; i < 200 && SlurmCluster::tasks() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(SlurmCluster::tasks(), 1u);
  cluster->cancel(ticket);
  EXPECT_EQ(cluster->stats().cancelled, 1u);
  for (int i = 0; i < 200 && SlurmCluster::tasks() > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(SlurmCluster::tasks(), 0u);
  // And what nobody waits for when the search ends.
  cluster->submit(program_->spec({}, "sleep"));
  for (int i = 0; i < 200 && SlurmCluster::tasks() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  cluster.reset();
  for (int i = 0; i < 200 && SlurmCluster::tasks() > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(SlurmCluster::tasks(), 0u);
}

TEST(Slurm, WithoutAClusterItSaysSo) {
  test::TempDir shared, empty;
  test::ScopedVariable none("PATH", empty.path());
  auto executor = SlurmExecutor::create({}, {.shared = shared.path(), .worker = "faultline"});
  ASSERT_FALSE(executor);
  EXPECT_THAT(executor.error().message, HasSubstr("sinfo"));
  EXPECT_TRUE(std::filesystem::is_empty(shared.path()));
}

TEST(Slurm, WritesAndReadsRangesOfTasks) {
  EXPECT_EQ(taskRanges({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_THAT(tasksIn("0-2,5,7-8%3"), ElementsAre(0, 1, 2, 5, 7, 8));
  EXPECT_THAT(tasksIn("4 RUNNING"), ElementsAre(4));
  EXPECT_TRUE(tasksIn("N/A").empty());
}

} // namespace
} // namespace faultline::experiment

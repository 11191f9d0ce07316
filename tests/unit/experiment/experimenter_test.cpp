// Experiments within processes that go back: where they take long, several processes make them side by side.
#include "experiment/experimenter.h"
#include "unit/experiment/served_program.h"

#include <algorithm>
#include <set>

namespace faultline::experiment::testing {
namespace {

// Each round takes long; the 20th decides what is printed.
const char* const kRounds = R"(#include <stdio.h>
int main(void) {
  volatile unsigned long work = 0;
  unsigned long sum = 0;
  for (int round = 0; round < 40; round++) {
    for (int k = 0; k < 1500; k++)
      work += (unsigned long)k * k;
    if (round != 19) sum += (unsigned long)round;
  }
  printf("%lu\n", sum);
  return 0;
}
)";

class SideBySide : public ::testing::Test {
protected:
  static uint32_t branchOf(const fir::Image& image, uint32_t line) {
    for (uint32_t k = 0; k < image.instructions.size(); ++k) {
      const fir::Instruction& i = image.instructions[k];
      if (i.op == fir::Op::CondBr && i.location && image.locations[i.location].line == line) return k;
    }
    ADD_FAILURE() << "no branch in line " << line;
    return 0;
  }
};

TEST_F(SideBySide, TheyComeToTheSame) {
  ServedProgram program(kRounds);
  const uint32_t branch = branchOf(program.image(), 8);
  std::map<unsigned, std::vector<std::string>> outputs; // by jobs
  std::map<unsigned, uint64_t> processes;
  for (unsigned jobs : {1u, 3u}) {
    ExperimenterSetting setting;
    setting.server = program.setting("");
    setting.server.limits.epochs = 1'000'000;
    setting.server.keepOutput = true;
    setting.jobs = jobs;
    Experimenter experimenter(setting);
    auto walked = experimenter.walk();
    ASSERT_TRUE(bool(walked)) << walked.error().message;
    ASSERT_EQ(experimenter.reason(), "");
    // The n-th execution of the decision, counted from the start of the run.
    std::vector<Experiment> experiments;
    for (uint64_t k = 0; k < 4000; ++k) {
      Alteration a{.kind = Alteration::Switch, .epoch = 1, .instruction = branch};
      a.nth = k % 40 + 1;
      experiments.push_back({.alterations = {a}});
    }
    for (int time = 0; time < 2; ++time) { // that it takes long is known after the first
      std::set<size_t> told;
      auto endings = experimenter.run(experiments, [&](size_t number, const Ending&) {
        EXPECT_TRUE(told.insert(number).second) << number;
        return true;
      });
      ASSERT_TRUE(bool(endings)) << endings.error().message;
      EXPECT_EQ(told.size(), experiments.size());
      outputs[jobs].clear();
      for (const Ending& e : *endings) outputs[jobs].push_back(e.output);
    }
    processes[jobs] = experimenter.stats().processes;
    EXPECT_EQ(experimenter.stats().experiments, 2 * experiments.size());
    // Who has seen enough stops all of them.
    size_t seen = 0;
    auto stopped = experimenter.run(experiments, [&](size_t, const Ending&) { return ++seen < 10; });
    ASSERT_TRUE(bool(stopped));
    EXPECT_EQ(seen, 10u);
    EXPECT_GT(std::ranges::count(*stopped, Ending::Broken, &Ending::cut), 3000);
  }
  EXPECT_EQ(outputs[1], outputs[3]);
  EXPECT_EQ(outputs[1][18], std::to_string(780 - 19 - 18) + "\n");
  EXPECT_EQ(outputs[1][19], "780\n");
  EXPECT_GE(processes[3], processes[1] + 2);
}

} // namespace
} // namespace faultline::experiment::testing

// Alterations of the schedule and of the layout: each in a process of its own, on the schedule of its seed.
#include "experiment/experimenter.h"
#include "unit/experiment/served_program.h"

#include <algorithm>
#include <set>

namespace faultline::experiment::testing {
namespace {

const char* const kLetters = R"(#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static char trace[600];
static int length;
static void* worker(void* letter) {
  for (int k = 0; k < 250; k++) trace[length++] = *(char*)letter;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, "a");
  pthread_create(&b, 0, worker, "b");
  pthread_join(a, 0);
  pthread_join(b, 0);
  puts(trace);
  return 0;
}
)";

class Schedules : public ::testing::Test {
protected:
  static Experimenter experimenterFor(const ServedProgram& program, uint64_t seed) {
    ExperimenterSetting setting;
    setting.server = program.setting("");
    setting.server.seed = seed;
    setting.server.keepOutput = true;
    return Experimenter(setting);
  }
  static Ending only(Experimenter& experimenter, Experiment experiment) {
    auto endings = experimenter.run({&experiment, 1});
    EXPECT_TRUE(bool(endings)) << (bool(endings) ? "" : endings.error().message);
    return bool(endings) ? endings->at(0) : Ending{};
  }
};

TEST_F(Schedules, AnotherThreadGoesOnWhereItIsAsked) {
  ServedProgram program(kLetters);
  Experimenter experimenter = experimenterFor(program, 5);
  auto walked = experimenter.walk();
  ASSERT_TRUE(bool(walked)) << walked.error().message;
  EXPECT_NE(experimenter.reason(), ""); // threads
  std::string before = only(experimenter, {}).output;
  EXPECT_EQ(before.size(), 501u);
  EXPECT_EQ(only(experimenter, {}).output, before);
  // Some epoch in the middle: whoever writes there is interrupted by the other.
  size_t reached = 0;
  std::set<std::string> seen{before};
  for (uint64_t epoch = 100; epoch < 300; epoch += 40)
    for (uint64_t thread : {1, 2}) {
      Experiment asked{.alterations = {{.kind = Alteration::Thread, .epoch = epoch, .value = thread}}};
      Ending ending = only(experimenter, asked);
      EXPECT_EQ(ending.status(), 0);
      EXPECT_EQ(ending.output.size(), before.size());
      reached += ending.reached == 1;
      if (ending.reached == 0) EXPECT_EQ(ending.output, before) << "nothing else is other";
      seen.insert(ending.output);
    }
  EXPECT_GE(reached, 3u);
  EXPECT_GE(seen.size(), 3u);
}

TEST_F(Schedules, AnAlterationIsReachedOnTheScheduleOfTheSeed) {
  ServedProgram program(kLetters);
  Experimenter experimenter = experimenterFor(program, 5);
  ASSERT_TRUE(bool(experimenter.walk()));
  std::string before = only(experimenter, {}).output;
  // A decision is somewhere; what lies before it is as it was.
  size_t reached = 0;
  for (uint32_t id = 0; id < 40; ++id) {
    Ending ending =
        only(experimenter, {.alterations = {{.kind = Alteration::Switch, .epoch = 200, .instruction = id}}});
    if (ending.reached == 0) continue;
    ++reached;
    size_t same = size_t(std::ranges::mismatch(ending.output, before).in1 - ending.output.begin());
    EXPECT_GE(same, 150u);
  }
  EXPECT_GE(reached, 1u);
}

TEST_F(Schedules, OtherSeedsAndLayoutsAreProcessesOfTheirOwn) {
  ServedProgram program(R"(#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char* first = malloc(32);
  char* second = malloc(32);
  int cell = 3, *at = &cell;
  printf("%ld %p\n", (long)(second - first), (void*)at);
  return 0;
}
)");
  Experimenter experimenter = experimenterFor(program, 1);
  auto walked = experimenter.walk();
  ASSERT_TRUE(bool(walked)) << walked.error().message;
  EXPECT_EQ(experimenter.reason(), ""); // one process would do
  std::string usual = only(experimenter, {}).output;
  EXPECT_EQ(experimenter.freshRuns(), 0u);
  EXPECT_EQ(only(experimenter, {.alterations = {}, .seed = 9}).output, usual);
  std::set<std::string> seen;
  for (uint64_t layout = 1; layout <= 5; ++layout)
    seen.insert(only(experimenter, {.alterations = {}, .layout = layout}).output);
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_FALSE(seen.contains(usual));
  EXPECT_EQ(only(experimenter, {.alterations = {}, .layout = 3}).output,
            only(experimenter, {.alterations = {}, .layout = 3}).output);
  EXPECT_EQ(experimenter.freshRuns(), 8u);
}

} // namespace
} // namespace faultline::experiment::testing

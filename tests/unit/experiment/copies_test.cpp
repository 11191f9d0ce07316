// Code that may be altered is there twice (compiler/pieces.h): what runs in the copy must be the same
// program.
#include "unit/experiment/served_program.h"

#include <csignal>
#include <gtest/gtest.h>
#include <set>

namespace faultline::experiment {
namespace {

using testing::ServedProgram;

const char* const kMixed = R"(
#include <stdio.h>
#include <stdlib.h>
struct pair { int left, right; double share; };
static struct pair pairs[4];
static const char kNames[] = "abcd";
static long double wide = 1.5L;
static int pick(int n, int k) {
  switch (n & 3) {
  case 0: return k > 2 && n < 9 ? k : n;
  case 1: wide += n; return (int)wide;
  case 2: { struct pair copy = pairs[k & 3]; copy.left++; return copy.left - copy.right; }
  default: return n / (k | 1) + kNames[k & 3];
  }
}
int main(void) {
  unsigned char small = 250;
  int* where = malloc(4 * sizeof *where);
  for (int k = 0; k < 8; k++) {
    small += (unsigned char)k;
    pairs[k & 3].left += k;
    pairs[k & 3].right = small;
    pairs[k & 3].share = k * 0.5 - pairs[k & 3].share;
    where[k & 3] = pick(k, pairs[k & 3].left);
    printf("%d %d %g %d\n", k, small, pairs[k & 3].share, where[k & 3]);
  }
  free(where);
  return small & 7;
}
)";

std::vector<Experiment> allOf(uint64_t epochs, uint32_t instructions) {
  std::vector<Experiment> out;
  for (auto kind : {Alteration::Switch, Alteration::ReplaceValue, Alteration::Skip})
    for (uint64_t epoch = 1; epoch <= epochs; epoch += 3)
      for (uint32_t i = 0; i < instructions; ++i)
        out.push_back(
            {.alterations = {
                 {.kind = kind, .epoch = epoch, .instruction = i, .value = 3, .each = i % 5 == 0}}});
  return out;
}

TEST(Copies, AQuicklyBuiltVariantAnswersAsTheOther) {
  ServedProgram better(kMixed), quick(kMixed, compiler::VariantKind::QuickAlter);
  std::vector<Experiment> experiments = allOf(20, 330);
  std::vector<Ending> endings[2];
  for (int k = 0; k < 2; ++k) {
    ServerSetting setting = (k ? quick : better).setting("");
    setting.keepOutput = true;
    Server server(setting);
    auto made = server.run(experiments);
    ASSERT_TRUE(bool(made)) << made.error().message;
    endings[k] = std::move(*made);
  }
  size_t reached = 0;
  std::set<std::string> outputs;
  for (size_t k = 0; k < experiments.size(); ++k) {
    const Ending &a = endings[0][k], &b = endings[1][k];
    SCOPED_TRACE(k);
    EXPECT_EQ(a.reached, b.reached);
    EXPECT_EQ(a.cut, b.cut);
    EXPECT_EQ(a.waitStatus, b.waitStatus);
    EXPECT_EQ(a.epochs, b.epochs);
    EXPECT_EQ(a.output, b.output);
    if (::testing::Test::HasFailure()) return;
    reached += a.reached != 0;
    outputs.insert(a.output);
  }
  EXPECT_GE(reached, 200u);
  EXPECT_GE(outputs.size(), 60u); // or the alterations do nothing
}

// All of main's last line is one piece: an alteration in it lets the copy run, and crash.
TEST(Copies, ACrashInACopySaysItsInstruction) {
  ServedProgram program(R"(
static int* none;
int main(int argc, char** argv) { return argc * 5 + *none; }
)");
  ServerSetting setting = program.setting("");
  Server server(setting);
  auto walk = server.walk();
  ASSERT_TRUE(bool(walk)) << walk.error().message;
  EXPECT_EQ(walk->ending.signal(), SIGSEGV);
  EXPECT_NE(walk->ending.counter, 0u);
  EXPECT_EQ(walk->ending.instruction, 0u);
  std::vector<Experiment> experiments;
  for (uint32_t i = 0; i < 30; ++i)
    experiments.push_back(
        {.alterations = {{.kind = Alteration::ReplaceValue, .epoch = 1, .instruction = i, .value = 0}}});
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings)) << endings.error().message;
  std::set<uint64_t> instructions;
  size_t crashes = 0;
  for (const Ending& e : *endings) {
    if (!e.reached || e.signal() != SIGSEGV) continue;
    ++crashes;
    EXPECT_NE(e.counter, walk->ending.counter);
    instructions.insert(e.instruction);
  }
  EXPECT_GE(crashes, 2u);
  ASSERT_EQ(instructions.size(), 1u);
  EXPECT_NE(*instructions.begin(), 0u);
}

} // namespace
} // namespace faultline::experiment

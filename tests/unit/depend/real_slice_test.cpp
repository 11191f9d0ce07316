// The walk against the reference on real programs, built and recorded by the commands. The reference knows
// nothing of outside code, nor what it wrote unless replay had to be told: slices that get there are not
// compared.
#include "depend/models.h"
#include "depend/query.h"
#include "support/program_case.h"
#include "unit/depend/random_runs.h"
#include "unit/depend/recorded_program.h"

#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace faultline::depend::testing {
namespace {

std::string textOf(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool hasOutsideCall(const Recorder& recorder, const Slice& slice) {
  for (const Node& n : slice.nodes) {
    auto it = recorder.at.find(n.time);
    if (it == recorder.at.end()) return true;
    const Executed& x = recorder.executed[it->second];
    if (x.id == n.id && x.instruction->op == Op::Call && !x.calledInside) return true;
  }
  return false;
}

class RealSlice : public ::testing::TestWithParam<const char*> {};

TEST_P(RealSlice, IsThatOfTheReference) {
  std::string path = std::string(FAULTLINE_SOURCE_DIR) + "/tests/programs/" + GetParam();
  test::ProgramCase program = test::parseProgram(path, textOf(path)).at(0);
  RecordedProgram recorded(program.file, textOf(path), {program.args, program.flags, program.input});
  Recorder recorder;
  replay::Replay watched = recorded.open();
  auto watching = watched.observe(recorder, 20'000);
  ASSERT_TRUE(bool(watching)) << watching.error().message;
  replay::Replay replay = recorded.open();
  ASSERT_TRUE(bool(replay.seek(20'000)));
  std::mt19937_64 random(1);
  uint64_t compared = 0, skipped = 0, instances = 0, largest = 0;
  for (int k = 0; k < 60; ++k) {
    Asked asked = someQuestion(recorder, random);
    HistoryOptions window;
    window.windowInstructions = random() % 2 ? 20 + random() % 500 : 500 + random() % 20'000;
    WalkOptions walk;
    walk.control = random() % 3 == 0; // control mostly leads to main's arguments, or to what was read
    walk.addresses = random() % 3 == 0;
    SCOPED_TRACE(fmt::format("time {} operand {} window {} control {} addresses {}", asked.time,
                             asked.operands.empty() ? -1 : int(asked.operands[0]), window.windowInstructions,
                             walk.control, walk.addresses));
    ReferenceSlice reference(recorder, {walk.addresses, walk.control});
    reference.ask(asked.time, asked.operands);
    if (reference.reachesOutside()) {
      ++skipped;
      continue;
    }
    History run(replay, CallModels::standard(), window);
    auto slice = sliceBackward(run, {.time = asked.time, .operands = asked.operands}, walk);
    ASSERT_TRUE(bool(slice)) << slice.error().message;
    if (hasOutsideCall(recorder, *slice)) {
      ++skipped;
      continue;
    }
    Instances found = instancesOf(*slice), expected = reference.instances();
    ASSERT_TRUE(found == expected) << "too many:" << describe(recorder, found, expected)
                                   << "\nmissing:" << describe(recorder, expected, found);
    ASSERT_TRUE(countsAgree(*slice));
    ++compared;
    instances += found.size();
    largest = std::max<uint64_t>(largest, found.size());
  }
  fmt::print("{} instructions; {} slices compared, of {} instances, the largest {}; {} reach outside\n",
             recorder.executed.size(), compared, instances, largest, skipped);
  EXPECT_GE(compared, 5u);
}

INSTANTIATE_TEST_SUITE_P(Programs, RealSlice,
                         ::testing::Values("loops.c", "layout.c", "switches.c", "function_tables.c",
                                           "unaligned.c", "struct_abi.c", "varargs.c", "setjmp_direct.c",
                                           "computed_goto.c", "atomics.c", "numbers.c", "vectors.c",
                                           "deep_recursion.c", "exceptions.cpp", "inheritance.cpp",
                                           "templates.cpp"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

} // namespace
} // namespace faultline::depend::testing

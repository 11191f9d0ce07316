// Every definition holds for what was recorded: put in what the instances before it made, and out comes what
// it made itself. On programs of tests/programs and on programs made at random, cut into windows of every
// size.
#include "logic/instance_terms.h"

#include "depend/models.h"
#include "support/program_case.h"
#include "unit/depend/random_runs.h"
#include "unit/depend/recorded_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sstream>

namespace faultline::logic {
namespace {

using depend::testing::RecordedProgram;

std::string textOf(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Checked {
  uint64_t definitions = 0, opaque = 0, loads = 0, unseen = 0;
  std::string where; // definitions did not hold, and were given up
};

bool makesValue(const depend::Executed& x) {
  using fir::Op;
  switch (x.instruction->op) {
  case Op::Store:
  case Op::StoreVar:
  case Op::CondBr:
    return true;
  case Op::Ret:
    return x.instruction->operandCount > 0;
  case Op::Call:
    return false; // its result is that of a Ret, or of outside code
  default:
    return x.instruction->dst != fir::kNone;
  }
}

void checkDefinitions(replay::Replay& replay, uint64_t window, uint64_t to, Checked& checked) {
  depend::History history(replay, depend::CallModels::standard());
  depend::Instances instances(history, {.windowInstructions = window});
  Terms terms;
  InstanceTerms made(terms, instances);
  checked.unseen = 0;
  for (uint64_t time = replay.start(); time < to; ++time) {
    if (!instances.isExecuted(time)) continue;
    auto x = instances.at(time);
    ASSERT_TRUE(bool(x)) << x.error().message;
    if (!makesValue(*x)) continue;
    auto variable = made.made(time);
    ASSERT_TRUE(bool(variable));
    // What it was made of, through bytes that were copied, down to instances.
    auto definition = made.define(*variable);
    ASSERT_TRUE(bool(definition)) << definition.error().message;
    ASSERT_EQ(terms.width((*definition)->value), terms.width(*variable));
    Term value = terms.evaluate((*definition)->value, [&](Term v) {
      auto recorded = made.valueOf(v);
      EXPECT_TRUE(bool(recorded));
      return *recorded;
    });
    auto recorded = made.recorded(time);
    ASSERT_TRUE(bool(recorded));
    for (Term v : terms.variables((*definition)->value)) {
      uint64_t before = made.timeOf(v);
      ASSERT_TRUE(before == depend::kNoInstance || before < time) << "made of what came later";
    }
    std::string uses;
    for (Term v : terms.variables((*definition)->value))
      uses += fmt::format(" @{} = {:#x}", made.timeOf(v), fmt::join(terms.words(*made.valueOf(v)), ","));
    ASSERT_TRUE(value == *recorded) << fmt::format(
        "@{} instruction {} (op {}), window {}: {:#x}, recorded {:#x}; of{}", time, x->local,
        int(x->instruction->op), window, fmt::join(terms.words(value), ","),
        fmt::join(terms.words(*recorded), ","), uses);
    ++checked.definitions;
    if (made.unseen() != checked.unseen)
      checked.where += fmt::format(" @{} instruction {} (op {})", time, x->local, int(x->instruction->op));
    checked.unseen = made.unseen();
    checked.opaque += (*definition)->isOpaque;
    checked.loads += x->instruction->op == fir::Op::Load;
  }
}

class RecordedDefinitions : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedDefinitions, HoldForWhatWasRecorded) {
  std::string path = std::string(FAULTLINE_SOURCE_DIR) + "/tests/programs/" + GetParam();
  test::ProgramCase program = test::parseProgram(path, textOf(path)).at(0);
  RecordedProgram recorded(program.file, textOf(path), {program.args, program.flags, program.input});
  Checked checked;
  for (uint64_t window : {700, 1'000'000}) {
    replay::Replay replay = recorded.open();
    checkDefinitions(replay, window, 15'000, checked);
    if (HasFatalFailure()) return;
  }
  fmt::print("{} definitions, {} of them opaque, {} loads\n", checked.definitions, checked.opaque,
             checked.loads);
  // Structs that are passed as variable arguments lie in memory that the machine's code writes.
  if (GetParam() != std::string("varargs.c")) EXPECT_EQ(checked.where, "");
  EXPECT_GT(checked.definitions, 50u);
  EXPECT_GT(checked.loads, 5u);
}

INSTANTIATE_TEST_SUITE_P(Programs, RecordedDefinitions,
                         ::testing::Values("loops.c", "layout.c", "switches.c", "function_tables.c",
                                           "unaligned.c", "struct_abi.c", "varargs.c", "setjmp_direct.c",
                                           "computed_goto.c", "atomics.c", "numbers.c", "vectors.c",
                                           "exceptions.cpp", "inheritance.cpp", "templates.cpp"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

TEST(RandomDefinitions, HoldForWhatWasRecorded) {
  using namespace depend::testing;
  Checked checked;
  uint64_t first = setting("FAULTLINE_FIRST_SEED", 0), count = setting("FAULTLINE_SEEDS", 150);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ProgramMaker made(seed);
    replay::Replay replay = openRun(made);
    checkDefinitions(replay, 20 + seed % 400, 4'000, checked);
    if (HasFatalFailure()) return;
  }
  fmt::print("{} definitions, {} of them opaque, {} loads\n", checked.definitions, checked.opaque,
             checked.loads);
  EXPECT_EQ(checked.where, "");
  EXPECT_GT(checked.loads, 100u);
}

} // namespace
} // namespace faultline::logic

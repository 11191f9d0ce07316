#include "program/loops.h"

#include "unit/replay/assembler.h"

#include <gmock/gmock.h>

namespace faultline::fir {
namespace {

using replay::testing::Assembler;
using replay::testing::FunctionAssembler;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One function whose blocks branch like this: none returns, one is Br, two CondBr.
Image made(const std::vector<std::vector<uint32_t>>& graph) {
  Assembler a;
  FunctionAssembler f(a, "f", {a.i32});
  for (size_t b = 0; b < graph.size(); ++b) {
    if (b) f.block(true);
    if (graph[b].empty())
      f.ret();
    else if (graph[b].size() == 1)
      f.br(graph[b][0]);
    else
      f.condBr(f.argument(0), graph[b][0], graph[b][1]);
  }
  f.finish();
  return a.image();
}

TEST(Loops, StraightCodeHasNone) {
  Image image = made({{1, 2}, {3}, {3}, {}});
  Loops loops(image, image.functions[0]);
  EXPECT_THAT(loops.all(), IsEmpty());
  EXPECT_EQ(loops.of(1), kNone);
}

TEST(Loops, OneWithinTheOther) {
  Image image = made({{1}, {2, 4}, {2, 3}, {1}, {}});
  Loops loops(image, image.functions[0]);
  ASSERT_EQ(loops.all().size(), 2u);
  EXPECT_EQ(loops.all()[0].header, 1u);
  EXPECT_THAT(loops.all()[0].blocks, ElementsAre(1, 2, 3));
  EXPECT_THAT(loops.all()[0].leaving, ElementsAre(1));
  EXPECT_EQ(loops.all()[1].header, 2u);
  EXPECT_THAT(loops.all()[1].blocks, ElementsAre(2));
  EXPECT_EQ(loops.all()[1].outer, 0u);
  EXPECT_EQ(loops.of(2), 1u);
  EXPECT_EQ(loops.of(3), 0u);
  EXPECT_TRUE(loops.has(0, 2));
  EXPECT_FALSE(loops.has(1, 3));
}

// for (;;) { ...; if (a) break; ...; if (b) return; }
TEST(Loops, IsLeftByWhateverLeadsOut) {
  Image image = made({{1}, {2, 3}, {1, 4}, {}, {}});
  Loops loops(image, image.functions[0]);
  ASSERT_EQ(loops.all().size(), 1u);
  EXPECT_THAT(loops.all()[0].leaving, ElementsAre(1, 2));
}

TEST(Loops, SideBySide) {
  Image image = made({{1}, {1, 2}, {3, 4}, {2}, {}});
  Loops loops(image, image.functions[0]);
  ASSERT_EQ(loops.all().size(), 2u);
  for (const Loops::Loop& l : loops.all()) EXPECT_EQ(l.outer, kNone);
  EXPECT_NE(loops.of(1), loops.of(2));
}

TEST(Loops, WithTwoWaysInIsOne) {
  Image image = made({{1, 2}, {2}, {1, 3}, {}});
  Loops loops(image, image.functions[0]);
  ASSERT_EQ(loops.all().size(), 1u);
  EXPECT_THAT(loops.all()[0].blocks, ElementsAre(1, 2));
  EXPECT_EQ(loops.all()[0].header, 1u);
}

} // namespace
} // namespace faultline::fir

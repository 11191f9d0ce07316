#include "program/segments.h"

#include "program/operands.h"
#include "unit/depend/program_maker.h"

namespace faultline::fir {
namespace {

using replay::testing::Assembler;
using replay::testing::FunctionAssembler;

TEST(Segments, EndBehindCallsAndWithBlocks) {
  Assembler a;
  FunctionAssembler f(a, "f", {a.i32});
  Operand x = f.add(Op::Add, a.i32, {f.argument(0), a.constant(1)});
  f.callOutside(a.i32, {x});     // 2: ends the first
  f.callOutside(a.i32, {x});     // 3: a segment of its own
  f.add(Op::Add, a.i32, {x, x}); // 4
  f.br(1);                       // 5
  f.block();
  f.call(CallKind::Outside, a.voidType, {x}, 0, 2, 2); // 6: an invoke, which ends its block
  f.block();
  f.ret(); // 7
  f.finish();
  FunctionAssembler g(a, "g", {});
  g.ret(); // 8, 9
  g.finish();
  Image image = a.image();
  Segments s(image);
  struct Expected {
    uint32_t function, block, first, count;
  } expected[] = {{0, 0, 0, 3}, {0, 0, 3, 1}, {0, 0, 4, 2}, {0, 1, 6, 1}, {0, 2, 7, 1}, {1, 0, 8, 2}};
  ASSERT_EQ(s.all().size(), std::size(expected));
  for (size_t k = 0; k < std::size(expected); ++k) {
    SCOPED_TRACE(k);
    EXPECT_EQ(s[uint32_t(k)].function, expected[k].function);
    EXPECT_EQ(s[uint32_t(k)].block, expected[k].block);
    EXPECT_EQ(s[uint32_t(k)].first, expected[k].first);
    EXPECT_EQ(s[uint32_t(k)].count, expected[k].count);
    for (uint32_t id = expected[k].first; id <= s[uint32_t(k)].last(); ++id) EXPECT_EQ(s.of(id), k);
  }
}

// Every instruction is in one segment, and only the last of one may lead elsewhere.
TEST(Segments, CoverAProgram) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    depend::testing::ProgramMaker made(seed);
    Image image = made.assembler.image();
    Segments s(image);
    uint32_t next = 0;
    for (uint32_t k = 0; k < s.all().size(); ++k) {
      ASSERT_EQ(s[k].first, next);
      ASSERT_GT(s[k].count, 0u);
      for (uint32_t id = next; id <= s[k].last(); ++id) {
        ASSERT_EQ(s.of(id), k);
        bool leads = isTerminator(image, image.instructions[id]) || image.instructions[id].op == Op::Call;
        ASSERT_EQ(leads, id == s[k].last());
      }
      next = s[k].last() + 1;
    }
    ASSERT_EQ(next, image.instructions.size());
  }
}

} // namespace
} // namespace faultline::fir

#include "ir_fixture.h"

namespace faultline::compiler {
namespace {

using fir::Op;

std::vector<Op> opsOf(const fir::ImageBuilder& image, size_t function = 0) {
  std::vector<Op> ops;
  const fir::Function& f = image.functions.at(function);
  for (uint32_t k = 0; k < f.instructionCount; ++k)
    ops.push_back(image.instructions[f.firstInstruction + k].op);
  return ops;
}

TEST(Lower, OneInstructionForEach) {
  Prepared p(R"(
define i32 @f(i32 %n) {
  %x = alloca i32
  store i32 %n, ptr %x
  %v = load i32, ptr %x
  %s = add i32 %v, 3
  ret i32 %s
})");
  fir::ImageBuilder image = lowerModule(p.plan, {});
  EXPECT_EQ(opsOf(image), (std::vector{Op::Entry, Op::Nop, Op::StoreVar, Op::LoadVar, Op::Add, Op::Ret}));
  EXPECT_EQ(image.instructions.size(), p.plan.instructionCount);
  for (auto& [instruction, id] : p.plan.ids)
    if (llvm::isa<llvm::LoadInst>(instruction)) EXPECT_EQ(image.instructions[id].op, Op::LoadVar);
}

TEST(Lower, AddressesOfElementsAreBaseAndScaledIndices) {
  Prepared p(R"(
%S = type { i32, [10 x i64] }
define ptr @f(ptr %s, i32 %k) {
  %p = getelementptr %S, ptr %s, i64 2, i32 1, i32 %k
  ret ptr %p
})");
  fir::ImageBuilder image = lowerModule(p.plan, {});
  const fir::Instruction& gep = image.instructions[1];
  ASSERT_EQ(gep.op, Op::Gep);
  EXPECT_EQ(gep.imm, 2 * 88 + 8u);
  ASSERT_EQ(gep.operandCount, 4);
  fir::Operand scale = image.operands[gep.operands + 2];
  EXPECT_EQ(image.constants[fir::operandIndex(scale)].value, 8u);
  EXPECT_EQ(fir::operandIndex(image.operands[gep.operands + 3]), 32u) << "the index is 32 bits wide";
}

TEST(Lower, InitialValuesCarryRelocations) {
  Prepared p(R"(
@text = private constant [4 x i8] c"abc\00"
@table = global [2 x ptr] [ptr @text, ptr getelementptr (i8, ptr @text, i64 2)]
@number = global i32 305419896
@zero = global i64 0
)");
  fir::ImageBuilder image = lowerModule(p.plan, {});
  std::map<std::string, fir::Symbol> symbols;
  for (const fir::Symbol& s : image.symbols) symbols[&image.strings[s.name]] = s;
  const fir::Symbol& table = symbols.at("table");
  ASSERT_EQ(table.relocationCount, 2u);
  EXPECT_EQ(image.relocations[table.firstRelocation + 1].offset, 8u);
  EXPECT_EQ(image.relocations[table.firstRelocation + 1].addend, 2);
  EXPECT_EQ(image.bytes[symbols.at("number").initial], 0x78);
  EXPECT_EQ(symbols.at("zero").initial, ~uint64_t(0));
}

TEST(Lower, ADifferenceOfLabelsIsLeftToTheLinker) {
  Prepared p(R"(
@a = global i32 1
@d = global i32 trunc (i64 sub (i64 ptrtoint (ptr @d to i64), i64 ptrtoint (ptr @a to i64)) to i32)
)");
  fir::ImageBuilder image = lowerModule(p.plan, {});
  for (const fir::Symbol& s : image.symbols)
    if (std::string(&image.strings[s.name]) == "d") EXPECT_EQ(s.initial, ~uint64_t(0));
}

TEST(Lower, AWrittenImageReadsBack) {
  Prepared p(R"(
define i32 @f(i32 %n) {
  ret i32 %n
})");
  fir::ImageBuilder builder = lowerModule(p.plan, {});
  auto image = fir::imageFromBytes(builder.finish(42));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->hash, 42u);
  EXPECT_EQ(image->instructions.size(), builder.instructions.size());
  EXPECT_EQ(image->string(image->functions[0].name), "f");
  EXPECT_EQ(image->functionOf(1), 0u);
}

} // namespace
} // namespace faultline::compiler

#include "ir_fixture.h"

namespace faultline::compiler {
namespace {

TEST(Plan, AVariableThatOnlyMovesIsPrivate) {
  Prepared p(R"(
define i32 @f(i32 %n) {
  %x = alloca i32
  store i32 %n, ptr %x
  %v = load i32, ptr %x
  ret i32 %v
})");
  EXPECT_TRUE(p.isPrivate("f", "x"));
  EXPECT_EQ(p.function("f").frameSize, 0u);
}

TEST(Plan, AVariableThatMayBeReadBeforeItIsWrittenLivesInMemory) {
  Prepared p(R"(
define i32 @f(i1 %c) {
  %x = alloca i32
  %y = alloca i32
  store i32 1, ptr %y
  br i1 %c, label %set, label %join
set:
  store i32 7, ptr %x
  br label %join
join:
  %v = load i32, ptr %x
  %w = load i32, ptr %y
  %s = add i32 %v, %w
  ret i32 %s
})");
  EXPECT_FALSE(p.isPrivate("f", "x")) << "on the path that skips `set` it holds what memory held";
  EXPECT_TRUE(p.isPrivate("f", "y"));
  EXPECT_EQ(p.function("f").frameOffsets.size(), 1u);
}

TEST(Plan, AnEscapingVariableLivesInMemory) {
  Prepared p(R"(
declare void @take(ptr)
define void @f() {
  %x = alloca i32
  store i32 0, ptr %x
  call void @take(ptr %x)
  ret void
})");
  EXPECT_FALSE(p.isPrivate("f", "x"));
}

TEST(Plan, NothingIsPrivateWhereSetjmpReturnsAgain) {
  Prepared p(R"(
declare i32 @_setjmp(ptr) returns_twice
define i32 @f(ptr %b) {
  %x = alloca i32
  store i32 1, ptr %x
  %r = call i32 @_setjmp(ptr %b) returns_twice
  %v = load i32, ptr %x
  ret i32 %v
})");
  EXPECT_TRUE(p.function("f").setsJump);
  EXPECT_FALSE(p.isPrivate("f", "x"));
}

TEST(Plan, AFrameWithAnArrayEndsInAGuard) {
  Prepared p(R"(
declare void @take(ptr)
define void @f() {
  %first = alloca i64
  %buffer = alloca [20 x i8], align 16
  call void @take(ptr %first)
  call void @take(ptr %buffer)
  ret void
})");
  const FunctionPlan& f = p.function("f");
  ASSERT_NE(f.guardOffset, fir::kNone);
  EXPECT_EQ(f.guardOffset + 8, f.frameSize);
  uint64_t first = 0, buffer = 0;
  for (auto& [a, offset] : f.frameOffsets) (a->getName() == "first" ? first : buffer) = offset;
  EXPECT_GE(first, buffer + 20) << "an overflow of the buffer runs into what was declared before it";
  EXPECT_GE(f.guardOffset, first + 8);
  EXPECT_EQ(buffer % 16, 0u);
}

TEST(Plan, EveryCycleHasAnEpoch) {
  Prepared p(R"(
define void @f(i1 %c, i1 %d) {
  br i1 %c, label %a, label %b
a:
  br i1 %d, label %b, label %out
b:
  br i1 %c, label %a, label %out
out:
  ret void
})");
  EXPECT_GE(p.function("f").epochBlocks.size(), 1u)
      << "a loop with two entries has no header, but has an epoch";
}

TEST(Plan, NumbersAreDenseAndInOrder) {
  Prepared p(R"(
define i32 @f() {
  ret i32 1
}
define i32 @g() {
  %x = call i32 @f()
  ret i32 %x
})");
  EXPECT_EQ(p.plan.instructionCount, 5u);
  EXPECT_EQ(p.function("f").entryId, 0u);
  EXPECT_EQ(p.function("g").entryId, 2u);
}

TEST(ClassifyCall, TellsInsideFromOutside) {
  Prepared p(R"(
declare void @libc()
declare void @ours()
declare i32 @_setjmp(ptr) returns_twice
define internal void @here() {
  ret void
}
define void @f(ptr %p) {
  call void @libc()
  call void @ours()
  call void @here()
  call void %p()
  %r = call i32 @_setjmp(ptr %p) returns_twice
  ret void
})");
  InsideNames inside;
  inside.insert("ours");
  std::vector<fir::CallKind> kinds;
  for (llvm::Instruction& i : p.function("f").function->getEntryBlock())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) kinds.push_back(classifyCall(*call, inside));
  EXPECT_EQ(kinds, (std::vector{fir::CallKind::Outside, fir::CallKind::Inside, fir::CallKind::Inside,
                                fir::CallKind::Either, fir::CallKind::SetJmp}));
}

} // namespace
} // namespace faultline::compiler

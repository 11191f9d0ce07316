#include "ir_fixture.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace faultline::compiler {
namespace {

size_t count(llvm::Function& f, auto&& predicate) {
  size_t n = 0;
  for (llvm::Instruction& i : llvm::instructions(f)) n += predicate(i);
  return n;
}

TEST(Prepare, ByValueArgumentsAreCopiedOnBothSides) {
  Prepared p(R"(
%S = type { [40 x i8] }
define i8 @callee(ptr byval(%S) align 8 %s) {
  %v = load i8, ptr %s
  ret i8 %v
}
define i8 @caller(ptr %s) {
  %r = call i8 @callee(ptr byval(%S) align 8 %s)
  ret i8 %r
})");
  llvm::Function& callee = *p.module->getFunction("callee");
  EXPECT_EQ(count(callee, [](llvm::Instruction& i) { return isByValueCopy(i); }), 1u);
  EXPECT_TRUE(callee.getArg(0)->hasOneUse()) << "only the copy reads the machine's stack";
  llvm::Function& caller = *p.module->getFunction("caller");
  EXPECT_EQ(count(caller, [](llvm::Instruction& i) { return llvm::isa<llvm::MemCpyInst>(i); }), 1u);
  EXPECT_EQ(count(caller, [](llvm::Instruction& i) { return isByValueCopy(i); }), 0u);
}

TEST(Prepare, MultiplyAddIsNotFused) {
  Prepared p(R"(
declare double @llvm.fmuladd.f64(double, double, double)
define double @f(double %a) {
  %r = call double @llvm.fmuladd.f64(double %a, double %a, double 1.0)
  ret double %r
})");
  EXPECT_EQ(
      count(*p.module->getFunction("f"), [](llvm::Instruction& i) { return llvm::isa<llvm::CallInst>(i); }),
      0u);
}

TEST(Prepare, ABodyThatFirCannotExpressIsSetAside) {
  Prepared p(R"(
define i32 @f(i32 %n) {
  callbr void asm sideeffect "", "!i"() to label %next [label %other]
next:
  ret i32 %n
other:
  ret i32 0
})");
  llvm::Function* plain = p.module->getFunction("f.plain");
  ASSERT_NE(plain, nullptr);
  EXPECT_TRUE(isPlain(*plain));
  EXPECT_FALSE(isPlain(*p.module->getFunction("f")));
  EXPECT_EQ(p.plan.functions.size(), 1u);
}

TEST(Prepare, OptimisersPromisesAreDropped) {
  Prepared p(R"(
declare void @llvm.assume(i1)
declare void @llvm.lifetime.start.p0(i64, ptr)
define i32 @f(ptr %p, i32 %n) noinline optnone {
  %x = alloca i32
  call void @llvm.lifetime.start.p0(i64 4, ptr %x)
  %c = icmp sgt i32 %n, 0
  call void @llvm.assume(i1 %c)
  %s = add nsw i32 %n, 1
  store i32 %s, ptr %x
  %v = load i32, ptr %x, !range !0
  ret i32 %v
}
!0 = !{i32 0, i32 9}
)");
  llvm::Function& f = *p.module->getFunction("f");
  EXPECT_EQ(count(f, [](llvm::Instruction& i) { return llvm::isa<llvm::CallInst>(i); }), 0u);
  EXPECT_EQ(
      count(f, [](llvm::Instruction& i) { return i.getMetadata(llvm::LLVMContext::MD_range) != nullptr; }),
      0u);
  EXPECT_EQ(count(f, [](llvm::Instruction& i) { return i.hasPoisonGeneratingFlags(); }), 0u);
  EXPECT_TRUE(p.isPrivate("f", "x")) << "its lifetime is no use of its address";
}

} // namespace
} // namespace faultline::compiler

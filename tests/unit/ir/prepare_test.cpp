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

TEST(Prepare, ObjectSizesAreThoseThatTheOrdinaryBuildFinds) {
  Prepared p(R"(
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare void @use(ptr, i64)
define void @f(ptr %unknown) {
  %buffer = alloca [16 x i8]
  %p = alloca ptr
  %q = alloca ptr
  %inner = getelementptr i8, ptr %buffer, i64 4
  store ptr %inner, ptr %p
  store ptr %unknown, ptr %q
  %1 = load ptr, ptr %p
  %2 = call i64 @llvm.objectsize.i64.p0(ptr %1, i1 false, i1 true, i1 false)
  call void @use(ptr %1, i64 %2)
  %3 = load ptr, ptr %q
  %4 = call i64 @llvm.objectsize.i64.p0(ptr %3, i1 false, i1 true, i1 false)
  call void @use(ptr %3, i64 %4)
  ret void
}
define void @unoptimised() optnone noinline {
  %buffer = alloca [16 x i8]
  %p = alloca ptr
  store ptr %buffer, ptr %p
  %1 = load ptr, ptr %p
  %2 = call i64 @llvm.objectsize.i64.p0(ptr %1, i1 false, i1 true, i1 false)
  call void @use(ptr %1, i64 %2)
  ret void
})");
  auto sizes = [&](const char* name) {
    std::vector<int64_t> found;
    for (llvm::Instruction& i : llvm::instructions(*p.module->getFunction(name)))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call && !call->getType()->isPointerTy())
        if (auto* size = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1)))
          found.push_back(size->getSExtValue());
    return found;
  };
  EXPECT_EQ(sizes("f"), (std::vector<int64_t>{12, -1}));
  EXPECT_EQ(sizes("unoptimised"), std::vector<int64_t>{-1});
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

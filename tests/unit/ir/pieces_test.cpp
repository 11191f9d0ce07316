#include "compiler/ir/pieces.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

class Cut {
public:
  explicit Cut(const char* text) {
    SMDiagnostic problem;
    module_ = parseAssemblyString(text, problem, context_);
    if (!module_) throw std::runtime_error(problem.getMessage().str());
    pieces.emplace(*module_->getFunction("f"),
                   [](const Instruction& i) { return isa<LoadInst>(i) || i.isBinaryOp(); });
  }
  // Empty: the module is still sound.
  std::string problem() const {
    std::string text;
    raw_string_ostream stream(text);
    return verifyModule(*module_, &stream) ? text : "";
  }
  // "add store | mul br", one piece after the other.
  std::string names() {
    std::string text;
    for (const Piece& piece : pieces->list()) {
      if (!text.empty()) text += " | ";
      for (const Instruction* i : piece.instructions) text += std::string(i->getOpcodeName()) + " ";
      if (piece.terminator) text += std::string(piece.terminator->getOpcodeName()) + " ";
      text.pop_back();
    }
    return text;
  }
  std::optional<Pieces> pieces;

private:
  LLVMContext context_;
  std::unique_ptr<Module> module_;
};

TEST(Pieces, EndAtCalls) {
  Cut cut(R"(
declare i32 @g(i32)
define i32 @f(i32 %a) {
  %b = add i32 %a, 1
  %c = call i32 @g(i32 7)
  %d = mul i32 %c, 2
  ret i32 %d
})");
  // What the return needs comes through a variable; nobody needs %b.
  EXPECT_EQ(cut.names(), "add | mul store");
  EXPECT_EQ(cut.pieces->variables().size(), 1u);
  EXPECT_EQ(cut.problem(), "");
}

TEST(Pieces, ADecisionIsThere) {
  Cut cut(R"(
define i32 @f(i32 %a, i32 %b) {
  %c = add i32 %a, %b
  %d = icmp slt i32 %c, 9
  br i1 %d, label %yes, label %no
yes:
  ret i32 %c
no:
  ret i32 0
})");
  // The condition is used in the piece alone.
  EXPECT_EQ(cut.names(), "add store icmp br");
  EXPECT_EQ(cut.pieces->variables().size(), 1u);
  EXPECT_EQ(cut.problem(), "");
}

TEST(Pieces, WhatGoesFromOneToTheOtherGoesThroughVariables) {
  Cut cut(R"(
declare void @g(i32)
define i32 @f(ptr %p) {
  %a = load i32, ptr %p
  call void @g(i32 %a)
  %b = add i32 %a, %a
  call void @g(i32 %b)
  %c = sub i32 %b, %a
  ret i32 %c
})");
  EXPECT_EQ(cut.names(), "load store | load add store | load load sub store");
  EXPECT_EQ(cut.problem(), "");
}

// A phi must have one value for one block, however many edges come from there.
TEST(Pieces, AValueForSeveralEdgesIsReadOnce) {
  Cut cut(R"(
declare void @g()
define i32 @f(i32 %a) {
entry:
  %b = add i32 %a, 1
  call void @g()
  switch i32 %a, label %end [ i32 1, label %end
                              i32 2, label %other ]
other:
  br label %end
end:
  %c = phi i32 [ %b, %entry ], [ %b, %entry ], [ 0, %other ]
  ret i32 %c
})");
  EXPECT_EQ(cut.problem(), "");
  EXPECT_EQ(cut.names(), "add store | load switch");
}

TEST(Pieces, NothingThatAsksIsNoPiece) {
  Cut cut(R"(
declare void @g(ptr)
define void @f(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4
  call void @g(ptr %q)
  ret void
})");
  EXPECT_EQ(cut.names(), "");
  EXPECT_TRUE(cut.pieces->variables().empty());
}

TEST(Pieces, ALongOneIsCut) {
  std::string text = "define i32 @f(i32 %v0) {\n";
  for (int k = 1; k <= 200; ++k)
    text += "  %v" + std::to_string(k) + " = add i32 %v" + std::to_string(k - 1) + ", 1\n";
  Cut cut((text + "  ret i32 %v200\n}\n").c_str());
  EXPECT_EQ(cut.pieces->list().size(), 4u);
  EXPECT_EQ(cut.problem(), "");
}

} // namespace
} // namespace faultline::compiler

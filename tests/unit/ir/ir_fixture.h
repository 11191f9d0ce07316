// Prepared modules and plans from IR text, for tests of what the makers of variants agree on.
#pragma once

#include "compiler/ir/lower.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/prepare.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>
#include <memory>
#include <string>

namespace faultline::compiler {

class Prepared {
public:
  explicit Prepared(const std::string& body) {
    llvm::SMDiagnostic problem;
    std::string text = "target datalayout = "
                       "\"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n"
                       "target triple = \"x86_64-pc-linux-gnu\"\n" +
                       body;
    module = llvm::parseAssemblyString(text, problem, context);
    if (!module) {
      ADD_FAILURE() << problem.getMessage().str() << " in line " << problem.getLineNo();
      return;
    }
    auto done = prepareModule(*module);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    plan = planModule(*module, 42);
  }

  const FunctionPlan& function(llvm::StringRef name) const {
    for (const FunctionPlan& f : plan.functions)
      if (f.function->getName() == name) return f;
    ADD_FAILURE() << "no function " << name.str();
    return plan.functions.front();
  }

  bool isPrivate(llvm::StringRef function, llvm::StringRef variable) const {
    for (const llvm::AllocaInst* a : this->function(function).privateVariables)
      if (a->getName() == variable) return true;
    return false;
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  ModulePlan plan;
};

} // namespace faultline::compiler

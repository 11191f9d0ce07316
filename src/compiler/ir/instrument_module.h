// What all functions of a module share while hooks go in: the hooks' declarations, the fixed addresses of
// abi/state.h, the module's descriptor.
#pragma once

#include "abi/hooks.h"
#include "abi/state.h"
#include "compiler/ir/plan.h"
#include "program/other_operands.h"

#include <llvm/IR/IRBuilder.h>

namespace faultline::compiler {

class ModuleHooks {
public:
  ModuleHooks(ModulePlan& plan, const InsideNames& inside, VariantKind kind, const fir::Image& image);

  // One per hook, in the order of FL_HOOKS.
#define FL_HOOK_MEMBER(name, convention, result, parameters) llvm::FunctionCallee name;
  FL_HOOKS(FL_HOOK_MEMBER)
#undef FL_HOOK_MEMBER

  ModulePlan& plan;
  const InsideNames& inside;
  VariantKind kind;
  const fir::Image& image;
  fir::OtherOperands others;
  llvm::Module& module;
  llvm::LLVMContext& context;
  llvm::Type* i8;
  llvm::Type* i32;
  llvm::Type* i64;
  llvm::PointerType* pointer;
  llvm::GlobalVariable* descriptor = nullptr;

  llvm::Value* fixedAddress(uint64_t address) const;
  llvm::Value* shadow(llvm::IRBuilder<>& b, llvm::Value* address) const;
  llvm::CallInst* call(llvm::IRBuilder<>& b, llvm::FunctionCallee hook,
                       llvm::ArrayRef<llvm::Value*> arguments) const;

  void setExt(llvm::IRBuilder<>& b, llvm::Value* value) const;
  llvm::Value* ext(llvm::IRBuilder<>& b) const;
  // base + id + 2, what state.ext holds during the outside call `id`.
  llvm::Value* siteNumber(llvm::IRBuilder<>& b, uint32_t id) const;

  // Emits the descriptor's contents and the constructor that registers it.
  void finish();

private:
  void declareDescriptor();
  llvm::Constant* symbolAddress(const llvm::Constant* symbol) const;
  uint64_t shadowedSize(const llvm::Constant* symbol) const;
};

} // namespace faultline::compiler

// Hooks for one function; see instrument.h.
#pragma once

#include "compiler/ir/instrument_module.h"
#include "compiler/ir/pieces.h"

namespace faultline::compiler {

class FunctionInstrument {
public:
  FunctionInstrument(ModuleHooks& hooks, FunctionPlan& plan)
      : hooks_(hooks), plan_(plan), function_(*plan.function), layout_(hooks.module.getDataLayout()) {}
  void run();

private:
  // instrument_function.cpp: entry, exit, frames
  void moveAllocasUp();
  void enter();
  llvm::Value* logEntry(llvm::Instruction* at);
  bool outsideMayCatch() const;
  bool mayCatch(const llvm::CallBase& call) const;
  void makeFrame(llvm::Instruction* at);
  void replaceFrameVariables();
  void beginEpochs();
  void beginEpoch(llvm::IRBuilder<>& b);
  void leave(llvm::Instruction& exit);
  void restoreFrameTop(llvm::IRBuilder<>& b);
  void setFrameTop(llvm::IRBuilder<>& b, llvm::Value* top);
  llvm::Value* frameTop(llvm::IRBuilder<>& b);
  void promotePrivateVariables();

  // instrument_memory.cpp: loads, stores, copies
  void load(llvm::LoadInst& i);
  void store(llvm::StoreInst& i);
  void atomicUpdate(llvm::AtomicRMWInst& i);
  void compareExchange(llvm::AtomicCmpXchgInst& i);
  void copy(llvm::CallBase& i);
  void fill(llvm::CallBase& i);
  void copySmall(llvm::CallBase& i, uint64_t size);
  void fillSmall(llvm::CallBase& i, uint64_t size);
  void checkLoaded(llvm::IRBuilder<>& b, llvm::Value* address, llvm::Value* bits, uint32_t id);
  bool isKnownConstant(const llvm::Value* address) const;
  void dynamicAlloca(llvm::AllocaInst& i);

  // instrument_calls.cpp
  void callSite(llvm::CallBase& i);
  void outsideCall(llvm::CallBase& i, fir::CallKind kind);
  void eitherCall(llvm::CallBase& i);
  void takeTurnIfRobbed(llvm::IRBuilder<>& b, llvm::CallBase& i);
  void afterOutsideCall(llvm::IRBuilder<>& b, llvm::CallBase& i, fir::CallKind kind);
  void intrinsic(llvm::CallBase& i);
  void recordValue(llvm::Instruction& i);
  void threadLocal(llvm::CallBase& i);
  void land(llvm::LandingPadInst& i);
  void resume(llvm::ResumeInst& i);
  llvm::Instruction* placeAfter(llvm::CallBase& i);
  llvm::AllocaInst* spill(llvm::IRBuilder<>& b, llvm::Value* value);

  // instrument_alter.cpp
  class Copy;
  void visitAlterable(llvm::Instruction& i);
  void alterPieces(Pieces& pieces);
  void clearVariables();
  void alterPiece(Piece& piece, const Pieces& pieces);
  bool mayAsk(const llvm::Instruction& i) const;
  bool isElement(const llvm::Instruction& i) const;
  void alterCall(llvm::CallBase& i);
  void alterConstantArguments(llvm::IRBuilder<>& b, llvm::CallBase& i, llvm::BasicBlock* head);
  llvm::SmallVector<llvm::Instruction*> endsBehindCalls() const;
  void alterConstantReturn(llvm::ReturnInst& i);
  llvm::Value* altered(llvm::IRBuilder<>& b, llvm::Value* value, uint32_t id);
  llvm::Value* alteredBefore(llvm::Instruction* at, llvm::Value* value, uint32_t id);
  llvm::Value* fromWord(llvm::IRBuilder<>& b, llvm::Value* word, llvm::Type* type);
  void branchIfArmed(llvm::BasicBlock* head, llvm::BasicBlock* cold, uint32_t bits);
  llvm::AllocaInst* arrayOfOthers();
  llvm::BasicBlock* leftBlock();
  void beginEpochOrStop(llvm::IRBuilder<>& b);

  void visit(llvm::Instruction& i);
  uint32_t id(const llvm::Instruction& i) const { return hooks_.plan.ids.lookup(&i); }
  llvm::Value* idValue(uint32_t id) const { return llvm::ConstantInt::get(hooks_.i32, id); }
  bool isPrivate(const llvm::Value* pointer) const;
  llvm::Value* asBits(llvm::IRBuilder<>& b,
                      llvm::Value* value); // null if it is no scalar of 1, 2, 4, 8 bytes
  llvm::Value* asWord(llvm::IRBuilder<>& b, llvm::Value* value); // zero-extended to 64 bits, or null

  ModuleHooks& hooks_;
  FunctionPlan& plan_;
  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  llvm::Value* savedExt_ = nullptr;        // ext at entry, 0 if called from inside
  llvm::Value* callerTop_ = nullptr;       // frame top at entry
  llvm::Value* frameBase_ = nullptr;       // integer
  llvm::AllocaInst* currentTop_ = nullptr; // this function's frame top, to go back to after an unwinding
  llvm::SmallVector<llvm::AllocaInst*> promoted_;
  llvm::DenseMap<uint32_t, llvm::AllocaInst*> variables_; // by id
  llvm::AllocaInst* others_ = nullptr;                    // what could be read instead of a value
  llvm::ReturnInst* left_ = nullptr;                      // before the function's end
};

} // namespace faultline::compiler

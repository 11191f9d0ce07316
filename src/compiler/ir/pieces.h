// Cuts a function into straight pieces of code, between which an alter variant looks once whether an
// alteration may be due in the next one. If so it runs a copy of the piece that asks for each value; else the
// piece itself, which does not.
//
//        armed? ---+                   calls, atomic updates and the like stand between pieces; a
//          |       v                   conditional branch or switch belongs to the last piece of its block,
//        piece   copy that asks        and so is there twice
//          |       |
//          v <-----+
//
// What is computed in one piece and used outside it goes through a variable of its own, which promotion to
// registers removes again: so nobody need care by which way its value came.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace faultline::compiler {

struct Piece {
  llvm::SmallVector<llvm::Instruction*> instructions; // one after the other in one block
  llvm::Instruction* terminator = nullptr;            // a conditional branch or a switch right behind them
  llvm::Instruction* behind = nullptr;                // or what else ends their block (endsBlock)
};

// Whether it only goes on elsewhere: a branch without a condition, a return of nothing. What is executed
// before it is executed behind the last statement of its block.
bool endsBlock(const llvm::Instruction& i);

class Pieces {
public:
  using Asks = llvm::function_ref<bool(const llvm::Instruction&)>;
  // Of those with an instruction that `asks`. `f` must not have been changed since it was planned.
  Pieces(llvm::Function& f, Asks asks);

  std::vector<Piece>& list() { return list_; }
  // The variables that were made.
  llvm::ArrayRef<llvm::AllocaInst*> variables() const { return variables_; }
  // Whether it is a load or store of one of these.
  bool isOwn(const llvm::Instruction& i) const { return own_.contains(&i); }
  bool contains(const llvm::Instruction& i) const { return pieceOf_.contains(&i); }

private:
  void cut(llvm::BasicBlock& block, Asks asks);
  void separate(Piece& piece, unsigned number);
  using Loads = llvm::DenseMap<llvm::Instruction*, llvm::LoadInst*>;
  llvm::LoadInst* readAgain(llvm::Instruction* at, llvm::AllocaInst* variable, Loads& loads);
  void collect(llvm::Function& f);

  std::vector<Piece> list_;
  llvm::SmallVector<llvm::AllocaInst*> variables_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> pieceOf_;
  llvm::DenseSet<const llvm::Instruction*> own_;
};

} // namespace faultline::compiler

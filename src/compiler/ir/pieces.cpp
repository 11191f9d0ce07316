#include "compiler/ir/pieces.h"

#include <llvm/IR/Module.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

// In a long one, all of which asks when one value is altered, more would be slowed down than need be.
constexpr size_t kLongestPiece = 64;

bool isStraight(const Instruction& i) {
  if (i.isTerminator() || i.isEHPad() || isa<CallBase>(i) || isa<PHINode>(i) || isa<AllocaInst>(i))
    return false;
  if (isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i) || isa<FenceInst>(i) || isa<VAArgInst>(i))
    return false;
  return !(isa<GetElementPtrInst>(i) && i.getType()->isVectorTy());
}

bool isDecision(const Instruction& i) {
  if (auto* branch = dyn_cast<BranchInst>(&i)) return branch->isConditional();
  return isa<SwitchInst>(i);
}

// Where a use takes place: that of a phi, at the end of the block that the value comes from.
Instruction* userPlace(Use& use) {
  auto* user = cast<Instruction>(use.getUser());
  auto* phi = dyn_cast<PHINode>(user);
  return phi ? phi->getIncomingBlock(use)->getTerminator() : user;
}

} // namespace

bool endsBlock(const Instruction& i) {
  if (auto* branch = dyn_cast<BranchInst>(&i)) return branch->isUnconditional();
  auto* ret = dyn_cast<ReturnInst>(&i);
  return ret && !ret->getReturnValue();
}

Pieces::Pieces(Function& f, Asks asks) {
  for (BasicBlock& block : f) cut(block, asks);
  for (unsigned k = 0; k < list_.size(); ++k) separate(list_[k], k);
  collect(f);
}

void Pieces::cut(BasicBlock& block, Asks asks) {
  Piece piece;
  bool worth = false;
  auto end = [&] {
    if (worth) {
      for (Instruction* i : piece.instructions) pieceOf_[i] = unsigned(list_.size());
      if (piece.terminator) pieceOf_[piece.terminator] = unsigned(list_.size());
      list_.push_back(std::move(piece));
    }
    piece = {};
    worth = false;
  };
  for (Instruction& i : block) {
    if (isDecision(i)) {
      piece.terminator = &i;
      worth = true;
    } else if (isStraight(i)) {
      piece.instructions.push_back(&i);
      worth |= asks(i);
    } else {
      if (endsBlock(i)) piece.behind = &i;
      end();
    }
    if (piece.instructions.size() >= kLongestPiece) end();
  }
  end();
}

void Pieces::separate(Piece& piece, unsigned number) {
  for (Instruction* i : piece.instructions) {
    SmallVector<Use*> outside;
    for (Use& use : i->uses()) {
      auto at = pieceOf_.find(userPlace(use));
      if (at == pieceOf_.end() || at->second != number) outside.push_back(&use);
    }
    if (outside.empty()) continue;
    BasicBlock& entry = i->getFunction()->getEntryBlock();
    const DataLayout& layout = i->getModule()->getDataLayout();
    auto* variable =
        new AllocaInst(i->getType(), 0, nullptr, layout.getABITypeAlign(i->getType()), "", entry.begin());
    variables_.push_back(variable);
    Loads loads;
    for (Use* use : outside) use->set(readAgain(userPlace(*use), variable, loads));
    auto* store = new StoreInst(i, variable, std::next(i->getIterator()));
    own_.insert(store);
    pieceOf_[store] = number;
  }
}

// One load for each place: a phi that has several edges from one block must have the same value for all.
LoadInst* Pieces::readAgain(Instruction* at, AllocaInst* variable, Loads& loads) {
  LoadInst*& load = loads[at];
  if (load) return load;
  load = new LoadInst(variable->getAllocatedType(), variable, "", at->getIterator());
  own_.insert(load);
  if (auto piece = pieceOf_.find(at); piece != pieceOf_.end()) pieceOf_[load] = piece->second;
  return load;
}

void Pieces::collect(Function& f) {
  for (Piece& piece : list_) piece.instructions.clear();
  for (BasicBlock& block : f)
    for (Instruction& i : block)
      if (auto at = pieceOf_.find(&i); at != pieceOf_.end() && list_[at->second].terminator != &i)
        list_[at->second].instructions.push_back(&i);
}

} // namespace faultline::compiler

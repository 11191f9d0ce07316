// What an alter variant has beyond a record variant; see instrument.h.
#include "compiler/instrument_function.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

SmallVector<Use*> usesOf(Instruction& i) {
  SmallVector<Use*> uses;
  for (Use& u : i.uses()) uses.push_back(&u);
  return uses;
}

bool canBeSkipped(const CallInst& i) {
  return !i.isMustTailCall() && !i.doesNotReturn() && !i.hasFnAttr(Attribute::ReturnsTwice) &&
         i.getIntrinsicID() == Intrinsic::not_intrinsic;
}

} // namespace

void FunctionInstrument::beginEpochOrStop(IRBuilder<>& b) {
  auto* type = FunctionType::get(b.getInt32Ty(), false);
  Value* isZero = b.CreateCall(InlineAsm::get(type, ("incq " + Twine(FL_EPOCH_ADDRESS)).str(),
                                              "={@ccz},~{dirflag},~{fpsr},~{flags}", true));
  Instruction* at = &*b.GetInsertPoint();
  Instruction* cold = SplitBlockAndInsertIfThen(b.CreateIsNotNull(isZero), at, false,
                                                MDBuilder(hooks_.context).createBranchWeights(1, 1000000));
  b.SetInsertPoint(cold);
  hooks_.call(b, hooks_.fl_epoch_stop, {});
  b.SetInsertPoint(at);
}

void FunctionInstrument::visitAlterable(Instruction& i) {
  if (auto* branch = dyn_cast<BranchInst>(&i); branch && branch->isConditional()) return alterCondition(i, 0);
  if (isa<SwitchInst>(i)) return alterCondition(i, 0);
  if (auto* s = dyn_cast<StoreInst>(&i)) return alterStore(*s);
  if (auto* c = dyn_cast<CallInst>(&i); c && canBeSkipped(*c) && !isCopyCall(*c) && !isFillCall(*c))
    return alterCall(*c);
  if (isa<LoadInst>(i)) return alterValue(i);
  visit(i);
}

// The hook's answer in the type that was asked for.
Value* FunctionInstrument::fromWord(IRBuilder<>& b, Value* word, Type* type) {
  if (type->isPointerTy()) return b.CreateIntToPtr(word, type);
  Value* bits = b.CreateTrunc(word, b.getIntNTy(unsigned(layout_.getTypeSizeInBits(type))));
  return type->isIntegerTy() ? bits : b.CreateBitCast(bits, type);
}

// Ends `head` with a branch to `cold` if an alteration is due, else to where it went before.
BranchInst* FunctionInstrument::branchIfArmed(BasicBlock* head, BasicBlock* cold) {
  auto* old = cast<BranchInst>(head->getTerminator());
  IRBuilder<> b(old);
  Value* armed = b.CreateAlignedLoad(
      hooks_.i32, hooks_.fixedAddress(FL_STATE_ADDRESS + offsetof(fl_state, armed)), Align(4), true);
  BranchInst* branch = b.CreateCondBr(b.CreateIsNotNull(armed), cold, old->getSuccessor(0),
                                      MDBuilder(hooks_.context).createBranchWeights(1, 1000000));
  old->eraseFromParent();
  return branch;
}

// `value`, or what it is to be instead, for use at `at`; `value` itself if it is of a kind that cannot be
// altered.
Value* FunctionInstrument::altered(Value* value, Instruction* at, uint32_t id) {
  IRBuilder<> b(at);
  if (!asWord(b, value)) return value;
  BasicBlock* head = at->getParent();
  BasicBlock* tail = SplitBlock(head, at);
  auto* cold = BasicBlock::Create(hooks_.context, "", &function_, tail);
  branchIfArmed(head, cold);
  b.SetInsertPoint(cold);
  Value* word = hooks_.call(b, hooks_.fl_alter, {asWord(b, value), idValue(id), hooks_.descriptor});
  Value* other = fromWord(b, word, value->getType());
  b.CreateBr(tail);
  b.SetInsertPoint(tail, tail->begin());
  PHINode* phi = b.CreatePHI(value->getType(), 2);
  phi->addIncoming(value, head);
  phi->addIncoming(other, cold);
  return phi;
}

void FunctionInstrument::alterCondition(Instruction& terminator, unsigned operand) {
  Value* condition = terminator.getOperand(operand);
  terminator.setOperand(operand, altered(condition, &terminator, id(terminator)));
}

// Uses that the program has of the value see the altered one; those of our own hooks see what was there.
void FunctionInstrument::alterValue(Instruction& i) {
  SmallVector<Use*> uses = usesOf(i);
  Instruction* next = i.getNextNode();
  uint32_t number = id(i);
  visit(i);
  if (uses.empty()) return;
  Value* other = altered(&i, next, number);
  for (Use* use : uses)
    if (other != &i) use->set(other);
}

// head: armed? -> cold: new value; left out? -> after
// own:  store  -> after
void FunctionInstrument::alterStore(StoreInst& i) {
  uint32_t number = id(i);
  BasicBlock* head = i.getParent();
  BasicBlock* own = SplitBlock(head, &i);
  BasicBlock* after = SplitBlock(own, i.getNextNode());
  auto* cold = BasicBlock::Create(hooks_.context, "", &function_, own);
  branchIfArmed(head, cold);
  IRBuilder<> b(cold);
  Value* value = i.getValueOperand();
  Value* other = value;
  if (Value* word = asWord(b, value))
    other = fromWord(b, hooks_.call(b, hooks_.fl_alter, {word, idValue(number), hooks_.descriptor}),
                     value->getType());
  Value* skip = hooks_.call(b, hooks_.fl_skip, {idValue(number), hooks_.descriptor});
  b.CreateCondBr(b.CreateIsNotNull(skip), after, own);
  b.SetInsertPoint(own, own->begin());
  PHINode* phi = b.CreatePHI(value->getType(), 2);
  phi->addIncoming(value, head);
  phi->addIncoming(other, cold);
  i.setOperand(0, phi);
  visit(i);
}

void FunctionInstrument::alterCall(CallInst& i) {
  uint32_t number = id(i);
  SmallVector<Use*> uses = usesOf(i);
  BasicBlock* head = i.getParent();
  BasicBlock* own = SplitBlock(head, &i);
  BasicBlock* after = SplitBlock(own, i.getNextNode());
  auto* cold = BasicBlock::Create(hooks_.context, "", &function_, own);
  branchIfArmed(head, cold);
  IRBuilder<> b(cold);
  Value* skip = hooks_.call(b, hooks_.fl_skip, {idValue(number), hooks_.descriptor});
  Type* type = i.getType();
  Value* instead = type->isVoidTy() ? nullptr : Constant::getNullValue(type);
  if (instead)
    if (Value* word = asWord(b, instead))
      instead =
          fromWord(b, hooks_.call(b, hooks_.fl_alter, {word, idValue(number), hooks_.descriptor}), type);
  b.CreateCondBr(b.CreateIsNotNull(skip), after, own);
  visit(i);
  if (uses.empty()) return;
  // Hooks behind the call may have made blocks of their own.
  BasicBlock* last = nullptr;
  for (BasicBlock* block : predecessors(after))
    if (block != cold) last = block;
  b.SetInsertPoint(after, after->begin());
  PHINode* phi = b.CreatePHI(type, 2);
  phi->addIncoming(&i, last);
  phi->addIncoming(instead, cold);
  Value* other = altered(phi, &*after->getFirstInsertionPt(), number);
  for (Use* use : uses) use->set(other);
}

} // namespace faultline::compiler

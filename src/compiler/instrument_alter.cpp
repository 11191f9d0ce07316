// What an alter variant has beyond a record variant; see instrument.h.
#include "abi/experiment.h"
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

bool canBeSkipped(const CallBase& i) {
  return (isa<CallInst>(i) || isa<InvokeInst>(i)) && !i.isMustTailCall() && !i.doesNotReturn() &&
         !i.hasFnAttr(Attribute::ReturnsTwice) && i.getIntrinsicID() == Intrinsic::not_intrinsic;
}

std::optional<uint32_t> operationOf(unsigned opcode) {
  switch (opcode) {
  case Instruction::Add:
    return FL_OPERATION_ADD;
  case Instruction::Sub:
    return FL_OPERATION_SUB;
  case Instruction::Mul:
    return FL_OPERATION_MUL;
  case Instruction::UDiv:
    return FL_OPERATION_UDIV;
  case Instruction::SDiv:
    return FL_OPERATION_SDIV;
  case Instruction::URem:
    return FL_OPERATION_UREM;
  case Instruction::SRem:
    return FL_OPERATION_SREM;
  case Instruction::Shl:
    return FL_OPERATION_SHL;
  case Instruction::LShr:
    return FL_OPERATION_LSHR;
  case Instruction::AShr:
    return FL_OPERATION_ASHR;
  case Instruction::And:
    return FL_OPERATION_AND;
  case Instruction::Or:
    return FL_OPERATION_OR;
  case Instruction::Xor:
    return FL_OPERATION_XOR;
  case Instruction::FAdd:
    return FL_OPERATION_FADD;
  case Instruction::FSub:
    return FL_OPERATION_FSUB;
  case Instruction::FMul:
    return FL_OPERATION_FMUL;
  case Instruction::FDiv:
    return FL_OPERATION_FDIV;
  case Instruction::ZExt:
    return FL_OPERATION_ZEXT;
  case Instruction::SExt:
    return FL_OPERATION_SEXT;
  default:
    return std::nullopt;
  }
}

std::optional<uint32_t> operationOf(const Instruction& i) {
  if (auto* compare = dyn_cast<CmpInst>(&i)) return FL_OPERATION_COMPARE + uint32_t(compare->getPredicate());
  return operationOf(i.getOpcode());
}

// A value of it takes part in computations of src/runtime/compute.h.
bool isWord(const Type* type) {
  return type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() ||
         (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
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
  if (auto* c = dyn_cast<CallBase>(&i); c && canBeSkipped(*c) && !isCopyCall(*c) && !isFillCall(*c))
    return alterCall(*c);
  if (auto* l = dyn_cast<LoadInst>(&i)) return alterLoad(*l);
  if (isa<FPToSIInst>(i) || isa<FPToUIInst>(i) || isElement(i)) return alterValue(i);
  if (operationOf(i)) return alterComputed(i);
  visit(i);
}

// The address of one of several that lie side by side: another may have been meant.
bool FunctionInstrument::isElement(const Instruction& i) const {
  return isa<GetElementPtrInst>(i) && !i.getType()->isVectorTy() && fir::isElement(hooks_.image, id(i));
}

// The hook's answer in the type that was asked for.
Value* FunctionInstrument::fromWord(IRBuilder<>& b, Value* word, Type* type) {
  if (type->isPointerTy()) return b.CreateIntToPtr(word, type);
  Value* bits = b.CreateTrunc(word, b.getIntNTy(unsigned(layout_.getTypeSizeInBits(type))));
  return type->isIntegerTy() ? bits : b.CreateBitCast(bits, type);
}

// Ends `head` with a branch to `cold` if an alteration may be due, else to where it went before.
BranchInst* FunctionInstrument::branchIfArmed(BasicBlock* head, BasicBlock* cold, uint32_t id) {
  auto* old = cast<BranchInst>(head->getTerminator());
  IRBuilder<> b(old);
  Value* armed = b.CreateAlignedLoad(
      hooks_.i32, hooks_.fixedAddress(FL_STATE_ADDRESS + offsetof(fl_state, armed)), Align(4), true);
  Value* own = b.CreateAnd(armed, b.getInt32(FL_ARMED_BIT(id)));
  BranchInst* branch = b.CreateCondBr(b.CreateIsNotNull(own), cold, old->getSuccessor(0),
                                      MDBuilder(hooks_.context).createBranchWeights(1, 1000000));
  old->eraseFromParent();
  return branch;
}

// `value`, or what it is to be instead, for use at `at`; `value` itself if it is of a kind that cannot be
// altered.
Value* FunctionInstrument::altered(Value* value, Instruction* at, uint32_t id) {
  return alteredBy(value, at, id, [&](IRBuilder<>& b, Value* word) {
    return hooks_.call(b, hooks_.fl_alter, {word, idValue(id), hooks_.descriptor});
  });
}

Value* FunctionInstrument::alteredBy(Value* value, Instruction* at, uint32_t id, Ask ask) {
  IRBuilder<> b(at);
  if (!asWord(b, value)) return value;
  BasicBlock* head = at->getParent();
  BasicBlock* tail = SplitBlock(head, at);
  auto* cold = BasicBlock::Create(hooks_.context, "", &function_, tail);
  branchIfArmed(head, cold, id);
  b.SetInsertPoint(cold);
  Value* other = fromWord(b, ask(b, asWord(b, value)), value->getType());
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

// Beside another value, it may get what another variable or member has.
void FunctionInstrument::alterLoad(LoadInst& i) {
  uint32_t number = id(i);
  SmallVector<Use*> uses = usesOf(i);
  Instruction* next = i.getNextNode();
  visit(i);
  if (uses.empty() || !isWord(i.getType())) return;
  auto others = hooks_.others.at(hooks_.image.functionOf(number), number);
  Value* other = alteredBy(&i, next, number, [&](IRBuilder<>& b, Value* word) {
    Value* choice =
        others.empty()
            ? nullptr
            : hooks_.call(b, hooks_.fl_alter_operand,
                          {b.getInt64(0), b.getInt32(FL_SLOT_OTHER), idValue(number), hooks_.descriptor});
    for (size_t k = 0; k < others.size(); ++k)
      if (Value* instead = readInstead(b, i, others[k]))
        word = b.CreateSelect(b.CreateICmpEQ(choice, b.getInt64(k + 1)), asWord(b, instead), word);
    return hooks_.call(b, hooks_.fl_alter, {word, idValue(number), hooks_.descriptor});
  });
  for (Use* use : uses)
    if (other != &i) use->set(other);
}

Value* FunctionInstrument::readInstead(IRBuilder<>& b, LoadInst& i, const fir::OtherOperand& other) {
  Value* from = nullptr;
  if (other.kind == fir::OtherOperand::Member) {
    from = b.CreateConstGEP1_64(hooks_.i8, i.getPointerOperand(), uint64_t(other.distance));
  } else if (AllocaInst* variable = variables_.lookup(other.variable)) {
    if (variable->getAllocatedType() == i.getType()) from = variable;
  }
  return from ? b.CreateAlignedLoad(i.getType(), from, i.getAlign()) : nullptr;
}

// head: armed? -> cold: new value; left out? -> after
// own:  store  -> after
void FunctionInstrument::alterStore(StoreInst& i) {
  uint32_t number = id(i);
  BasicBlock* head = i.getParent();
  BasicBlock* own = SplitBlock(head, &i);
  BasicBlock* after = SplitBlock(own, i.getNextNode());
  auto* cold = BasicBlock::Create(hooks_.context, "", &function_, own);
  branchIfArmed(head, cold, number);
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

// What it computes from its operands. Constants among them are none of its own: they are operands.
void FunctionInstrument::alterComputed(Instruction& i) {
  Type* type = i.getOperand(0)->getType();
  if (i.use_empty() || !isWord(type) || !isWord(i.getType())) return;
  SmallVector<Use*> uses = usesOf(i);
  uint32_t operation = *operationOf(i) | uint32_t(layout_.getTypeSizeInBits(type)) << 8;
  Value* other = alteredBy(&i, i.getNextNode(), id(i), [&](IRBuilder<>& cold, Value* word) {
    Value* left = asWord(cold, i.getOperand(0));
    Value* right = i.getNumOperands() > 1 ? asWord(cold, i.getOperand(1)) : left;
    return hooks_.call(cold, hooks_.fl_alter_computed,
                       {word, left, right, cold.getInt32(operation), idValue(id(i)), hooks_.descriptor});
  });
  for (Use* use : uses) use->set(other);
}

void FunctionInstrument::alterConstantArguments(CallBase& i) {
  for (unsigned k = 0; k < i.arg_size(); ++k) {
    if (!isa<ConstantInt>(i.getArgOperand(k)) || i.paramHasAttr(k, Attribute::ImmArg)) continue;
    i.setArgOperand(k, alteredBy(i.getArgOperand(k), &i, id(i), [&](IRBuilder<>& cold, Value* word) {
                      return hooks_.call(cold, hooks_.fl_alter_operand,
                                         {word, cold.getInt32(k + 2), idValue(id(i)), hooks_.descriptor});
                    }));
  }
}

void FunctionInstrument::alterConstantReturn(ReturnInst& i) {
  if (i.getReturnValue() && isa<ConstantInt>(i.getReturnValue())) alterCondition(i, 0);
}

void FunctionInstrument::alterCall(CallBase& i) {
  uint32_t number = id(i);
  alterConstantArguments(i);
  SmallVector<Use*> uses = usesOf(i);
  BasicBlock* head = i.getParent();
  BasicBlock* own = SplitBlock(head, &i);
  auto* invoke = dyn_cast<InvokeInst>(&i);
  BasicBlock* after = invoke ? SplitEdge(own, invoke->getNormalDest()) : SplitBlock(own, i.getNextNode());
  auto* cold = BasicBlock::Create(hooks_.context, "", &function_, own);
  branchIfArmed(head, cold, number);
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

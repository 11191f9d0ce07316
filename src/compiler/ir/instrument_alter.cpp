// What an alter variant has beyond a record variant; see instrument.h.
#include "abi/experiment.h"
#include "compiler/ir/instrument_function.h"

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
  auto* call = dyn_cast<CallBase>(&i);
  if (call && canBeSkipped(*call) && !isCopyCall(*call) && !isFillCall(*call)) return alterCall(*call);
  visit(i);
}

bool FunctionInstrument::mayAsk(const Instruction& i) const {
  if (isa<StoreInst>(i)) return true;
  if (i.use_empty() || !isWord(i.getType())) return false;
  if (isa<LoadInst>(i) || isa<FPToSIInst>(i) || isa<FPToUIInst>(i) || isElement(i)) return true;
  return operationOf(i) && isWord(i.getOperand(0)->getType());
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
void FunctionInstrument::branchIfArmed(BasicBlock* head, BasicBlock* cold, uint32_t bits) {
  auto* old = cast<BranchInst>(head->getTerminator());
  IRBuilder<> b(old);
  Value* armed = b.CreateAlignedLoad(
      hooks_.i32, hooks_.fixedAddress(FL_STATE_ADDRESS + offsetof(fl_state, armed)), Align(4), true);
  Value* own = b.CreateAnd(armed, b.getInt32(bits));
  b.CreateCondBr(b.CreateIsNotNull(own), cold, old->getSuccessor(0),
                 MDBuilder(hooks_.context).createBranchWeights(1, 1000000));
  old->eraseFromParent();
}

// `value`, or what it is to be instead; `value` itself if it is of a kind that cannot be altered.
Value* FunctionInstrument::altered(IRBuilder<>& b, Value* value, uint32_t id) {
  Value* word = isWord(value->getType()) ? asWord(b, value) : nullptr;
  if (!word) return value;
  return fromWord(b, hooks_.call(b, hooks_.fl_alter, {word, idValue(id), hooks_.descriptor}),
                  value->getType());
}

// The copy of a piece, which asks.
class FunctionInstrument::Copy {
public:
  Copy(FunctionInstrument& owner, BasicBlock* cold) : o_(owner), h_(owner.hooks_), b_(cold) {}

  void add(Instruction& i, bool isOwn) {
    if (isOwn) return void(clone(i));
    uint32_t id = o_.id(i);
    if (auto* load = dyn_cast<LoadInst>(&i)) return addLoad(*load, id);
    if (auto* store = dyn_cast<StoreInst>(&i)) return addStore(*store, id);
    if (i.isIntDivRem()) saysWhere(id);
    Instruction* copy = clone(i);
    if (!o_.mayAsk(i)) return;
    if (operationOf(i))
      values_[&i] = computed(*copy, id);
    else
      values_[&i] = o_.altered(b_, copy, id);
  }

  // What stands behind the piece gets values from its copy too.
  void end(const Piece& piece, BasicBlock* join) {
    if (saysWhere_) b_.CreateAlignedStore(b_.getInt32(0), place(offsetof(fl_state, asking)), Align(4), true);
    if (piece.behind) o_.altered(b_, b_.getInt64(0), o_.id(*piece.behind));
    Instruction* terminator = piece.terminator;
    if (!terminator) return void(b_.CreateBr(join));
    Value* decision = o_.altered(b_, valueOf(terminator->getOperand(0)), o_.id(*terminator));
    Instruction* copy = b_.Insert(terminator->clone());
    copy->setOperand(0, decision);
    for (BasicBlock* to : successors(terminator))
      for (PHINode& phi : to->phis())
        phi.addIncoming(valueOf(phi.getIncomingValueForBlock(terminator->getParent())), b_.GetInsertBlock());
  }

private:
  Value* valueOf(Value* v) const {
    auto at = values_.find(v);
    return at == values_.end() ? v : at->second;
  }

  Value* place(size_t offset) const { return h_.fixedAddress(FL_STATE_ADDRESS + offset); }

  Instruction* clone(Instruction& i) {
    Instruction* copy = b_.Insert(i.clone());
    for (Use& use : copy->operands()) use.set(valueOf(use.get()));
    values_[&i] = copy;
    return copy;
  }

  // The next instruction may fault. The machine's program counter is none that the piece itself has.
  void saysWhere(uint32_t id) {
    if (!saysWhere_)
      b_.CreateAlignedStore(h_.descriptor, place(offsetof(fl_state, asking_module)), Align(8), true);
    saysWhere_ = true;
    b_.CreateAlignedStore(b_.getInt32(id + 1), place(offsetof(fl_state, asking)), Align(4), true);
  }

  // Constants among the operands are none of its own: they are operands.
  Value* computed(Instruction& i, uint32_t id) {
    uint32_t operation = *operationOf(i) | uint32_t(o_.layout_.getTypeSizeInBits(i.getOperand(0)->getType()))
                                               << 8;
    Value* left = o_.asWord(b_, i.getOperand(0));
    Value* right = i.getNumOperands() > 1 ? o_.asWord(b_, i.getOperand(1)) : left;
    return o_.fromWord(
        b_,
        h_.call(b_, h_.fl_alter_computed,
                {o_.asWord(b_, &i), left, right, b_.getInt32(operation), o_.idValue(id), h_.descriptor}),
        i.getType());
  }

  // Beside another value, it may get what another variable or member has.
  void addLoad(LoadInst& i, uint32_t id) {
    bool isPrivate = o_.isPrivate(i.getPointerOperand());
    bool isKnown = isPrivate || o_.isKnownConstant(i.getPointerOperand());
    if (!isPrivate) saysWhere(id);
    auto* copy = cast<LoadInst>(clone(i));
    if (!isKnown) copy->setVolatile(true);
    Value* bits = isKnown ? nullptr : o_.asBits(b_, copy);
    Value* address = copy->getPointerOperand();
    uint32_t size = uint32_t(o_.layout_.getTypeStoreSize(i.getType()));
    if (!isKnown && !bits) {
      b_.SetInsertPoint(copy);
      h_.call(b_, h_.fl_load_wide, {address, b_.getInt64(size), o_.idValue(id), h_.descriptor});
      b_.SetInsertPoint(copy->getParent());
    }
    if (!o_.mayAsk(i) && !bits) return;
    uint32_t how = size | (bits ? FL_LOAD_CHECKED : 0);
    Value* others = o_.mayAsk(i) ? storeOthers(i, *copy, id, how) : nullptr;
    if (!bits && !others) {
      values_[&i] = o_.altered(b_, copy, id);
      return mayLeave();
    }
    Value* none = ConstantPointerNull::get(h_.pointer);
    Value* word = h_.call(b_, h_.fl_alter_load,
                          {o_.asWord(b_, copy), isKnown ? none : address, b_.getInt32(how), o_.idValue(id),
                           h_.descriptor, others ? others : none});
    if (!o_.mayAsk(i)) return;
    values_[&i] = o_.fromWord(b_, word, i.getType());
    mayLeave();
  }

  // A guard may be missing before what uses the value that was just read.
  void mayLeave() {
    Value* leaves = b_.CreateAlignedLoad(h_.i64, place(offsetof(fl_state, leaves)), Align(8), true);
    BasicBlock* here = b_.GetInsertBlock();
    auto* next = BasicBlock::Create(h_.context, "", &o_.function_, here->getNextNode());
    b_.CreateCondBr(b_.CreateIsNotNull(leaves), o_.leftBlock(), next,
                    MDBuilder(h_.context).createBranchWeights(1, 1000));
    b_.SetInsertPoint(next);
  }

  // What could be read instead: values of variables, and addresses.
  Value* storeOthers(LoadInst& i, LoadInst& copy, uint32_t id, uint32_t& how) {
    unsigned count = 0;
    AllocaInst* array = nullptr;
    for (const fir::OtherOperand& other : h_.others.at(h_.image.functionOf(id), id)) {
      Value* word = b_.getInt64(0); // none of this kind: its number stays free
      bool isAddress = false;
      if (other.kind == fir::OtherOperand::Member) {
        word = b_.CreateAdd(b_.CreatePtrToInt(copy.getPointerOperand(), h_.i64),
                            b_.getInt64(uint64_t(other.distance)));
        isAddress = true;
      } else if (AllocaInst* variable = o_.variables_.lookup(other.variable);
                 variable && variable->getAllocatedType() == i.getType()) {
        isAddress = !o_.isPrivate(variable);
        word = isAddress ? b_.CreatePtrToInt(variable, h_.i64)
                         : o_.asWord(b_, b_.CreateAlignedLoad(i.getType(), variable, i.getAlign()));
      } else {
        how |= FL_LOAD_NONE(count);
      }
      if (isAddress) how |= FL_LOAD_ADDRESS(count);
      if (!array) array = o_.arrayOfOthers();
      b_.CreateAlignedStore(word, b_.CreateConstInBoundsGEP1_64(h_.i64, array, count), Align(8));
      ++count;
    }
    how |= FL_LOAD_OTHERS(count);
    return array;
  }

  // Left out, it goes to where nobody reads it.
  void addStore(StoreInst& i, uint32_t id) {
    auto* copy = cast<StoreInst>(clone(i));
    b_.SetInsertPoint(copy);
    Value* value = copy->getValueOperand();
    Value* word = isWord(value->getType()) ? o_.asWord(b_, value) : nullptr;
    Value* address = copy->getPointerOperand();
    bool isPrivate = o_.isPrivate(address);
    if (isPrivate && word) {
      Value* old = b_.CreateAlignedLoad(value->getType(), address, copy->getAlign());
      Value* other =
          h_.call(b_, h_.fl_alter_variable, {word, o_.asWord(b_, old), o_.idValue(id), h_.descriptor});
      copy->setOperand(0, o_.fromWord(b_, other, value->getType()));
    } else if (isPrivate) {
      Value* old = b_.CreateAlignedLoad(value->getType(), address, copy->getAlign());
      Value* skip = b_.CreateIsNotNull(h_.call(b_, h_.fl_skip, {o_.idValue(id), h_.descriptor}));
      copy->setOperand(0, b_.CreateSelect(skip, old, value));
    } else if (o_.layout_.getTypeStoreSize(value->getType()) <= FL_LARGEST_STORE) {
      Value* other = h_.call(b_, h_.fl_alter_store,
                             {word ? word : b_.getInt64(0), address, o_.idValue(id), h_.descriptor});
      if (word) copy->setOperand(0, o_.fromWord(b_, other, value->getType()));
      address = b_.CreateAlignedLoad(h_.pointer, place(offsetof(fl_state, store_at)), Align(8), true);
      copy->setOperand(1, address);
    }
    if (!isPrivate) {
      copy->setVolatile(true);
      saysWhere(id);
    }
    b_.SetInsertPoint(copy->getParent());
    if (!isPrivate) b_.CreateAlignedStore(copy->getValueOperand(), h_.shadow(b_, address), Align(1));
  }

  FunctionInstrument& o_;
  ModuleHooks& h_;
  IRBuilder<> b_;
  DenseMap<Value*, Value*> values_; // of the piece: of the copy
  bool saysWhere_ = false;
};

AllocaInst* FunctionInstrument::arrayOfOthers() {
  static_assert(fir::kMostOthers <= FL_MOST_OTHERS);
  if (!others_)
    others_ = new AllocaInst(ArrayType::get(hooks_.i64, fir::kMostOthers), 0, nullptr, Align(8), "",
                             function_.getEntryBlock().begin());
  return others_;
}

// Where the function is left before its end.
BasicBlock* FunctionInstrument::leftBlock() {
  if (left_) return left_->getParent();
  IRBuilder<> b(BasicBlock::Create(hooks_.context, "", &function_));
  auto place = [&](size_t offset) { return hooks_.fixedAddress(FL_STATE_ADDRESS + offset); };
  b.CreateAlignedStore(b.getInt64(0), place(offsetof(fl_state, leaves)), Align(8), true);
  b.CreateAlignedStore(b.getInt32(0), place(offsetof(fl_state, asking)), Align(4), true);
  Type* type = function_.getReturnType();
  if (type->isVoidTy()) {
    left_ = b.CreateRetVoid();
  } else if (isWord(type)) {
    Value* word = b.CreateAlignedLoad(hooks_.i64, place(offsetof(fl_state, left_with)), Align(8), true);
    left_ = b.CreateRet(fromWord(b, word, type));
  } else {
    left_ = b.CreateRet(Constant::getNullValue(type));
  }
  return left_->getParent();
}

void FunctionInstrument::alterPiece(Piece& piece, const Pieces& pieces) {
  uint32_t bits = 0;
  for (const Instruction* i : {piece.terminator, piece.behind})
    if (i) bits |= FL_ARMED_BIT(id(*i));
  for (Instruction* i : piece.instructions)
    if (!pieces.isOwn(*i)) bits |= FL_ARMED_BIT(id(*i));
  Instruction* first = piece.instructions.empty() ? piece.terminator : piece.instructions.front();
  BasicBlock* head = first->getParent();
  BasicBlock* body = SplitBlock(head, first);
  BasicBlock* join = piece.terminator ? nullptr : SplitBlock(body, piece.instructions.back()->getNextNode());
  auto* cold = BasicBlock::Create(hooks_.context, "", &function_, join ? join : body->getNextNode());
  branchIfArmed(head, cold, bits);
  Copy copy(*this, cold);
  for (Instruction* i : piece.instructions) copy.add(*i, pieces.isOwn(*i));
  copy.end(piece, join);
}

// Where its first assignment is left out, or another is read before it, the answer must not depend on what a
// register held.
void FunctionInstrument::clearVariables() {
  BasicBlock& entry = function_.getEntryBlock();
  IRBuilder<> b(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  for (const AllocaInst* a : plan_.privateVariables)
    b.CreateStore(Constant::getNullValue(a->getAllocatedType()), const_cast<AllocaInst*>(a));
}

void FunctionInstrument::alterPieces(Pieces& pieces) {
  clearVariables();
  for (Piece& piece : pieces.list()) alterPiece(piece, pieces);
  for (Piece& piece : pieces.list())
    for (Instruction* i : piece.instructions)
      if (!pieces.isOwn(*i)) visit(*i);
  promoted_.append(pieces.variables().begin(), pieces.variables().end());
}

// head: armed? -> cold: other arguments; left out? -> after
// own:  call   -> after
void FunctionInstrument::alterCall(CallBase& i) {
  uint32_t number = id(i);
  SmallVector<Use*> uses = usesOf(i);
  BasicBlock* head = i.getParent();
  BasicBlock* own = SplitBlock(head, &i);
  auto* invoke = dyn_cast<InvokeInst>(&i);
  BasicBlock* after = invoke ? SplitEdge(own, invoke->getNormalDest()) : SplitBlock(own, i.getNextNode());
  auto* cold = BasicBlock::Create(hooks_.context, "", &function_, own);
  branchIfArmed(head, cold, FL_ARMED_BIT(number));
  IRBuilder<> b(cold);
  alterConstantArguments(b, i, head);
  Value* skip = hooks_.call(b, hooks_.fl_skip, {idValue(number), hooks_.descriptor});
  Type* type = i.getType();
  Value* instead = type->isVoidTy() ? nullptr : altered(b, Constant::getNullValue(type), number);
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
  Value* other = alteredBefore(&*after->getFirstInsertionPt(), phi, number);
  for (Use* use : uses) use->set(other);
}

// `i` is in a block of its own, to which `head` and the block of `b` lead.
void FunctionInstrument::alterConstantArguments(IRBuilder<>& b, CallBase& i, BasicBlock* head) {
  for (unsigned k = 0; k < i.arg_size(); ++k) {
    Value* constant = i.getArgOperand(k);
    if (!isa<ConstantInt>(constant) || !isWord(constant->getType()) || i.paramHasAttr(k, Attribute::ImmArg))
      continue;
    Value* word = hooks_.call(b, hooks_.fl_alter_operand,
                              {asWord(b, constant), b.getInt32(k + 2), idValue(id(i)), hooks_.descriptor});
    auto* phi = PHINode::Create(constant->getType(), 2, "", i.getParent()->begin());
    phi->addIncoming(constant, head);
    phi->addIncoming(fromWord(b, word, constant->getType()), b.GetInsertBlock());
    i.setArgOperand(k, phi);
  }
}

// `value` before `at`, which need not ask itself.
Value* FunctionInstrument::alteredBefore(Instruction* at, Value* value, uint32_t id) {
  if (!isWord(value->getType())) return value;
  BasicBlock* head = at->getParent();
  BasicBlock* tail = SplitBlock(head, at);
  auto* cold = BasicBlock::Create(hooks_.context, "", &function_, tail);
  branchIfArmed(head, cold, FL_ARMED_BIT(id));
  IRBuilder<> b(cold);
  Value* other = altered(b, value, id);
  b.CreateBr(tail);
  auto* both = PHINode::Create(value->getType(), 2, "", tail->begin());
  both->addIncoming(value, head);
  both->addIncoming(other, cold);
  return both;
}

// A call that is the last of its block lies in no piece.
SmallVector<Instruction*> FunctionInstrument::endsBehindCalls() const {
  SmallVector<Instruction*> out;
  for (BasicBlock& block : function_) {
    Instruction* end = block.getTerminator();
    auto* last = dyn_cast_or_null<CallInst>(end->getPrevNonDebugInstruction());
    if (endsBlock(*end) && last && canBeSkipped(*last)) out.push_back(end);
  }
  return out;
}

void FunctionInstrument::alterConstantReturn(ReturnInst& i) {
  if (Value* value = i.getReturnValue(); value && isa<ConstantInt>(value))
    i.setOperand(0, alteredBefore(&i, value, id(i)));
}

} // namespace faultline::compiler

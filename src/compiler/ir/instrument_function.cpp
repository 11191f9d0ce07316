#include "compiler/ir/instrument_function.h"

#include "compiler/ir/instrument.h"
#include "compiler/ir/prepare.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;

namespace faultline::compiler {

void FunctionInstrument::run() {
  bool isAlterable = alters(hooks_.kind);
  std::optional<Pieces> pieces;
  if (isAlterable) pieces.emplace(function_, [&](const Instruction& i) { return mayAsk(i); });
  SmallVector<Instruction*> ends = isAlterable ? endsBehindCalls() : SmallVector<Instruction*>();
  SmallVector<Instruction*> work;
  SmallVector<Instruction*> exits;
  for (Instruction& i : instructions(function_)) {
    if (isa<DbgInfoIntrinsic>(i)) continue;
    if (pieces && (pieces->contains(i) || pieces->isOwn(i))) continue;
    if (auto* a = dyn_cast<AllocaInst>(&i)) variables_[id(i)] = a;
    if (isa<ReturnInst>(i))
      exits.push_back(&i);
    else
      work.push_back(&i);
  }
  moveAllocasUp();
  beginEpochs();
  enter();
  for (Instruction* i : work) isAlterable ? visitAlterable(*i) : visit(*i);
  if (pieces) alterPieces(*pieces);
  for (Instruction* i : ends) alteredBefore(i, ConstantInt::get(hooks_.i64, 0), id(*i));
  for (Instruction* i : exits) {
    if (isAlterable) alterConstantReturn(*cast<ReturnInst>(i));
    leave(*i);
  }
  if (left_) leave(*left_);
  replaceFrameVariables();
  promotePrivateVariables();
}

bool FunctionInstrument::isPrivate(const Value* pointer) const {
  auto* a = dyn_cast<AllocaInst>(pointer);
  return a && plan_.privateVariables.count(a);
}

void FunctionInstrument::visit(Instruction& i) {
  if (auto* l = dyn_cast<LoadInst>(&i)) return load(*l);
  if (auto* s = dyn_cast<StoreInst>(&i)) return store(*s);
  if (auto* a = dyn_cast<AtomicRMWInst>(&i)) return atomicUpdate(*a);
  if (auto* x = dyn_cast<AtomicCmpXchgInst>(&i)) return compareExchange(*x);
  if (auto* a = dyn_cast<AllocaInst>(&i)) {
    if (!a->isStaticAlloca()) dynamicAlloca(*a);
    return;
  }
  if (auto* pad = dyn_cast<LandingPadInst>(&i)) return land(*pad);
  if (auto* r = dyn_cast<ResumeInst>(&i)) return resume(*r);
  if (auto* c = dyn_cast<CallBase>(&i)) return callSite(*c);
  if (isa<VAArgInst>(i)) return recordValue(i);
  if (auto* g = dyn_cast<GetElementPtrInst>(&i); g && g->getType()->isVectorTy()) return recordValue(i);
}

void FunctionInstrument::moveAllocasUp() {
  BasicBlock& entry = function_.getEntryBlock();
  SmallVector<AllocaInst*> allocas;
  for (Instruction& i : entry)
    if (auto* a = dyn_cast<AllocaInst>(&i); a && a->isStaticAlloca()) allocas.push_back(a);
  for (AllocaInst* a : reverse(allocas)) a->moveBefore(entry, entry.begin());
}

void FunctionInstrument::enter() {
  BasicBlock& entry = function_.getEntryBlock();
  Instruction* at = &*entry.getFirstNonPHIOrDbgOrAlloca();
  while (isa<AllocaInst>(at) && cast<AllocaInst>(at)->isStaticAlloca()) at = at->getNextNode();
  savedExt_ = plan_.callableFromOutside ? logEntry(at) : nullptr;
  IRBuilder<> b(at);
  beginEpoch(b);
  makeFrame(at);
  Constant* zero = b.getInt32(0);
  function_.setPrefixData(ConstantStruct::getAnon({zero, zero, zero, b.getInt32(FL_FUNCTION_MAGIC)}, true));
}

// Calls fl_enter if outside code called us; the value is the ext to put back on return.
Value* FunctionInstrument::logEntry(Instruction* at) {
  IRBuilder<> b(at);
  Value* ext = hooks_.ext(b);
  BasicBlock* head = at->getParent();
  Instruction* cold = SplitBlockAndInsertIfThen(b.CreateICmpNE(ext, b.getInt64(0)), at, false,
                                                MDBuilder(hooks_.context).createBranchWeights(1, 2000));
  uint64_t words = 0;
  SmallVector<std::pair<Value*, uint64_t>> places;
  for (Argument& a : function_.args()) {
    places.push_back({&a, words});
    words += std::max<uint64_t>(1, (layout_.getTypeStoreSize(a.getType()) + 7) / 8);
  }
  BasicBlock& entry = function_.getEntryBlock();
  auto* array = new AllocaInst(ArrayType::get(hooks_.i64, words), 0, nullptr, Align(16), "", entry.begin());
  b.SetInsertPoint(cold);
  b.CreateMemSet(array, b.getInt8(0), words * 8, Align(16));
  for (auto& [value, word] : places) {
    Value* place = b.CreateConstInBoundsGEP1_64(hooks_.i64, array, word);
    Value* whole = asWord(b, value);
    b.CreateStore(whole ? whole : value, place);
  }
  Value* saved =
      hooks_.call(b, hooks_.fl_enter, {array, b.getInt64(words), idValue(plan_.entryId), hooks_.descriptor});
  b.SetInsertPoint(at);
  PHINode* phi = b.CreatePHI(hooks_.i64, 2);
  phi->moveBefore(*at->getParent(), at->getParent()->begin());
  phi->addIncoming(b.getInt64(0), head);
  phi->addIncoming(saved, cold->getParent());
  return phi;
}

Value* FunctionInstrument::frameTop(IRBuilder<>& b) {
  return b.CreateAlignedLoad(hooks_.i64,
                             hooks_.fixedAddress(FL_STATE_ADDRESS + offsetof(fl_state, frame_top)), Align(8));
}

void FunctionInstrument::setFrameTop(IRBuilder<>& b, Value* top) {
  b.CreateAlignedStore(top, hooks_.fixedAddress(FL_STATE_ADDRESS + offsetof(fl_state, frame_top)), Align(8));
}

// Whether outside code that this function calls might catch an exception out of one of our frames above it,
// and return: then nobody has popped that frame.
bool FunctionInstrument::outsideMayCatch() const {
  return any_of(instructions(function_), [&](Instruction& i) {
    auto* call = dyn_cast<CallBase>(&i);
    return call && mayCatch(*call);
  });
}

bool FunctionInstrument::mayCatch(const CallBase& call) const {
  if (call.doesNotThrow() || call.doesNotReturn() || call.isInlineAsm() || isa<IntrinsicInst>(call))
    return false;
  return classifyCall(call, hooks_.inside) != fir::CallKind::Inside;
}

void FunctionInstrument::makeFrame(Instruction* at) {
  bool lands = any_of(instructions(function_), [](Instruction& i) { return isa<LandingPadInst>(i); });
  bool returnsAgain = lands || plan_.setsJump || outsideMayCatch();
  if (!plan_.frameSize && !plan_.hasDynamicFrame && !returnsAgain) return;
  IRBuilder<> b(at);
  callerTop_ = frameTop(b);
  frameBase_ = callerTop_;
  if (plan_.frameSize) {
    frameBase_ =
        b.CreateAnd(b.CreateSub(callerTop_, b.getInt64(plan_.frameSize)), b.getInt64(-plan_.frameAlign));
    setFrameTop(b, frameBase_);
  }
  if (plan_.guardOffset != fir::kNone) {
    Value* guard = b.CreateIntToPtr(b.CreateAdd(frameBase_, b.getInt64(plan_.guardOffset)), hooks_.pointer);
    b.CreateAlignedStore(b.getInt64(FL_FRAME_GUARD), guard, Align(8), true);
    b.CreateAlignedStore(b.getInt64(FL_FRAME_GUARD), hooks_.shadow(b, guard), Align(8));
  }
  if (!returnsAgain) return;
  BasicBlock& entry = function_.getEntryBlock();
  currentTop_ = new AllocaInst(hooks_.i64, 0, nullptr, Align(8), "", entry.begin());
  b.CreateAlignedStore(frameBase_, currentTop_, Align(8), plan_.setsJump);
  if (!plan_.setsJump) promoted_.push_back(currentTop_);
}

void FunctionInstrument::restoreFrameTop(IRBuilder<>& b) {
  if (currentTop_) setFrameTop(b, b.CreateAlignedLoad(hooks_.i64, currentTop_, Align(8), plan_.setsJump));
}

void FunctionInstrument::replaceFrameVariables() {
  if (plan_.frameOffsets.empty()) return;
  auto* base = cast<Instruction>(frameBase_);
  IRBuilder<> b(base->getParent(), std::next(base->getIterator()));
  for (auto& [alloca, offset] : plan_.frameOffsets) {
    auto* a = const_cast<AllocaInst*>(alloca);
    a->replaceAllUsesWith(b.CreateIntToPtr(b.CreateAdd(frameBase_, b.getInt64(offset)), hooks_.pointer));
    a->eraseFromParent();
  }
}

// One machine instruction, so that a fault on the counter's page can be retried (abi/state.h).
void FunctionInstrument::beginEpoch(IRBuilder<>& b) {
  if (alters(hooks_.kind)) return beginEpochOrStop(b);
  auto* type = FunctionType::get(b.getVoidTy(), false);
  b.CreateCall(
      InlineAsm::get(type, ("incq " + Twine(FL_EPOCH_ADDRESS)).str(), "~{flags},~{dirflag},~{fpsr}", true));
}

void FunctionInstrument::beginEpochs() {
  for (BasicBlock& block : function_) {
    if (!plan_.epochBlocks.count(&block)) continue;
    IRBuilder<> b(&block, block.getFirstInsertionPt());
    beginEpoch(b);
  }
}

void FunctionInstrument::leave(Instruction& exit) {
  if (plan_.guardOffset != fir::kNone) {
    IRBuilder<> b(&exit);
    Value* guard = b.CreateIntToPtr(b.CreateAdd(frameBase_, b.getInt64(plan_.guardOffset)), hooks_.pointer);
    Value* word = b.CreateAlignedLoad(hooks_.i64, guard, Align(8), true);
    Instruction* cold =
        SplitBlockAndInsertIfThen(b.CreateICmpNE(word, b.getInt64(FL_FRAME_GUARD)), &exit, true,
                                  MDBuilder(hooks_.context).createBranchWeights(1, 2000));
    b.SetInsertPoint(cold);
    hooks_.call(b, hooks_.fl_smashed, {idValue(id(exit)), hooks_.descriptor});
  }
  IRBuilder<> b(&exit);
  if (plan_.frameSize || plan_.hasDynamicFrame) setFrameTop(b, callerTop_);
  if (savedExt_) hooks_.setExt(b, savedExt_);
}

void FunctionInstrument::promotePrivateVariables() {
  for (const AllocaInst* a : plan_.privateVariables) promoted_.push_back(const_cast<AllocaInst*>(a));
  if (promoted_.empty()) return;
  DominatorTree tree(function_);
  PromoteMemToReg(promoted_, tree);
}

void instrumentModule(ModulePlan& plan, const InsideNames& inside, VariantKind kind,
                      const fir::Image& image) {
  ModuleHooks hooks(plan, inside, kind, image);
  for (FunctionPlan& f : plan.functions) FunctionInstrument(hooks, f).run();
  hooks.finish();
}

} // namespace faultline::compiler

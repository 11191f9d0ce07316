#include "abi/models.h"
#include "compiler/ir/instrument_function.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

bool mayBlock(uint32_t model) {
#define FL_MODEL_FLAGS(name, effect, flags) flags,
  static constexpr uint8_t kFlags[] = {FL_MODELS(FL_MODEL_FLAGS)};
#undef FL_MODEL_FLAGS
  return model != fir::kNone && (kFlags[model] & FL_MODEL_BLOCKS);
}

} // namespace

void FunctionInstrument::callSite(CallBase& i) {
  if (isCopyCall(i)) return copy(i);
  if (isFillCall(i)) return fill(i);
  if (i.isInlineAsm()) return recordValue(i);
  if (i.getIntrinsicID() != Intrinsic::not_intrinsic) return intrinsic(i);
  switch (fir::CallKind kind = classifyCall(i, hooks_.inside)) {
  case fir::CallKind::Inside:
    return;
  case fir::CallKind::Either:
    return eitherCall(i);
  default:
    return outsideCall(i, kind);
  }
}

// The first instruction that runs after the call has returned normally.
Instruction* FunctionInstrument::placeAfter(CallBase& i) {
  auto* invoke = dyn_cast<InvokeInst>(&i);
  if (!invoke) return i.getNextNode();
  BasicBlock* normal = invoke->getNormalDest();
  // A block of its own: phis of the destination and an epoch that begins there come after the call's return.
  BasicBlock* between = SplitEdge(invoke->getParent(), normal);
  return &*between->getFirstInsertionPt();
}

AllocaInst* FunctionInstrument::spill(IRBuilder<>& b, Value* value) {
  BasicBlock& entry = function_.getEntryBlock();
  auto* slot = new AllocaInst(value->getType(), 0, nullptr, layout_.getPrefTypeAlign(value->getType()), "",
                              entry.begin());
  b.CreateStore(value, slot);
  return slot;
}

void FunctionInstrument::outsideCall(CallBase& i, fir::CallKind kind) {
  IRBuilder<> b(&i);
  hooks_.setExt(b, hooks_.siteNumber(b, id(i)));
  bool blocks = mayBlock(modelOf(i));
  if (blocks) hooks_.call(b, hooks_.fl_block, {idValue(id(i)), hooks_.descriptor});
  if (i.doesNotReturn() && !isa<InvokeInst>(i)) return;
  b.SetInsertPoint(placeAfter(i));
  if (blocks)
    hooks_.call(b, hooks_.fl_unblock, {idValue(id(i)), hooks_.descriptor});
  else
    takeTurnIfRobbed(b, i);
  afterOutsideCall(b, i, kind);
}

// Nothing of the state is the thread's own before this (abi/state.h). Leaves `b` behind the check.
void FunctionInstrument::takeTurnIfRobbed(IRBuilder<>& b, CallBase& i) {
  Value* robbed = b.CreateAlignedLoad(
      hooks_.i32, hooks_.fixedAddress(FL_STATE_ADDRESS + offsetof(fl_state, robbed)), Align(4), true);
  Instruction* at = &*b.GetInsertPoint();
  Instruction* cold = SplitBlockAndInsertIfThen(b.CreateIsNotNull(robbed), at, false,
                                                MDBuilder(hooks_.context).createBranchWeights(1, 100000));
  b.SetInsertPoint(cold);
  hooks_.call(b, hooks_.fl_unblock, {idValue(id(i)), hooks_.descriptor});
  b.SetInsertPoint(at);
}

void FunctionInstrument::afterOutsideCall(IRBuilder<>& b, CallBase& i, fir::CallKind kind) {
  Value* number = idValue(id(i));
  bool used = !i.use_empty();
  if (kind == fir::CallKind::SetJmp) {
    hooks_.call(b, hooks_.fl_setjmp, {b.CreateZExtOrTrunc(&i, hooks_.i32), number, hooks_.descriptor});
    restoreFrameTop(b);
    return beginEpoch(b);
  }
  if (mayCatch(i)) restoreFrameTop(b);
  Value* word = i.getType()->isVoidTy() ? nullptr : asWord(b, &i);
  if (uint32_t computed = kind == fir::CallKind::Outside ? computedOf(i) : 0) {
    i.addFnAttr(Attribute::NoBuiltin); // made of a few instructions, memcmp would give only the sign
    SmallVector<Value*> arguments{word};
    for (unsigned k = 0; k < 3; ++k)
      arguments.push_back(k < i.arg_size() ? asWord(b, i.getArgOperand(k)) : b.getInt64(0));
    arguments.append({b.getInt64(uint64_t(computed) << 32 | id(i)), hooks_.descriptor});
    return void(hooks_.call(b, hooks_.fl_computed, arguments));
  }
  uint32_t model = kind == fir::CallKind::Outside ? modelOf(i) : fir::kNone;
  if (model != fir::kNone && (word || i.getType()->isVoidTy())) {
    SmallVector<Value*> arguments{b.getInt32(model | (used ? FL_MODEL_USED : 0)), word ? word : b.getInt64(0),
                                  number, hooks_.descriptor};
    for (unsigned k = 0; k < 6; ++k) {
      Value* a = k < i.arg_size() ? asWord(b, i.getArgOperand(k)) : nullptr;
      arguments.push_back(a ? a : b.getInt64(0));
    }
    hooks_.call(b, hooks_.fl_model, arguments);
  } else if (!used) {
    hooks_.setExt(b, b.getInt64(0));
  } else if (word) {
    hooks_.call(b, hooks_.fl_ret, {word, number, hooks_.descriptor});
  } else {
    Value* size = b.getInt64(layout_.getTypeStoreSize(i.getType()));
    hooks_.call(b, hooks_.fl_ret_wide, {spill(b, &i), size, number, hooks_.descriptor});
  }
}

// The word before the function tells whether it is one of ours. ext is set while it is read, so that a wild
// pointer faults as the call would.
void FunctionInstrument::eitherCall(CallBase& i) {
  IRBuilder<> b(&i);
  Value* site = hooks_.siteNumber(b, id(i));
  hooks_.setExt(b, site);
  Value* place = b.CreateIntToPtr(
      b.CreateSub(b.CreatePtrToInt(i.getCalledOperand(), hooks_.i64), b.getInt64(4)), hooks_.pointer);
  Value* magic = b.CreateAlignedLoad(hooks_.i32, place, Align(4), true);
  Value* inside = b.CreateICmpEQ(magic, b.getInt32(FL_FUNCTION_MAGIC));
  hooks_.setExt(b, b.CreateSelect(inside, b.getInt64(0), site));
  if (i.doesNotReturn() && !isa<InvokeInst>(i)) return;
  Instruction* after = placeAfter(i);
  b.SetInsertPoint(after);
  Instruction* outside = SplitBlockAndInsertIfThen(b.CreateNot(inside), after, false);
  b.SetInsertPoint(outside);
  takeTurnIfRobbed(b, i);
  afterOutsideCall(b, i, fir::CallKind::Either);
}

void FunctionInstrument::intrinsic(CallBase& i) {
  IRBuilder<> b(&i);
  switch (i.getIntrinsicID()) {
  case Intrinsic::stacksave:
    i.replaceAllUsesWith(b.CreateIntToPtr(frameTop(b), hooks_.pointer));
    return void(i.eraseFromParent());
  case Intrinsic::stackrestore: {
    Value* top = b.CreatePtrToInt(i.getArgOperand(0), hooks_.i64);
    setFrameTop(b, top);
    if (currentTop_) b.CreateAlignedStore(top, currentTop_, Align(8), plan_.setsJump);
    return void(i.eraseFromParent());
  }
  case Intrinsic::vastart:
    b.SetInsertPoint(i.getNextNode());
    hooks_.call(b, hooks_.fl_sync, {i.getArgOperand(0), b.getInt64(24), idValue(id(i)), hooks_.descriptor});
    return;
  case Intrinsic::vacopy:
    hooks_.call(b, hooks_.fl_copy,
                {i.getArgOperand(0), i.getArgOperand(1), b.getInt64(24), idValue(id(i)), hooks_.descriptor});
    return void(i.eraseFromParent());
  case Intrinsic::threadlocal_address:
    return threadLocal(i);
  default:
    break;
  }
  fir::Intrinsic which;
  if (intrinsicUse(i, which) == IntrinsicUse::Recorded) recordValue(i);
}

void FunctionInstrument::recordValue(Instruction& i) {
  if (i.getType()->isVoidTy()) return;
  IRBuilder<> b(i.getNextNode());
  Value* size = b.getInt64(layout_.getTypeStoreSize(i.getType()));
  hooks_.call(b, hooks_.fl_value, {spill(b, &i), size, idValue(id(i)), hooks_.descriptor});
}

void FunctionInstrument::threadLocal(CallBase& i) {
  IRBuilder<> b(i.getNextNode());
  auto* cell = new GlobalVariable(hooks_.module, hooks_.i64, false, GlobalValue::InternalLinkage,
                                  b.getInt64(0), "faultline.cell");
  Value* address = b.CreatePtrToInt(&i, hooks_.i64);
  Value* known = b.CreateAlignedLoad(hooks_.i64, cell, Align(8), true);
  Instruction* at = &*b.GetInsertPoint();
  Instruction* cold = SplitBlockAndInsertIfThen(b.CreateICmpNE(address, known), at, false,
                                                MDBuilder(hooks_.context).createBranchWeights(1, 2000));
  b.SetInsertPoint(cold);
  hooks_.call(b, hooks_.fl_thread_local, {cell, address, idValue(id(i)), hooks_.descriptor});
}

void FunctionInstrument::land(LandingPadInst& i) {
  IRBuilder<> b(i.getNextNode());
  Value* exception = b.CreateExtractValue(&i, 0);
  Value* selector = b.CreateExtractValue(&i, 1);
  hooks_.call(b, hooks_.fl_land, {exception, selector, idValue(id(i)), hooks_.descriptor});
  restoreFrameTop(b);
}

void FunctionInstrument::resume(ResumeInst& i) {
  IRBuilder<> b(&i);
  if (plan_.frameSize || plan_.hasDynamicFrame) setFrameTop(b, callerTop_);
  hooks_.setExt(b, hooks_.siteNumber(b, id(i)));
}

} // namespace faultline::compiler

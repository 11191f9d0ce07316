#include "compiler/ir/instrument_function.h"
#include "compiler/ir/lower_types.h"
#include "compiler/ir/prepare.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

constexpr uint64_t kInlineCopyLimit = 32;

// 8, 4, 2, 1: how a small copy is cut.
SmallVector<std::pair<uint64_t, unsigned>> pieces(uint64_t size) {
  SmallVector<std::pair<uint64_t, unsigned>> out;
  uint64_t at = 0;
  for (unsigned step : {8u, 4u, 2u, 1u})
    for (; size - at >= step; at += step) out.push_back({at, step});
  return out;
}

Value* updated(IRBuilder<>& b, AtomicRMWInst::BinOp op, Value* old, Value* operand) {
  auto pick = [&](CmpInst::Predicate p) {
    return b.CreateSelect(b.CreateICmp(p, old, operand), old, operand);
  };
  switch (op) {
  case AtomicRMWInst::Xchg:
    return operand;
  case AtomicRMWInst::Add:
    return b.CreateAdd(old, operand);
  case AtomicRMWInst::Sub:
    return b.CreateSub(old, operand);
  case AtomicRMWInst::And:
    return b.CreateAnd(old, operand);
  case AtomicRMWInst::Nand:
    return b.CreateNot(b.CreateAnd(old, operand));
  case AtomicRMWInst::Or:
    return b.CreateOr(old, operand);
  case AtomicRMWInst::Xor:
    return b.CreateXor(old, operand);
  case AtomicRMWInst::Max:
    return pick(CmpInst::ICMP_SGT);
  case AtomicRMWInst::Min:
    return pick(CmpInst::ICMP_SLE);
  case AtomicRMWInst::UMax:
    return pick(CmpInst::ICMP_UGT);
  case AtomicRMWInst::UMin:
    return pick(CmpInst::ICMP_ULE);
  case AtomicRMWInst::FAdd:
    return b.CreateFAdd(old, operand);
  case AtomicRMWInst::FSub:
    return b.CreateFSub(old, operand);
  default:
    return nullptr;
  }
}

} // namespace

Value* FunctionInstrument::asBits(IRBuilder<>& b, Value* value) {
  Type* type = value->getType();
  if (type->isAggregateType() || type->isX86_FP80Ty()) return nullptr;
  uint64_t bits = layout_.getTypeSizeInBits(type);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return nullptr;
  Type* integer = b.getIntNTy(unsigned(bits));
  if (type == integer) return value;
  if (type->isPointerTy()) return b.CreatePtrToInt(value, integer);
  return b.CreateBitCast(value, integer);
}

Value* FunctionInstrument::asWord(IRBuilder<>& b, Value* value) {
  Type* type = value->getType();
  if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) return b.CreateZExt(value, hooks_.i64);
  Value* bits = asBits(b, value);
  return bits ? b.CreateZExt(bits, hooks_.i64) : nullptr;
}

// Memory that nothing ever writes: replay has it from the program's own file.
bool FunctionInstrument::isKnownConstant(const Value* address) const {
  auto* g = dyn_cast<GlobalVariable>(getUnderlyingObject(address));
  return g && g->isConstant() && g->hasDefinitiveInitializer() && !g->isThreadLocal() &&
         hasKnownBytes(*g->getInitializer(), layout_);
}

// `b` stands after the load; the cold path logs the value and sets the shadow.
void FunctionInstrument::checkLoaded(IRBuilder<>& b, Value* address, Value* bits, uint32_t id) {
  Value* known = b.CreateAlignedLoad(bits->getType(), hooks_.shadow(b, address), Align(1));
  Value* differs = b.CreateICmpNE(bits, known);
  Instruction* at = &*b.GetInsertPoint();
  Instruction* cold =
      SplitBlockAndInsertIfThen(differs, at, false, MDBuilder(hooks_.context).createBranchWeights(1, 2000));
  IRBuilder<> c(cold);
  hooks_.call(c, hooks_.fl_load,
              {address, c.CreateZExt(bits, hooks_.i64), c.getInt32(bits->getType()->getIntegerBitWidth() / 8),
               idValue(id), hooks_.descriptor});
  b.SetInsertPoint(at);
}

void FunctionInstrument::load(LoadInst& i) {
  if (isPrivate(i.getPointerOperand()) || isKnownConstant(i.getPointerOperand())) return;
  i.setVolatile(true); // keeps the order of accesses, so that a fault leaves memory as the source has it
  IRBuilder<> b(i.getNextNode());
  if (Value* bits = asBits(b, &i)) return checkLoaded(b, i.getPointerOperand(), bits, id(i));
  b.SetInsertPoint(&i);
  hooks_.call(b, hooks_.fl_load_wide,
              {i.getPointerOperand(), b.getInt64(layout_.getTypeStoreSize(i.getType())), idValue(id(i)),
               hooks_.descriptor});
}

void FunctionInstrument::store(StoreInst& i) {
  if (isPrivate(i.getPointerOperand())) return;
  i.setVolatile(true);
  IRBuilder<> b(i.getNextNode());
  b.CreateAlignedStore(i.getValueOperand(), hooks_.shadow(b, i.getPointerOperand()), Align(1));
}

void FunctionInstrument::atomicUpdate(AtomicRMWInst& i) {
  IRBuilder<> b(i.getNextNode());
  Value* bits = asBits(b, &i);
  if (bits) checkLoaded(b, i.getPointerOperand(), bits, id(i));
  Value* now = bits ? updated(b, i.getOperation(), &i, i.getValOperand()) : nullptr;
  Value* place = hooks_.shadow(b, i.getPointerOperand());
  if (now) b.CreateAlignedStore(now, place, Align(1));
}

void FunctionInstrument::compareExchange(AtomicCmpXchgInst& i) {
  IRBuilder<> b(i.getNextNode());
  Value* old = b.CreateExtractValue(&i, 0);
  Value* bits = asBits(b, old);
  if (!bits) return;
  i.setWeak(false); // a spurious failure is nothing that replay could know
  checkLoaded(b, i.getPointerOperand(), bits, id(i));
  Value* now = b.CreateSelect(b.CreateExtractValue(&i, 1), i.getNewValOperand(), old);
  b.CreateAlignedStore(now, hooks_.shadow(b, i.getPointerOperand()), Align(1));
}

void FunctionInstrument::copySmall(CallBase& i, uint64_t size) {
  IRBuilder<> b(&i);
  Value* source = i.getArgOperand(1);
  Value* destination = i.getArgOperand(0);
  Value* sourceShadow = hooks_.shadow(b, source);
  Value* destinationShadow = hooks_.shadow(b, destination);
  SmallVector<Value*> values;
  Value* difference = b.getInt64(0);
  for (auto [at, step] : pieces(size)) {
    Type* type = b.getIntNTy(step * 8);
    Value* v = b.CreateAlignedLoad(type, b.CreateConstGEP1_64(hooks_.i8, source, at), Align(1), true);
    Value* s = b.CreateAlignedLoad(type, b.CreateConstGEP1_64(hooks_.i8, sourceShadow, at), Align(1));
    difference = b.CreateOr(difference, b.CreateZExt(b.CreateXor(v, s), hooks_.i64));
    values.push_back(v);
  }
  Instruction* cold = SplitBlockAndInsertIfThen(b.CreateICmpNE(difference, b.getInt64(0)), &i, false,
                                                MDBuilder(hooks_.context).createBranchWeights(1, 2000));
  IRBuilder<> c(cold);
  hooks_.call(c, hooks_.fl_sync, {source, c.getInt64(size), idValue(id(i)), hooks_.descriptor});
  b.SetInsertPoint(&i);
  size_t k = 0;
  for (auto [at, step] : pieces(size)) {
    b.CreateAlignedStore(values[k], b.CreateConstGEP1_64(hooks_.i8, destination, at), Align(1), true);
    b.CreateAlignedStore(values[k++], b.CreateConstGEP1_64(hooks_.i8, destinationShadow, at), Align(1));
  }
}

void FunctionInstrument::copy(CallBase& i) {
  IRBuilder<> b(&i);
  auto* size = dyn_cast<ConstantInt>(i.getArgOperand(2));
  if (isByValueCopy(i)) {
    // Called from outside, the bytes on the machine's stack are news; from inside, the caller made them.
    Value* length = b.CreateZExt(i.getArgOperand(2), hooks_.i64);
    Instruction* known = nullptr;
    Instruction* unknown = nullptr;
    if (savedExt_) {
      SplitBlockAndInsertIfThenElse(b.CreateICmpEQ(savedExt_, b.getInt64(0)), &i, &known, &unknown);
      IRBuilder<> u(unknown);
      hooks_.call(u, hooks_.fl_copy,
                  {i.getArgOperand(0), i.getArgOperand(1), length, idValue(id(i)), hooks_.descriptor});
    } else {
      known = &i;
    }
    IRBuilder<> k(known);
    hooks_.call(k, hooks_.fl_copy_known, {i.getArgOperand(0), i.getArgOperand(1), length});
  } else if (size && size->getZExtValue() <= kInlineCopyLimit) {
    copySmall(i, size->getZExtValue());
  } else {
    Value* length = b.CreateZExt(i.getArgOperand(2), hooks_.i64);
    hooks_.call(b, hooks_.fl_copy,
                {i.getArgOperand(0), i.getArgOperand(1), length, idValue(id(i)), hooks_.descriptor});
  }
  if (!i.getType()->isVoidTy()) i.replaceAllUsesWith(i.getArgOperand(0));
  i.eraseFromParent();
}

void FunctionInstrument::fillSmall(CallBase& i, uint64_t size) {
  IRBuilder<> b(&i);
  Value* destination = i.getArgOperand(0);
  Value* byte = b.CreateZExtOrTrunc(i.getArgOperand(1), hooks_.i8);
  Value* word = b.CreateMul(b.CreateZExt(byte, hooks_.i64), b.getInt64(0x0101010101010101));
  Value* shadow = hooks_.shadow(b, destination);
  for (auto [at, step] : pieces(size)) {
    Value* v = b.CreateTrunc(word, b.getIntNTy(step * 8));
    b.CreateAlignedStore(v, b.CreateConstGEP1_64(hooks_.i8, destination, at), Align(1), true);
    b.CreateAlignedStore(v, b.CreateConstGEP1_64(hooks_.i8, shadow, at), Align(1));
  }
}

void FunctionInstrument::fill(CallBase& i) {
  IRBuilder<> b(&i);
  auto* size = dyn_cast<ConstantInt>(i.getArgOperand(2));
  if (size && size->getZExtValue() <= kInlineCopyLimit) {
    fillSmall(i, size->getZExtValue());
  } else {
    Value* byte = b.CreateZExtOrTrunc(i.getArgOperand(1), hooks_.i32);
    hooks_.call(b, hooks_.fl_fill, {i.getArgOperand(0), byte, b.CreateZExt(i.getArgOperand(2), hooks_.i64)});
  }
  if (!i.getType()->isVoidTy()) i.replaceAllUsesWith(i.getArgOperand(0));
  i.eraseFromParent();
}

void FunctionInstrument::dynamicAlloca(AllocaInst& i) {
  IRBuilder<> b(&i);
  Value* bytes = b.CreateMul(b.CreateZExtOrTrunc(i.getArraySize(), hooks_.i64),
                             b.getInt64(layout_.getTypeAllocSize(i.getAllocatedType())));
  uint64_t align = std::max<uint64_t>(16, i.getAlign().value());
  Value* top = b.CreateAnd(b.CreateSub(frameTop(b), bytes), b.getInt64(-align));
  setFrameTop(b, top);
  if (currentTop_) b.CreateAlignedStore(top, currentTop_, Align(8), plan_.setsJump);
  i.replaceAllUsesWith(b.CreateIntToPtr(top, hooks_.pointer));
  i.eraseFromParent();
}

} // namespace faultline::compiler

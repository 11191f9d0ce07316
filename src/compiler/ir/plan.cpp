#include "compiler/ir/plan.h"

#include "abi/computed.h"
#include "abi/models.h"
#include "compiler/ir/prepare.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

// Only ever loaded and stored whole, with its own type.
bool isOnlyMovedWhole(const AllocaInst& a) {
  if (!a.isStaticAlloca() || a.isArrayAllocation() || a.getAllocatedType()->isAggregateType()) return false;
  for (const User* user : a.users()) {
    if (auto* load = dyn_cast<LoadInst>(user)) {
      if (!load->isSimple() || load->getType() != a.getAllocatedType()) return false;
    } else if (auto* store = dyn_cast<StoreInst>(user)) {
      if (!store->isSimple() || store->getPointerOperand() != &a || store->getValueOperand() == &a ||
          store->getValueOperand()->getType() != a.getAllocatedType())
        return false;
    } else {
      return false;
    }
  }
  return true;
}

// Removes the candidates that may be read before they are written: what such a read sees must be memory that
// replay has too, not whatever a register held.
class AssignedBeforeUse {
public:
  AssignedBeforeUse(Function& f, SmallVectorImpl<const AllocaInst*>& candidates) : function_(f) {
    for (const AllocaInst* a : candidates) number_[a] = number_.size();
    size_ = candidates.size();
    solve();
    BitVector unassigned = reads();
    erase_if(candidates, [&](const AllocaInst* a) { return unassigned.test(number_[a]); });
  }

private:
  void solve() {
    ReversePostOrderTraversal<Function*> order(&function_);
    for (BasicBlock* b : order) out_[b] = BitVector(size_, true);
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* b : order) {
        BitVector state = stateAtEntry(b);
        for (Instruction& i : *b)
          if (auto* store = dyn_cast<StoreInst>(&i)) mark(store->getPointerOperand(), state);
        if (state != out_[b]) {
          out_[b] = state;
          changed = true;
        }
      }
    }
  }

  BitVector stateAtEntry(BasicBlock* b) {
    if (b->isEntryBlock()) return BitVector(size_, false);
    BitVector state(size_, true);
    for (BasicBlock* p : predecessors(b))
      if (auto it = out_.find(p); it != out_.end()) state &= it->second;
    return state;
  }

  void mark(const Value* pointer, BitVector& state) {
    if (auto* a = dyn_cast<AllocaInst>(pointer))
      if (auto it = number_.find(a); it != number_.end()) state.set(it->second);
  }

  BitVector reads() {
    BitVector unassigned(size_, false);
    for (BasicBlock& b : function_) {
      BitVector state = stateAtEntry(&b);
      for (Instruction& i : b) {
        if (auto* store = dyn_cast<StoreInst>(&i)) mark(store->getPointerOperand(), state);
        auto* load = dyn_cast<LoadInst>(&i);
        auto* a = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
        if (auto it = a ? number_.find(a) : number_.end(); it != number_.end() && !state.test(it->second))
          unassigned.set(it->second);
      }
    }
    return unassigned;
  }

  Function& function_;
  size_t size_ = 0;
  DenseMap<const AllocaInst*, unsigned> number_;
  DenseMap<const BasicBlock*, BitVector> out_;
};

bool callsSetJump(const Function& f) {
  for (const Instruction& i : instructions(f))
    if (auto* call = dyn_cast<CallBase>(&i); call && call->hasFnAttr(Attribute::ReturnsTwice)) return true;
  return false;
}

void planVariables(FunctionPlan& plan) {
  Function& f = *plan.function;
  SmallVector<const AllocaInst*> candidates, inFrame;
  bool hasArray = false;
  for (Instruction& i : instructions(f)) {
    auto* a = dyn_cast<AllocaInst>(&i);
    if (!a) continue;
    if (!a->isStaticAlloca()) plan.hasDynamicFrame = true;
    if (a->isStaticAlloca() && !plan.setsJump && isOnlyMovedWhole(*a)) candidates.push_back(a);
  }
  AssignedBeforeUse(f, candidates);
  plan.privateVariables.insert(candidates.begin(), candidates.end());
  const DataLayout& layout = f.getParent()->getDataLayout();
  uint64_t below = 0; // bytes from the top of the frame down
  for (Instruction& i : f.getEntryBlock()) {
    auto* a = dyn_cast<AllocaInst>(&i);
    if (!a || !a->isStaticAlloca() || plan.privateVariables.count(a)) continue;
    hasArray |= a->getAllocatedType()->isArrayTy() || a->isArrayAllocation();
    inFrame.push_back(a);
  }
  if (hasArray) below = 8;
  for (const AllocaInst* a : inFrame) {
    uint64_t size = a->getAllocationSize(layout)->getFixedValue();
    plan.frameAlign = std::max<uint64_t>(plan.frameAlign, a->getAlign().value());
    below = alignTo(below + size, a->getAlign().value());
    plan.frameOffsets[a] = below;
  }
  if (!inFrame.empty() && below == 0) below = 1; // nothing but empty structs: they still need an address
  plan.frameSize = alignTo(below, plan.frameAlign);
  for (auto& [a, offset] : plan.frameOffsets) offset = plan.frameSize - offset;
  if (hasArray) plan.guardOffset = plan.frameSize - 8;
}

void planEpochs(FunctionPlan& plan) {
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>> edges;
  FindFunctionBackedges(*plan.function, edges);
  for (auto& [from, to] : edges) plan.epochBlocks.insert(to);
}

void collectSymbols(ModulePlan& plan, const Constant* c, SmallPtrSetImpl<const Constant*>& seen) {
  if (!seen.insert(c).second) return;
  if (auto* g = dyn_cast<GlobalValue>(c)) {
    if (auto* f = dyn_cast<Function>(g); f && f->isIntrinsic()) return;
    plan.symbol(c);
    return;
  }
  if (isa<BlockAddress>(c)) {
    plan.symbol(c);
    return;
  }
  for (const Value* operand : c->operands())
    if (auto* inner = dyn_cast<Constant>(operand)) collectSymbols(plan, inner, seen);
}

void planSymbols(ModulePlan& plan) {
  SmallPtrSet<const Constant*, 32> seen;
  Module& m = *plan.module;
  for (GlobalVariable& g : m.globals()) {
    if (g.getName().starts_with("llvm.")) continue;
    if (!g.isDeclaration()) {
      plan.symbol(&g);
      collectSymbols(plan, g.getInitializer(), seen);
    }
  }
  for (FunctionPlan& f : plan.functions) {
    plan.symbol(f.function);
    for (Instruction& i : instructions(*f.function))
      for (Value* operand : i.operands())
        if (auto* c = dyn_cast<Constant>(operand)) collectSymbols(plan, c, seen);
  }
}

const StringMap<uint32_t>& modelTable() {
  static const StringMap<uint32_t> table = [] {
    StringMap<uint32_t> t;
#define FL_ADD_MODEL(name, effect, flags) t[#name] = FL_MODEL_##name;
    FL_MODELS(FL_ADD_MODEL)
#undef FL_ADD_MODEL
    return t;
  }();
  return table;
}

const Function* directCallee(const CallBase& call) {
  return dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
}

// vfork returns twice as well, but each process sees one of the two.
bool isSetJump(const CallBase& call) {
  if (!call.hasFnAttr(Attribute::ReturnsTwice)) return false;
  const Function* callee = directCallee(call);
  return !callee || !callee->getName().ends_with("fork");
}

bool hasSignature(const CallBase& call, std::initializer_list<Type::TypeID> parameters) {
  if (call.arg_size() != parameters.size()) return false;
  unsigned k = 0;
  for (Type::TypeID id : parameters)
    if (call.getArgOperand(k++)->getType()->getTypeID() != id) return false;
  return true;
}

} // namespace

ModulePlan planModule(Module& m, uint64_t hash) {
  ModulePlan plan;
  plan.module = &m;
  plan.hash = hash;
  for (Function& f : m) {
    if (f.isDeclaration() || isPlain(f)) continue;
    FunctionPlan& p = plan.functions.emplace_back();
    p.function = &f;
    p.setsJump = callsSetJump(f);
    p.callableFromOutside =
        !f.hasLocalLinkage() || f.hasAddressTaken(nullptr, false, true, false, false, false);
    p.entryId = plan.instructionCount++;
    for (Instruction& i : instructions(f))
      if (!isa<DbgInfoIntrinsic>(i)) plan.ids[&i] = plan.instructionCount++;
    planVariables(p);
    planEpochs(p);
  }
  planSymbols(plan);
  return plan;
}

fir::CallKind classifyCall(const CallBase& call, const InsideNames& inside) {
  if (isSetJump(call)) return fir::CallKind::SetJmp;
  const Value* target = call.getCalledOperand()->stripPointerCastsAndAliases();
  auto* callee = dyn_cast<Function>(target);
  if (!callee) return fir::CallKind::Either;
  if (callee->getFunctionType() != call.getFunctionType()) return fir::CallKind::Either;
  if (isPlain(*callee)) return fir::CallKind::Outside;
  if (!callee->isDeclaration())
    return callee->isInterposable() ? fir::CallKind::Either : fir::CallKind::Inside;
  if (callee->hasExternalWeakLinkage()) return fir::CallKind::Either;
  if (inside.contains(std::string_view(callee->getName()))) return fir::CallKind::Inside;
  StringRef name = callee->getName();
  if (name == "longjmp" || name == "_longjmp" || name == "siglongjmp" || name == "__longjmp_chk")
    return fir::CallKind::LongJmp;
  return fir::CallKind::Outside;
}

uint32_t modelOf(const CallBase& call) {
  const Function* callee = directCallee(call);
  if (!callee || !callee->isDeclaration()) return fir::kNone;
  StringRef name = callee->getName();
  name.consume_front("__isoc99_");
  auto it = modelTable().find(name);
  return it == modelTable().end() ? fir::kNone : it->second;
}

uint32_t computedOf(const CallBase& call) {
  struct Known {
    uint32_t kind;
    StringRef parameters;
  };
  static const StringMap<Known> table = {
#define FL_ADD_COMPUTED(name, kind, parameters) {#name, Known{kind, #parameters}},
      FL_COMPUTED_FUNCTIONS(FL_ADD_COMPUTED)
#undef FL_ADD_COMPUTED
  };
  const Function* callee = directCallee(call);
  if (!callee || !callee->isDeclaration() || call.use_empty()) return FL_COMPUTED_NONE;
  auto known = table.find(callee->getName());
  if (known == table.end() || call.arg_size() != known->second.parameters.size()) return FL_COMPUTED_NONE;
  unsigned k = 0;
  for (char parameter : known->second.parameters) {
    Type* type = call.getArgOperand(k++)->getType();
    bool fits = parameter == 'p'   ? type->isPointerTy()
                : parameter == 'l' ? type->isIntegerTy(64)
                                   : type->isIntegerTy(32);
    if (!fits) return FL_COMPUTED_NONE;
  }
  bool comparison = known->second.kind <= FL_COMPUTED_STRNCMP;
  bool length = known->second.kind == FL_COMPUTED_STRLEN;
  Type* result = call.getType();
  bool fits = comparison ? result->isIntegerTy(32) : length ? result->isIntegerTy(64) : result->isPointerTy();
  return fits ? known->second.kind : uint32_t(FL_COMPUTED_NONE);
}

bool isCopyCall(const CallBase& call) {
  if (isa<MemCpyInst>(call) || isa<MemMoveInst>(call) || isa<MemCpyInlineInst>(call)) return true;
  const Function* callee = directCallee(call);
  if (!callee || !callee->isDeclaration() || isa<InvokeInst>(call)) return false;
  return (callee->getName() == "memcpy" || callee->getName() == "memmove") &&
         hasSignature(call, {Type::PointerTyID, Type::PointerTyID, Type::IntegerTyID});
}

bool isFillCall(const CallBase& call) {
  if (isa<MemSetInst>(call) || isa<MemSetInlineInst>(call)) return true;
  const Function* callee = directCallee(call);
  if (!callee || !callee->isDeclaration() || isa<InvokeInst>(call)) return false;
  return callee->getName() == "memset" &&
         hasSignature(call, {Type::PointerTyID, Type::IntegerTyID, Type::IntegerTyID});
}

IntrinsicUse intrinsicUse(const CallBase& call, fir::Intrinsic& out) {
  using I = fir::Intrinsic;
  static const DenseMap<unsigned, I> computed = {
      {Intrinsic::abs, I::Abs},
      {Intrinsic::smax, I::SMax},
      {Intrinsic::smin, I::SMin},
      {Intrinsic::umax, I::UMax},
      {Intrinsic::umin, I::UMin},
      {Intrinsic::bswap, I::BSwap},
      {Intrinsic::bitreverse, I::BitReverse},
      {Intrinsic::ctpop, I::CtPop},
      {Intrinsic::ctlz, I::CtLz},
      {Intrinsic::cttz, I::CtTz},
      {Intrinsic::fshl, I::FShl},
      {Intrinsic::fshr, I::FShr},
      {Intrinsic::sadd_with_overflow, I::SAddOverflow},
      {Intrinsic::uadd_with_overflow, I::UAddOverflow},
      {Intrinsic::ssub_with_overflow, I::SSubOverflow},
      {Intrinsic::usub_with_overflow, I::USubOverflow},
      {Intrinsic::smul_with_overflow, I::SMulOverflow},
      {Intrinsic::umul_with_overflow, I::UMulOverflow},
      {Intrinsic::sadd_sat, I::SAddSat},
      {Intrinsic::uadd_sat, I::UAddSat},
      {Intrinsic::ssub_sat, I::SSubSat},
      {Intrinsic::usub_sat, I::USubSat},
      {Intrinsic::fabs, I::FAbs},
      {Intrinsic::sqrt, I::Sqrt},
      {Intrinsic::floor, I::Floor},
      {Intrinsic::ceil, I::Ceil},
      {Intrinsic::trunc, I::FTrunc},
      {Intrinsic::rint, I::Rint},
      {Intrinsic::nearbyint, I::NearbyInt},
      {Intrinsic::round, I::Round},
      {Intrinsic::roundeven, I::RoundEven},
      {Intrinsic::copysign, I::CopySign},
      {Intrinsic::minnum, I::MinNum},
      {Intrinsic::maxnum, I::MaxNum},
      {Intrinsic::fma, I::Fma},
      {Intrinsic::ptrmask, I::PtrMask},
  };
  unsigned id = call.getIntrinsicID();
  if (auto it = computed.find(id); it != computed.end()) {
    out = it->second;
    return IntrinsicUse::Computed;
  }
  if (call.getType()->isVoidTy()) return IntrinsicUse::NoEffect;
  return IntrinsicUse::Recorded;
}

} // namespace faultline::compiler

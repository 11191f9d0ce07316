#include "compiler/ir/prepare.h"

#include "compiler/ir/object_sizes.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/NoFolder.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

constexpr const char* kPlainAttribute = "faultline-plain";
constexpr const char* kByValueMetadata = "faultline.byval";

bool asksForObjectSize(const Function& f) {
  return any_of(instructions(f), [](const Instruction& i) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    return call && call->getIntrinsicID() == Intrinsic::objectsize;
  });
}

void dropDefinitionsMadeElsewhere(Module& m, SmallVectorImpl<Function*>& headerBodies) {
  for (Function& f : m) {
    // clang's own copy of a header's wrapper of a library function, e.g. strcpy.inline.
    if (f.hasLocalLinkage() && f.hasFnAttribute(Attribute::AlwaysInline) && asksForObjectSize(f))
      headerBodies.push_back(&f);
    if (!f.hasAvailableExternallyLinkage()) continue;
    f.setComdat(nullptr);
    // One that the compiler must inline need not exist anywhere else: its body is ours until it is inlined.
    if (f.hasFnAttribute(Attribute::AlwaysInline)) {
      f.setLinkage(GlobalValue::InternalLinkage);
      f.setVisibility(GlobalValue::DefaultVisibility);
      f.setDLLStorageClass(GlobalValue::DefaultStorageClass);
      f.setDSOLocal(true);
      headerBodies.push_back(&f);
    } else {
      f.deleteBody();
    }
  }
  for (GlobalVariable& g : m.globals())
    if (g.hasAvailableExternallyLinkage()) {
      g.setInitializer(nullptr);
      g.setLinkage(GlobalValue::ExternalLinkage);
      g.setComdat(nullptr);
    }
}

// The wrappers in libc's and libstdc++'s headers that exist only inlined: checks of _FORTIFY_SOURCE see the
// size of the caller's buffer only there. What cannot be inlined stays a function.
void inlineHeaderBodies(ArrayRef<Function*> bodies) {
  for (Function* f : bodies) {
    SmallVector<CallBase*> calls;
    for (User* user : f->users())
      if (auto* call = dyn_cast<CallBase>(user);
          call && call->getCalledFunction() == f && call->getFunction() != f)
        calls.push_back(call);
    for (CallBase* call : calls) {
      InlineFunctionInfo info;
      InlineFunction(*call, info);
    }
  }
}

// Bodies that nobody calls may name symbols that the program never needed.
void dropUnusedBodies(Module& m) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Function& f : make_early_inc_range(m))
      if (f.hasLocalLinkage() && f.hasFnAttribute(Attribute::AlwaysInline) && f.isDefTriviallyDead()) {
        f.eraseFromParent();
        changed = true;
      }
  }
}

// Facts that the optimiser may rely on and a failing program may break.
void dropPromises(Instruction& i) {
  i.dropUnknownNonDebugMetadata();
  i.dropPoisonGeneratingFlags();
  if (auto* call = dyn_cast<CallInst>(&i)) {
    if (call->getTailCallKind() != CallInst::TCK_NoTail) call->setTailCallKind(CallInst::TCK_None);
  }
}

bool dropsOut(const IntrinsicInst& i) {
  switch (i.getIntrinsicID()) {
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::assume:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::donothing:
  case Intrinsic::sideeffect:
  case Intrinsic::var_annotation:
  case Intrinsic::pseudoprobe:
    return true;
  default:
    return i.isAssumeLikeIntrinsic() && i.getType()->isVoidTy() && !isa<DbgInfoIntrinsic>(i);
  }
}

// The value that an intrinsic stands for here, or null if it stays.
Value* foldIntrinsic(IntrinsicInst& i, const DataLayout& layout, const TargetLibraryInfo& libraries,
                     const ObjectSizes& sizes) {
  IRBuilder<> b(&i);
  switch (i.getIntrinsicID()) {
  case Intrinsic::fmuladd:
    return b.CreateFAdd(b.CreateFMul(i.getArgOperand(0), i.getArgOperand(1)), i.getArgOperand(2));
  case Intrinsic::objectsize:
    if (auto known = sizes.find(&i); known != sizes.end())
      return ConstantInt::get(i.getType(), known->second);
    return lowerObjectSizeCall(&i, layout, &libraries, /*MustSucceed=*/true);
  case Intrinsic::is_constant:
    return ConstantInt::getFalse(i.getType());
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::annotation:
  case Intrinsic::ptr_annotation:
  case Intrinsic::arithmetic_fence:
    return i.getArgOperand(0);
  default:
    return nullptr;
  }
}

void simplifyInstructions(Function& f, const TargetLibraryInfo& libraries, const ObjectSizes& sizes) {
  const DataLayout& layout = f.getParent()->getDataLayout();
  for (Instruction& i : make_early_inc_range(instructions(f))) {
    dropPromises(i);
    auto* intrinsic = dyn_cast<IntrinsicInst>(&i);
    if (!intrinsic) continue;
    if (dropsOut(*intrinsic)) {
      if (!i.getType()->isVoidTy()) i.replaceAllUsesWith(PoisonValue::get(i.getType()));
      i.eraseFromParent();
    } else if (Value* value = foldIntrinsic(*intrinsic, layout, libraries, sizes)) {
      i.replaceAllUsesWith(value);
      i.eraseFromParent();
    }
  }
}

// An invoke of an intrinsic or of inline assembly becomes a call: neither unwinds in the programs we take.
void simplifyInvokes(Function& f) {
  for (BasicBlock& block : f) {
    auto* invoke = dyn_cast<InvokeInst>(block.getTerminator());
    if (invoke && (isa<IntrinsicInst>(invoke) || invoke->isInlineAsm())) changeToCall(invoke);
  }
}

// The scalars of an aggregate, with the way to each and its offset.
struct Member {
  SmallVector<unsigned> path;
  Type* type;
  uint64_t offset;
};

void collectMembers(Type* type, const DataLayout& layout, Member at, SmallVectorImpl<Member>& out) {
  if (!type->isAggregateType()) {
    at.type = type;
    return out.push_back(at);
  }
  auto* record = dyn_cast<StructType>(type);
  uint64_t count = record ? record->getNumElements() : type->getArrayNumElements();
  for (unsigned k = 0; k < count; ++k) {
    Type* element = record ? record->getElementType(k) : type->getArrayElementType();
    Member inner = at;
    inner.path.push_back(k);
    inner.offset += record ? layout.getStructLayout(record)->getElementOffset(k).getFixedValue()
                           : k * layout.getTypeAllocSize(element).getFixedValue();
    collectMembers(element, layout, inner, out);
  }
}

// The members of an aggregate that has bytes between them; empty otherwise.
SmallVector<Member> membersApart(Type* type, const DataLayout& layout) {
  SmallVector<Member> members;
  if (!type->isAggregateType()) return members;
  collectMembers(type, layout, {{}, nullptr, 0}, members);
  uint64_t used = 0;
  for (const Member& m : members) used += layout.getTypeStoreSize(m.type);
  if (used == layout.getTypeStoreSize(type)) members.clear();
  return members;
}

// A load or store of an aggregate does not touch the bytes between its members in machine code, and does in
// replay, where it is one piece. So it becomes one access per member.
void splitAggregateAccesses(Function& f) {
  const DataLayout& layout = f.getParent()->getDataLayout();
  for (Instruction& i : make_early_inc_range(instructions(f))) {
    auto* load = dyn_cast<LoadInst>(&i);
    auto* store = dyn_cast<StoreInst>(&i);
    if (!load && !store) continue;
    Type* type = getLoadStoreType(&i);
    SmallVector<Member> members = membersApart(type, layout);
    if (members.empty()) continue;
    IRBuilder<> b(&i);
    bool isVolatile = load ? load->isVolatile() : store->isVolatile();
    Value* whole = load ? PoisonValue::get(type) : store->getValueOperand();
    for (const Member& m : members) {
      Value* place = b.CreateConstGEP1_64(b.getInt8Ty(), getLoadStorePointerOperand(&i), m.offset);
      Align align = commonAlignment(getLoadStoreAlignment(&i), m.offset);
      if (load)
        whole = b.CreateInsertValue(whole, b.CreateAlignedLoad(m.type, place, align, isVolatile), m.path);
      else
        b.CreateAlignedStore(b.CreateExtractValue(whole, m.path), place, align, isVolatile);
    }
    if (load) i.replaceAllUsesWith(whole);
    i.eraseFromParent();
  }
}

void copyByValueArguments(Function& f) {
  const DataLayout& layout = f.getParent()->getDataLayout();
  IRBuilder<> b(&*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (Argument& a : f.args()) {
    if (!a.hasByValAttr()) continue;
    Type* type = a.getParamByValType();
    Align align = std::max(a.getParamAlign().valueOrOne(), layout.getABITypeAlign(type));
    AllocaInst* copy =
        new AllocaInst(type, 0, nullptr, align, a.getName() + ".copy", f.getEntryBlock().begin());
    a.replaceAllUsesWith(copy);
    CallInst* move = b.CreateMemCpy(copy, align, &a, align, layout.getTypeAllocSize(type));
    move->setMetadata(kByValueMetadata, MDNode::get(f.getContext(), {}));
  }
}

void copyByValueOperands(Function& f) {
  const DataLayout& layout = f.getParent()->getDataLayout();
  SmallVector<CallBase*> calls;
  for (Instruction& i : instructions(f))
    if (auto* call = dyn_cast<CallBase>(&i)) calls.push_back(call);
  for (CallBase* call : calls)
    for (unsigned k = 0; k < call->arg_size(); ++k) {
      if (!call->isByValArgument(k)) continue;
      Type* type = call->getParamByValType(k);
      Align align = std::max(call->getParamAlign(k).valueOrOne(), layout.getABITypeAlign(type));
      auto* copy = new AllocaInst(type, 0, nullptr, align, "byval", f.getEntryBlock().begin());
      IRBuilder<> b(call);
      b.CreateMemCpy(copy, align, call->getArgOperand(k), align, layout.getTypeAllocSize(type));
      call->setArgOperand(k, copy);
    }
}

bool isExpressible(const Function& f) {
  if (f.hasFnAttribute(Attribute::Naked) || f.isPresplitCoroutine()) return false;
  if (f.hasFnAttribute("interrupt")) return false;
  for (const Instruction& i : instructions(f)) {
    if (isa<CallBrInst, CatchSwitchInst, CatchPadInst, CleanupPadInst>(i)) return false;
    if (i.getType()->isTokenTy() || i.getType()->isScalableTy()) return false;
    if (auto* call = dyn_cast<CallBase>(&i))
      if (call->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp ||
          call->getIntrinsicID() == Intrinsic::localescape)
        return false;
  }
  return true;
}

// Moves an inexpressible body aside and leaves a forwarder in its place, so that every function that has
// IR can be called as one that we follow.
void forwardToPlainBody(Function& f) {
  if (f.isVarArg() || f.hasFnAttribute(Attribute::Naked)) {
    f.addFnAttr(kPlainAttribute);
    return;
  }
  Function* plain = Function::Create(f.getFunctionType(), GlobalValue::InternalLinkage,
                                     f.getName() + ".plain", f.getParent());
  plain->copyAttributesFrom(&f);
  plain->setLinkage(GlobalValue::InternalLinkage);
  plain->setVisibility(GlobalValue::DefaultVisibility);
  plain->setDSOLocal(true);
  plain->splice(plain->begin(), &f);
  for (unsigned k = 0; k < f.arg_size(); ++k) f.getArg(k)->replaceAllUsesWith(plain->getArg(k));
  plain->setSubprogram(f.getSubprogram());
  f.setSubprogram(nullptr);
  plain->addFnAttr(kPlainAttribute);
  BasicBlock* block = BasicBlock::Create(f.getContext(), "entry", &f);
  IRBuilder<> b(block);
  SmallVector<Value*> arguments;
  for (Argument& a : f.args()) arguments.push_back(&a);
  CallInst* call = b.CreateCall(plain, arguments);
  call->setAttributes(f.getAttributes().removeFnAttributes(f.getContext()));
  call->setCallingConv(f.getCallingConv());
  if (f.getReturnType()->isVoidTy())
    b.CreateRetVoid();
  else
    b.CreateRet(call);
}

// Constants that are more than symbol + number become instructions.
bool isSimpleConstant(const ConstantExpr& e, const DataLayout& layout) {
  switch (e.getOpcode()) {
  case Instruction::GetElementPtr:
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
    return true;
  case Instruction::PtrToInt:
    return layout.getTypeSizeInBits(e.getType()) == 64;
  case Instruction::IntToPtr:
    return true;
  default:
    return false;
  }
}

bool holdsAddress(const Constant& c) {
  if (isa<GlobalValue>(c) || isa<BlockAddress>(c)) return true;
  return any_of(c.operands(), [](const Use& u) {
    auto* inner = dyn_cast<Constant>(u);
    return inner && holdsAddress(*inner);
  });
}

// {ptr @f, 0} as instructions: a constant wider than a word holds no addresses in FIR.
Value* assembled(IRBuilder<NoFolder>& b, Constant& c) {
  if (!isa<ConstantAggregate>(c)) return &c;
  Value* whole = Constant::getNullValue(c.getType());
  for (unsigned k = 0; k < c.getNumOperands(); ++k) {
    Value* part = assembled(b, *cast<Constant>(c.getOperand(k)));
    whole = c.getType()->isVectorTy() ? b.CreateInsertElement(whole, part, b.getInt32(k))
                                      : b.CreateInsertValue(whole, part, k);
  }
  return whole;
}

void assembleWideConstants(Function& f) {
  SmallVector<Use*> uses;
  for (Instruction& i : instructions(f))
    for (Use& use : i.operands())
      if (auto* c = dyn_cast<ConstantAggregate>(use); c && !isa<LandingPadInst>(i) && holdsAddress(*c))
        uses.push_back(&use);
  for (Use* use : uses) {
    auto* i = cast<Instruction>(use->getUser());
    auto* phi = dyn_cast<PHINode>(i);
    IRBuilder<NoFolder> b(phi ? phi->getIncomingBlock(*use)->getTerminator() : i);
    use->set(assembled(b, *cast<Constant>(use->get())));
  }
}

void expandConstants(Module& m) {
  const DataLayout& layout = m.getDataLayout();
  SmallSetVector<Constant*, 32> expanded;
  for (Function& f : m)
    for (Instruction& i : instructions(f))
      for (Value* operand : i.operands()) {
        SmallVector<Constant*> pending;
        if (auto* c = dyn_cast<ConstantExpr>(operand)) pending.push_back(c);
        SmallPtrSet<Constant*, 8> seen;
        bool complicated = false;
        while (!pending.empty() && !complicated) {
          Constant* c = pending.pop_back_val();
          if (!seen.insert(c).second) continue;
          if (auto* e = dyn_cast<ConstantExpr>(c)) {
            complicated |= !isSimpleConstant(*e, layout);
            for (Value* o : e->operands()) pending.push_back(cast<Constant>(o));
          }
        }
        if (complicated) expanded.insert(cast<Constant>(operand));
      }
  if (!expanded.empty()) convertUsersOfConstantsToInstructions(expanded.getArrayRef());
}

// Atomic operations beyond what abi/ records become plain ones: only one thread at a time runs this code.
void lowerRareAtomics(Function& f) {
  for (Instruction& i : make_early_inc_range(instructions(f))) {
    if (auto* update = dyn_cast<AtomicRMWInst>(&i)) {
      bool common = update->getOperation() <= AtomicRMWInst::FSub;
      if (!common || f.getDataLayout().getTypeSizeInBits(update->getType()) > 64) lowerAtomicRMWInst(update);
    } else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i)) {
      if (f.getDataLayout().getTypeSizeInBits(exchange->getNewValOperand()->getType()) > 64)
        lowerAtomicCmpXchgInst(exchange);
    }
  }
}

// Code takes an ifunc's address from a stub, data from the loader: two addresses of one function. Code reads
// it from data, too, so that there is only the one that replay knows.
void readResolvedFunctions(Module& m) {
  for (GlobalIFunc& g : m.ifuncs()) {
    convertUsersOfConstantsToInstructions({&g});
    GlobalVariable* place = nullptr;
    for (Use& use : make_early_inc_range(g.uses())) {
      auto* i = dyn_cast<Instruction>(use.getUser());
      if (!i) continue;
      if (!place)
        place =
            new GlobalVariable(m, g.getType(), false, GlobalValue::InternalLinkage, &g, "faultline.resolved");
      auto* phi = dyn_cast<PHINode>(i);
      Instruction* at = phi ? phi->getIncomingBlock(use)->getTerminator() : i;
      use.set(IRBuilder<>(at).CreateLoad(g.getType(), place));
    }
  }
}

// The front end names a thread-local variable directly where it initialises it; everywhere else, and after
// this also there, an intrinsic says that the address is the running thread's own.
void askForThreadLocals(Module& m) {
  for (GlobalVariable& g : m.globals()) {
    if (!g.isThreadLocal()) continue;
    convertUsersOfConstantsToInstructions({&g});
    for (Use& use : make_early_inc_range(g.uses())) {
      auto* i = dyn_cast<Instruction>(use.getUser());
      if (!i || isPlain(*i->getFunction())) continue;
      if (auto* call = dyn_cast<IntrinsicInst>(i);
          call && call->getIntrinsicID() == Intrinsic::threadlocal_address)
        continue;
      auto* phi = dyn_cast<PHINode>(i);
      use.set(
          IRBuilder<>(phi ? phi->getIncomingBlock(use)->getTerminator() : i).CreateThreadLocalAddress(&g));
    }
  }
}

void runCoroutinePasses(Module& m) {
  bool any = false;
  for (Function& f : m) any |= f.isPresplitCoroutine();
  if (!any) return;
  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cam;
  ModuleAnalysisManager mam;
  PassBuilder builder;
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cam, mam);
  builder.buildO0DefaultPipeline(OptimizationLevel::O0).run(m, mam);
}

void relaxAttributes(Function& f) {
  f.removeFnAttr(Attribute::OptimizeNone);
  f.removeFnAttr(Attribute::NoInline);
  f.removeFnAttr(Attribute::AlwaysInline);
  f.removeFnAttr(Attribute::StackProtect);
  f.removeFnAttr(Attribute::StackProtectStrong);
  f.removeFnAttr(Attribute::StackProtectReq);
  f.removeFnAttr("probe-stack");
  // Code that ran as strict floating point stays so; everything else must not be fused or reassociated.
  f.removeFnAttr("unsafe-fp-math");
}

} // namespace

bool isPlain(const Function& function) { return function.hasFnAttribute(kPlainAttribute); }

bool isByValueCopy(const Instruction& instruction) {
  return instruction.getMetadata(kByValueMetadata) != nullptr;
}

Result<void> prepareModule(Module& m) {
  runCoroutinePasses(m);
  SmallVector<Function*> headerBodies;
  dropDefinitionsMadeElsewhere(m, headerBodies);
  inlineHeaderBodies(headerBodies);
  dropUnusedBodies(m);
  ObjectSizes sizes = objectSizes(m);
  TargetLibraryInfoImpl libraryImpl(Triple(m.getTargetTriple()));
  SmallVector<Function*> defined;
  for (Function& f : m)
    if (!f.isDeclaration()) defined.push_back(&f);
  SmallPtrSet<const Function*, 4> resolvers; // they run before anything is set up
  for (GlobalIFunc& g : m.ifuncs())
    if (auto* f = dyn_cast<Function>(g.getResolver()->stripPointerCasts())) resolvers.insert(f);
  for (Function* f : defined) {
    if (resolvers.count(f)) f->addFnAttr(kPlainAttribute);
    if (!isPlain(*f) && !isExpressible(*f)) forwardToPlainBody(*f);
  }
  for (Function& f : m) {
    if (f.isDeclaration() || isPlain(f)) continue;
    TargetLibraryInfo libraries(libraryImpl, &f);
    relaxAttributes(f);
    removeUnreachableBlocks(f);
    simplifyInstructions(f, libraries, sizes);
    simplifyInvokes(f);
    lowerRareAtomics(f);
    copyByValueArguments(f);
    copyByValueOperands(f);
    splitAggregateAccesses(f);
    assembleWideConstants(f);
  }
  expandConstants(m);
  readResolvedFunctions(m);
  askForThreadLocals(m);
  std::string problem;
  raw_string_ostream stream(problem);
  if (verifyModule(m, &stream))
    return errorf("{}: IR is not valid after preparation: {}", m.getName().str(), problem);
  return {};
}

} // namespace faultline::compiler

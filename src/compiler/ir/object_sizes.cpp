#include "compiler/ir/object_sizes.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

SmallVector<IntrinsicInst*> askingCalls(Module& m) {
  SmallVector<IntrinsicInst*> calls;
  for (Function& f : m) {
    if (f.hasOptNone()) continue;
    for (Instruction& i : instructions(f))
      if (auto* call = dyn_cast<IntrinsicInst>(&i); call && call->getIntrinsicID() == Intrinsic::objectsize)
        calls.push_back(call);
  }
  return calls;
}

// Something that shows the value and that the optimiser neither removes nor minds.
FunctionCallee declareMarker(Module& m) {
  LLVMContext& context = m.getContext();
  auto* type = FunctionType::get(Type::getVoidTy(context),
                                 {Type::getInt64Ty(context), Type::getInt64Ty(context)}, false);
  Function* marker = Function::Create(type, GlobalValue::ExternalLinkage, "faultline.objectsize", m);
  marker->setDoesNotThrow();
  marker->setWillReturn();
  marker->setOnlyAccessesInaccessibleMemory();
  return marker;
}

void optimise(Module& m) {
  PassBuilder builder;
  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cam;
  ModuleAnalysisManager mam;
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cam, mam);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(InstCombinePass());
  for (Function& f : m) {
    bool asks = false;
    for (Instruction& i : instructions(f))
      if (auto* call = dyn_cast<CallInst>(&i))
        asks |= call->getCalledFunction() && call->getCalledFunction()->getName() == "faultline.objectsize";
    if (asks) passes.run(f, fam);
  }
}

} // namespace

ObjectSizes objectSizes(Module& m) {
  ObjectSizes sizes;
  SmallVector<IntrinsicInst*> calls = askingCalls(m);
  if (calls.empty()) return sizes;
  ValueToValueMapTy copies;
  std::unique_ptr<Module> copy = CloneModule(m, copies);
  FunctionCallee marker = declareMarker(*copy);
  for (size_t k = 0; k < calls.size(); ++k) {
    auto* call = cast<IntrinsicInst>(copies[calls[k]]);
    IRBuilder<> b(call->getNextNode());
    b.CreateCall(marker, {b.getInt64(k), b.CreateZExtOrTrunc(call, b.getInt64Ty())});
  }
  optimise(*copy);
  DenseMap<uint64_t, unsigned> shown; // how often: code that was doubled shows a value twice
  for (User* user : marker.getCallee()->users()) {
    auto* call = cast<CallInst>(user);
    uint64_t k = cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
    auto* size = dyn_cast<ConstantInt>(call->getArgOperand(1));
    bool first = ++shown[k] == 1;
    if (size && (first || sizes.lookup(calls[k]) == size->getZExtValue()))
      sizes[calls[k]] = size->getZExtValue();
    else
      sizes.erase(calls[k]);
  }
  return sizes;
}

} // namespace faultline::compiler

#include "compiler/ir/instrument_module.h"

#include "compiler/ir/lower_types.h"

#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

Type* hookType(char letter, LLVMContext& c) {
  switch (letter) {
  case 'p':
    return PointerType::getUnqual(c);
  case 'l':
    return Type::getInt64Ty(c);
  case 'i':
    return Type::getInt32Ty(c);
  default:
    return Type::getVoidTy(c);
  }
}

enum HookConvention { PLAIN, COLD };

FunctionCallee declareHook(Module& m, StringRef name, HookConvention convention, char result,
                           StringRef parameters) {
  SmallVector<Type*> types;
  for (char letter : parameters) types.push_back(hookType(letter, m.getContext()));
  auto* type = FunctionType::get(hookType(result, m.getContext()), types, false);
  auto* f = cast<Function>(m.getOrInsertFunction(name, type).getCallee());
  // Through the table of addresses, never a lazy stub: a stub would not keep the registers that a cold hook
  // promises to keep.
  f->addFnAttr(Attribute::NonLazyBind);
  f->addFnAttr(Attribute::NoUnwind);
  if (convention == COLD) f->setCallingConv(CallingConv::PreserveMost);
  return {type, f};
}

bool isOnlyCalled(const Function& f) {
  return all_of(f.uses(), [](const Use& u) {
    auto* call = dyn_cast<CallBase>(u.getUser());
    return call && call->isCallee(&u);
  });
}

} // namespace

ModuleHooks::ModuleHooks(ModulePlan& plan, const InsideNames& inside, VariantKind kind,
                         const fir::Image& image)
    : plan(plan), inside(inside), kind(kind), image(image), others(image), module(*plan.module),
      context(module.getContext()), i8(Type::getInt8Ty(context)), i32(Type::getInt32Ty(context)),
      i64(Type::getInt64Ty(context)), pointer(PointerType::getUnqual(context)) {
#define FL_HOOK_DECLARE(hook, convention, result, parameters)                                                \
  hook = declareHook(module, #hook, convention, #result[0], #parameters);
  FL_HOOKS(FL_HOOK_DECLARE)
#undef FL_HOOK_DECLARE
  declareDescriptor();
}

Value* ModuleHooks::fixedAddress(uint64_t address) const {
  return ConstantExpr::getIntToPtr(ConstantInt::get(i64, address), pointer);
}

Value* ModuleHooks::shadow(IRBuilder<>& b, Value* address) const {
  // Integer arithmetic: pointer arithmetic would tell the code generator that both are one object.
  Value* n = b.CreateXor(b.CreatePtrToInt(address, i64), ConstantInt::get(i64, FL_SHADOW_XOR));
  return b.CreateIntToPtr(b.CreateAdd(n, ConstantInt::get(i64, FL_SHADOW_ADD)), pointer);
}

CallInst* ModuleHooks::call(IRBuilder<>& b, FunctionCallee hook, ArrayRef<Value*> arguments) const {
  CallInst* c = b.CreateCall(hook, arguments);
  c->setCallingConv(cast<Function>(hook.getCallee())->getCallingConv());
  return c;
}

void ModuleHooks::setExt(IRBuilder<>& b, Value* value) const {
  b.CreateAlignedStore(value, fixedAddress(FL_STATE_ADDRESS + offsetof(fl_state, ext)), Align(8), true);
}

Value* ModuleHooks::ext(IRBuilder<>& b) const {
  return b.CreateAlignedLoad(i64, fixedAddress(FL_STATE_ADDRESS + offsetof(fl_state, ext)), Align(8), true);
}

Value* ModuleHooks::siteNumber(IRBuilder<>& b, uint32_t id) const {
  Value* field = b.CreateStructGEP(descriptor->getValueType(), descriptor, 5);
  Value* base = b.CreateZExt(b.CreateAlignedLoad(i32, field, Align(4), true), i64);
  return b.CreateAdd(base, ConstantInt::get(i64, uint64_t(id) + 2));
}

void ModuleHooks::declareDescriptor() {
  auto* type = StructType::create(context, {i64, i32, i32, pointer, pointer, i32, i32}, "fl_module");
  descriptor =
      new GlobalVariable(module, type, false, GlobalValue::InternalLinkage, nullptr, "faultline.module");
}

Constant* ModuleHooks::symbolAddress(const Constant* symbol) const {
  Constant* none = ConstantPointerNull::get(pointer);
  if (isa<BlockAddress>(symbol)) return const_cast<Constant*>(symbol);
  auto* g = cast<GlobalValue>(symbol);
  if (g->isThreadLocal()) return none;
  // A reference from data would be one more reason to link a function that is only called.
  if (auto* f = dyn_cast<Function>(g);
      f && f->isDeclaration() && isOnlyCalled(*f) && !inside.contains(std::string_view(f->getName())))
    return none;
  return const_cast<GlobalValue*>(g);
}

uint64_t ModuleHooks::shadowedSize(const Constant* symbol) const {
  auto* v = dyn_cast<GlobalVariable>(symbol);
  if (!v || v->isThreadLocal() || !v->hasInitializer() || v->getInitializer()->isNullValue()) return 0;
  if (!hasKnownBytes(*v->getInitializer(), module.getDataLayout())) return 0;
  return module.getDataLayout().getTypeAllocSize(v->getValueType());
}

void ModuleHooks::finish() {
  SmallVector<Constant*> addresses, sizes;
  for (auto& [symbol, index] : plan.symbols) {
    addresses.push_back(symbolAddress(symbol));
    sizes.push_back(ConstantInt::get(i64, shadowedSize(symbol)));
  }
  auto table = [&](Type* element, ArrayRef<Constant*> values, StringRef name) {
    auto* type = ArrayType::get(element, values.size());
    return new GlobalVariable(module, type, true, GlobalValue::InternalLinkage,
                              ConstantArray::get(type, values), name);
  };
  descriptor->setInitializer(ConstantStruct::get(
      cast<StructType>(descriptor->getValueType()),
      {ConstantInt::get(i64, plan.hash), ConstantInt::get(i32, plan.instructionCount),
       ConstantInt::get(i32, addresses.size()), table(pointer, addresses, "faultline.symbols"),
       table(i64, sizes, "faultline.sizes"), ConstantInt::get(i32, 0), ConstantInt::get(i32, 0)}));
  auto* type = FunctionType::get(Type::getVoidTy(context), false);
  Function* constructor = Function::Create(type, GlobalValue::InternalLinkage, "faultline.register", module);
  IRBuilder<> b(BasicBlock::Create(context, "entry", constructor));
  call(b, fl_register, {descriptor});
  b.CreateRetVoid();
  appendToGlobalCtors(module, constructor, 0);
}

} // namespace faultline::compiler

#include "compiler/ir/variant_unit.h"

#include "compiler/ir/codegen_module.h"
#include "compiler/ir/instrument.h"
#include "compiler/ir/lower.h"
#include "compiler/ir/prepare.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

Error toError(llvm::Error error, const char* doing) {
  return errorf("cannot {}: {}", doing, toString(std::move(error)));
}

MemoryBufferRef bufferOf(const std::string& bitcode) { return MemoryBufferRef(bitcode, "unit"); }

// Moving code out of loops takes time by the square of a function's blocks, and what may be altered has each
// of them twice: a quarter of an hour for some parsers. (A process makes units of one kind.)
void leaveLoopsAlone() {
  auto& options = cl::getRegisteredOptions();
  for (const char* name : {"disable-early-machine-licm", "disable-machine-licm"})
    if (auto option = options.find(name); option != options.end())
      static_cast<cl::opt<bool>*>(option->second)->setValue(true);
}

// Optimising code generation of unoptimised IR: faithful to the source, and quick enough; unless it must be
// there at once.
Result<std::string> generateCode(Module& m, VariantKind kind) {
  initialiseTarget();
  if (kind != VariantKind::Record) leaveLoopsAlone();
  std::string problem;
  const Target* target = TargetRegistry::lookupTarget(m.getTargetTriple(), problem);
  if (!target) return errorf("no code generator for {}: {}", m.getTargetTriple(), problem);
  TargetOptions options;
  options.TrapUnreachable = true; // running off a function's end must stop there, not in the next one
  options.NoTrapAfterNoreturn = true;
  options.UseInitArray = true;
  options.FunctionSections = false;
  bool pic = m.getPICLevel() != PICLevel::NotPIC;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      m.getTargetTriple(), "x86-64", "", options, pic ? Reloc::PIC_ : Reloc::Static, m.getCodeModel(),
      kind == VariantKind::QuickAlter ? CodeGenOptLevel::None : CodeGenOptLevel::Default));
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile))
    return errorf("the code generator cannot write object files");
  passes.run(m);
  return std::string(bytes.begin(), bytes.end());
}

// A division by zero ends the program as the machine does it. The code generator may take it for something
// that cannot happen once it knows the divisor, so it must not know: an empty piece of assembly stands in
// between.
void hideDivisors(Module& m) {
  for (Function& f : m)
    for (Instruction& i : instructions(f)) {
      if (!i.isIntDivRem()) continue;
      Type* type = i.getType();
      Value* divisor = i.getOperand(1);
      bool isMachineInteger =
          type->isIntegerTy(8) || type->isIntegerTy(16) || type->isIntegerTy(32) || type->isIntegerTy(64);
      auto* known = dyn_cast<ConstantInt>(divisor);
      if (!isMachineInteger || (known && !known->isZero())) continue;
      InlineAsm* same = InlineAsm::get(FunctionType::get(type, {type}, false), "", "=r,0", false);
      i.setOperand(1, CallInst::Create(same, {divisor}, "", i.getIterator()));
    }
}

} // namespace

Result<UnitNames> namesOf(const std::string& bitcode) {
  LLVMContext context;
  auto module = getLazyBitcodeModule(bufferOf(bitcode), context);
  if (!module) return toError(module.takeError(), "read the program's IR");
  UnitNames names;
  for (Function& f : **module) {
    if (f.isIntrinsic() || f.hasLocalLinkage()) continue;
    bool hasBody = !f.isDeclaration() && !f.hasAvailableExternallyLinkage();
    (hasBody ? names.defined : names.needed).push_back(f.getName().str());
  }
  for (GlobalAlias& a : (*module)->aliases())
    if (!a.hasLocalLinkage() && isa_and_nonnull<Function>(a.getAliaseeObject()))
      names.defined.push_back(a.getName().str());
  return names;
}

Result<VariantUnit> makeVariantUnit(const std::string& bitcode, uint64_t hash, const InsideNames& inside,
                                    VariantKind kind) {
  LLVMContext context;
  auto read = parseBitcodeFile(bufferOf(bitcode), context);
  if (!read) return toError(read.takeError(), "read the program's IR");
  Module& m = **read;
  FL_CHECK(prepareModule(m));
  ModulePlan plan = planModule(m, hash);
  VariantUnit unit;
  unit.fir = lowerModule(plan, inside).finish(hash);
  FL_TRY(image, fir::imageFromBytes(unit.fir));
  StripDebugInfo(m);
  instrumentModule(plan, inside, kind, image);
  hideDivisors(m);
  std::string problem;
  raw_string_ostream stream(problem);
  if (verifyModule(m, &stream))
    return errorf("{}: IR is not valid after instrumentation: {}", m.getName().str(), problem);
  FL_TRY(object, generateCode(m, kind));
  unit.object = std::move(object);
  return unit;
}

} // namespace faultline::compiler

#include "compiler/ir/lower.h"

#include "compiler/ir/lower_debug.h"
#include "compiler/ir/lower_records.h"
#include "compiler/ir/lower_types.h"
#include "compiler/ir/prepare.h"
#include "program/variable_arguments.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstVisitor.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

using fir::Op;

fir::Operand raw(uint32_t value) { return fir::makeOperand(fir::OperandKind::Raw, value & 0x3fffffffu); }

Op binaryOp(unsigned opcode) {
  switch (opcode) {
  case Instruction::Add:
    return Op::Add;
  case Instruction::Sub:
    return Op::Sub;
  case Instruction::Mul:
    return Op::Mul;
  case Instruction::UDiv:
    return Op::UDiv;
  case Instruction::SDiv:
    return Op::SDiv;
  case Instruction::URem:
    return Op::URem;
  case Instruction::SRem:
    return Op::SRem;
  case Instruction::Shl:
    return Op::Shl;
  case Instruction::LShr:
    return Op::LShr;
  case Instruction::AShr:
    return Op::AShr;
  case Instruction::And:
    return Op::And;
  case Instruction::Or:
    return Op::Or;
  case Instruction::Xor:
    return Op::Xor;
  case Instruction::FAdd:
    return Op::FAdd;
  case Instruction::FSub:
    return Op::FSub;
  case Instruction::FMul:
    return Op::FMul;
  case Instruction::FDiv:
    return Op::FDiv;
  case Instruction::FRem:
    return Op::FRem;
  default:
    return Op::Opaque;
  }
}

Op castOp(unsigned opcode) {
  switch (opcode) {
  case Instruction::Trunc:
    return Op::Trunc;
  case Instruction::ZExt:
    return Op::ZExt;
  case Instruction::SExt:
    return Op::SExt;
  case Instruction::FPToUI:
    return Op::FPToUI;
  case Instruction::FPToSI:
    return Op::FPToSI;
  case Instruction::UIToFP:
    return Op::UIToFP;
  case Instruction::SIToFP:
    return Op::SIToFP;
  case Instruction::FPTrunc:
    return Op::FPTrunc;
  case Instruction::FPExt:
    return Op::FPExt;
  case Instruction::PtrToInt:
    return Op::Trunc; // pointers are 64 bits wide, like the integers they become
  case Instruction::IntToPtr:
    return Op::ZExt;
  default:
    return Op::BitCast;
  }
}

// Lowers one function; each visit fills the instruction that stands for the visited one.
class FunctionLowering : public InstVisitor<FunctionLowering> {
public:
  FunctionLowering(fir::ImageBuilder& out, TypeTable& types, ConstantTable& constants, RecordTable& records,
                   DebugTable& debug, ModulePlan& module, const FunctionPlan& plan, const InsideNames& inside)
      : out_(out), types_(types), constants_(constants), records_(records), debug_(debug), module_(module),
        plan_(plan), inside_(inside), layout_(module.module->getDataLayout()) {}

  void run() {
    Function& f = *plan_.function;
    fir::Function record{};
    record.symbol = module_.symbol(&f);
    record.firstInstruction = uint32_t(out_.instructions.size());
    record.firstBlock = uint32_t(out_.blocks.size());
    assignWords(f, record);
    unsigned number = 0;
    for (BasicBlock& b : f) blocks_[&b] = number++;
    push(Op::Entry).location = debug_.functionLocation(f);
    for (BasicBlock& b : f) lowerBlock(b);
    record.instructionCount = uint32_t(out_.instructions.size()) - record.firstInstruction;
    record.blockCount = uint32_t(out_.blocks.size()) - record.firstBlock;
    record.words = words_;
    describe(f, record);
    out_.functions.push_back(record);
    for (auto& [constant, index] : module_.symbols)
      if (auto* address = dyn_cast<BlockAddress>(constant); address && address->getFunction() == &f)
        blockAddresses.push_back({index, blocks_[address->getBasicBlock()]});
  }

  std::vector<std::pair<uint32_t, uint32_t>> blockAddresses; // symbol, block

  void visitInstruction(Instruction& i) { opaque(i); }
  void visitUnaryOperator(UnaryOperator& i) { // FNeg is the only one
    set(Op::FNeg, i.getType(), {value(i.getOperand(0))});
  }
  void visitBinaryOperator(BinaryOperator& i) {
    set(binaryOp(i.getOpcode()), i.getType(), {value(i.getOperand(0)), value(i.getOperand(1))});
  }
  void visitCmpInst(CmpInst& i) {
    set(isa<ICmpInst>(i) ? Op::ICmp : Op::FCmp, i.getOperand(0)->getType(),
        {value(i.getOperand(0)), value(i.getOperand(1))});
    current().sub = uint8_t(i.getPredicate());
  }
  void visitCastInst(CastInst& i) {
    set(castOp(i.getOpcode()), i.getType(), {value(i.getOperand(0))});
    current().aux = types_.index(i.getSrcTy());
  }
  void visitFreezeInst(FreezeInst& i) {
    set(Op::BitCast, i.getType(), {value(i.getOperand(0))});
    current().aux = types_.index(i.getType());
  }
  void visitSelectInst(SelectInst& i) {
    set(Op::Select, i.getType(),
        {value(i.getCondition()), value(i.getTrueValue()), value(i.getFalseValue())});
    current().aux = types_.index(i.getCondition()->getType());
  }
  void visitGetElementPtrInst(GetElementPtrInst& i) {
    if (i.getType()->isVectorTy()) return opaque(i);
    MapVector<Value*, APInt> variable;
    APInt constant(64, 0);
    if (!cast<GEPOperator>(i).collectOffset(layout_, 64, variable, constant)) return opaque(i);
    SmallVector<fir::Operand> operands{value(i.getPointerOperand())};
    for (auto& [index, scale] : variable) {
      operands.push_back(value(index));
      operands.push_back(constants_.number(scale.getZExtValue()));
      operands.push_back(raw(index->getType()->getIntegerBitWidth()));
    }
    set(Op::Gep, i.getType(), operands);
    current().imm = constant.getZExtValue();
    current().aux = records_.path(cast<GEPOperator>(i));
    current().sub = elementSize(i);
  }
  // Of what lies side by side where it leads to; 0: a member, or too large.
  uint8_t elementSize(GetElementPtrInst& i) {
    if (i.getNumIndices() > 1) {
      SmallVector<Value*> outer(i.indices().begin(), std::prev(i.indices().end()));
      if (GetElementPtrInst::getIndexedType(i.getSourceElementType(), outer)->isStructTy()) return 0;
    }
    TypeSize size = layout_.getTypeAllocSize(i.getResultElementType());
    return size.isScalable() || size.getFixedValue() > 255 ? 0 : uint8_t(size.getFixedValue());
  }
  void visitAllocaInst(AllocaInst& i) {
    if (plan_.privateVariables.count(&i)) return set(Op::Nop, i.getType(), {});
    if (auto it = plan_.frameOffsets.find(&i); it != plan_.frameOffsets.end()) {
      set(Op::Alloca, i.getType(), {});
      current().imm = it->second;
      return;
    }
    set(Op::AllocaDyn, i.getType(), {value(i.getArraySize())});
    current().imm = layout_.getTypeAllocSize(i.getAllocatedType());
    current().aux = uint32_t(i.getAlign().value());
  }
  void visitLoadInst(LoadInst& i) {
    if (auto* variable = privateVariable(i.getPointerOperand()))
      return set(Op::LoadVar, i.getType(), {word(variable)});
    set(Op::Load, i.getType(), {value(i.getPointerOperand())});
    current().imm = layout_.getTypeStoreSize(i.getType());
  }
  void visitStoreInst(StoreInst& i) {
    Type* type = i.getValueOperand()->getType();
    if (auto* variable = privateVariable(i.getPointerOperand())) {
      fir::Operand home = word(variable);
      return set(Op::StoreVar, type, {home, value(i.getValueOperand())});
    }
    set(Op::Store, type, {value(i.getPointerOperand()), value(i.getValueOperand())});
    current().imm = layout_.getTypeStoreSize(type);
  }
  void visitAtomicRMWInst(AtomicRMWInst& i) {
    set(Op::AtomicRMW, i.getType(), {value(i.getPointerOperand()), value(i.getValOperand())});
    current().sub = uint8_t(i.getOperation());
    current().imm = layout_.getTypeStoreSize(i.getType());
  }
  void visitAtomicCmpXchgInst(AtomicCmpXchgInst& i) {
    Type* type = i.getNewValOperand()->getType();
    set(Op::CmpXchg, type,
        {value(i.getPointerOperand()), value(i.getCompareOperand()), value(i.getNewValOperand())});
    current().aux = types_.index(i.getType());
    current().imm =
        layout_.getStructLayout(cast<StructType>(i.getType()))->getElementOffset(1).getFixedValue();
  }
  void visitFenceInst(FenceInst& i) { set(Op::Nop, i.getType(), {}); }
  void visitExtractValueInst(ExtractValueInst& i) {
    set(Op::Extract, i.getType(), {value(i.getAggregateOperand())});
    current().imm = memberOffset(i.getAggregateOperand()->getType(), i.getIndices());
  }
  void visitInsertValueInst(InsertValueInst& i) {
    set(Op::Insert, i.getType(), {value(i.getAggregateOperand()), value(i.getInsertedValueOperand())});
    current().imm = memberOffset(i.getType(), i.getIndices());
    current().aux = types_.index(i.getInsertedValueOperand()->getType());
  }
  void visitExtractElementInst(ExtractElementInst& i) {
    set(Op::ExtractLane, i.getType(), {value(i.getVectorOperand()), value(i.getIndexOperand())});
    current().aux = types_.index(i.getVectorOperandType());
  }
  void visitInsertElementInst(InsertElementInst& i) {
    set(Op::InsertLane, i.getType(),
        {value(i.getOperand(0)), value(i.getOperand(1)), value(i.getOperand(2))});
    current().aux = types_.index(i.getType());
  }
  void visitShuffleVectorInst(ShuffleVectorInst& i) {
    SmallVector<fir::Operand> operands{value(i.getOperand(0)), value(i.getOperand(1))};
    for (int lane : i.getShuffleMask()) operands.push_back(raw(lane < 0 ? fir::kNone : uint32_t(lane)));
    set(Op::Shuffle, i.getType(), operands);
    current().aux = types_.index(i.getOperand(0)->getType());
  }
  void visitPHINode(PHINode& i) {
    SmallVector<fir::Operand> operands;
    for (unsigned k = 0; k < i.getNumIncomingValues(); ++k) {
      operands.push_back(raw(blocks_[i.getIncomingBlock(k)]));
      operands.push_back(value(i.getIncomingValue(k)));
    }
    set(Op::Phi, i.getType(), operands);
  }
  void visitReturnInst(ReturnInst& i) {
    if (Value* v = i.getReturnValue())
      set(Op::Ret, v->getType(), {value(v)});
    else
      set(Op::Ret, i.getType(), {});
  }
  void visitBranchInst(BranchInst& i) {
    if (i.isUnconditional()) return set(Op::Br, i.getType(), {raw(blocks_[i.getSuccessor(0)])});
    set(Op::CondBr, i.getType(),
        {value(i.getCondition()), raw(blocks_[i.getSuccessor(0)]), raw(blocks_[i.getSuccessor(1)])});
  }
  void visitSwitchInst(SwitchInst& i) {
    SmallVector<fir::Operand> operands{value(i.getCondition()), raw(blocks_[i.getDefaultDest()])};
    for (auto& c : i.cases()) {
      operands.push_back(constants_.operand(*c.getCaseValue()));
      operands.push_back(raw(blocks_[c.getCaseSuccessor()]));
    }
    set(Op::Switch, i.getCondition()->getType(), operands);
  }
  void visitIndirectBrInst(IndirectBrInst& i) {
    SmallVector<fir::Operand> operands{value(i.getAddress())};
    for (unsigned k = 0; k < i.getNumDestinations(); ++k)
      operands.push_back(raw(blocks_[i.getDestination(k)]));
    set(Op::IndirectBr, i.getType(), operands);
  }
  void visitUnreachableInst(UnreachableInst& i) { set(Op::Unreachable, i.getType(), {}); }
  void visitLandingPadInst(LandingPadInst& i) { set(Op::LandingPad, i.getType(), {}); }
  void visitResumeInst(ResumeInst& i) { set(Op::Resume, i.getValue()->getType(), {value(i.getValue())}); }
  void visitVAArgInst(VAArgInst& i) { opaque(i); }
  void visitCallBase(CallBase& i) {
    if (isCopyCall(i)) return moveCall(Op::Copy, i);
    if (isFillCall(i)) return moveCall(Op::Fill, i);
    if (i.isInlineAsm()) return i.getType()->isVoidTy() ? set(Op::Nop, i.getType(), {}) : opaque(i);
    if (i.getIntrinsicID() != Intrinsic::not_intrinsic) return lowerIntrinsic(i);
    lowerCall(i);
  }

private:
  void assignWords(Function& f, fir::Function& record) {
    record.firstArgument = uint32_t(out_.arguments.size());
    record.argumentCount = uint32_t(f.arg_size());
    for (Argument& a : f.args()) {
      fir::Argument argument{take(a), types_.index(a.getType()), 0};
      if (a.hasByValAttr()) argument.byValueSize = uint32_t(layout_.getTypeAllocSize(a.getParamByValType()));
      out_.arguments.push_back(argument);
    }
    for (Instruction& i : instructions(f)) {
      if (isa<DbgInfoIntrinsic>(i)) continue;
      auto* a = dyn_cast<AllocaInst>(&i);
      if (a && plan_.privateVariables.count(a)) {
        homes_[a] = words_;
        words_ += types_.words(a->getAllocatedType());
      } else if (!i.getType()->isVoidTy()) {
        take(i);
      }
    }
  }
  uint32_t take(Value& v) {
    uint32_t first = words_;
    values_[&v] = first;
    words_ += std::max(1u, types_.words(v.getType()));
    return first;
  }

  void lowerBlock(BasicBlock& b) {
    fir::Block block{};
    // The Entry instruction belongs to the first block.
    block.first = uint32_t(out_.instructions.size()) - (b.isEntryBlock() ? 1 : 0);
    block.epoch = plan_.epochBlocks.count(&b);
    for (Instruction& i : b) {
      if (isa<DbgInfoIntrinsic>(i)) continue;
      push(Op::Nop).location = debug_.location(i.getDebugLoc());
      visit(i);
    }
    block.count = uint32_t(out_.instructions.size()) - block.first;
    out_.blocks.push_back(block);
  }

  fir::Instruction& push(Op op) {
    fir::Instruction i{};
    i.op = op;
    i.dst = fir::kNone;
    i.operands = uint32_t(out_.operands.size());
    out_.instructions.push_back(i);
    currentValue_ = nullptr;
    return out_.instructions.back();
  }
  fir::Instruction& current() { return out_.instructions.back(); }

  void set(Op op, Type* type, ArrayRef<fir::Operand> operands) {
    fir::Instruction& i = current();
    i.op = op;
    i.type = types_.index(type);
    i.operands = uint32_t(out_.operands.size());
    i.operandCount = uint16_t(operands.size());
    if (operands.size() > 0xffff) report_fatal_error("instruction with over 65535 operands");
    out_.operands.insert(out_.operands.end(), operands.begin(), operands.end());
    if (currentValue_)
      if (auto it = values_.find(currentValue_); it != values_.end()) i.dst = it->second;
  }

  void opaque(Instruction& i) {
    SmallVector<fir::Operand> operands;
    for (Value* v : i.operands())
      if (!isa<BasicBlock>(v) && !isa<MetadataAsValue>(v) && !isa<InlineAsm>(v) &&
          !v->getType()->isTokenTy() && !(isa<Function>(v) && cast<Function>(v)->isIntrinsic()))
        operands.push_back(value(v));
    set(i.getType()->isVoidTy() ? Op::Nop : Op::Opaque, i.getType(), operands);
  }

  fir::Operand value(Value* v) {
    if (auto* c = dyn_cast<Constant>(v)) return constants_.operand(*c);
    if (auto it = values_.find(v); it != values_.end())
      return fir::makeOperand(fir::OperandKind::Word, it->second);
    return constants_.number(0); // a private variable's address has no user that gets here
  }
  const AllocaInst* privateVariable(Value* pointer) {
    auto* a = dyn_cast<AllocaInst>(pointer);
    return a && plan_.privateVariables.count(a) ? a : nullptr;
  }
  fir::Operand word(const AllocaInst* a) { return fir::makeOperand(fir::OperandKind::Word, homes_[a]); }

  uint64_t memberOffset(Type* type, ArrayRef<unsigned> indices) {
    uint64_t offset = 0;
    for (unsigned index : indices) {
      if (auto* s = dyn_cast<StructType>(type)) {
        offset += layout_.getStructLayout(s)->getElementOffset(index).getFixedValue();
        type = s->getElementType(index);
      } else {
        type = cast<ArrayType>(type)->getElementType();
        offset += index * layout_.getTypeAllocSize(type);
      }
    }
    return offset;
  }

  void moveCall(Op op, CallBase& i) {
    set(op, i.getType(), {value(i.getArgOperand(0)), value(i.getArgOperand(1)), value(i.getArgOperand(2))});
  }

  void lowerIntrinsic(CallBase& i) {
    auto arguments = [&] {
      SmallVector<fir::Operand> operands;
      for (Value* v : i.args()) operands.push_back(value(v));
      return operands;
    };
    switch (i.getIntrinsicID()) {
    case Intrinsic::stacksave:
      return set(Op::StackSave, i.getType(), {});
    case Intrinsic::stackrestore:
      return set(Op::StackRestore, i.getType(), arguments());
    case Intrinsic::vastart:
      return set(Op::VaStart, i.getType(), arguments());
    case Intrinsic::vacopy:
      return set(Op::VaCopy, i.getType(), arguments());
    case Intrinsic::trap:
    case Intrinsic::ubsantrap:
      return set(Op::Trap, i.getType(), {});
    case Intrinsic::threadlocal_address:
      return set(Op::ThreadLocal, i.getType(), arguments());
    default:
      break;
    }
    fir::Intrinsic which;
    switch (intrinsicUse(i, which)) {
    case IntrinsicUse::NoEffect:
      return set(Op::Nop, i.getType(), {});
    case IntrinsicUse::Recorded:
      return opaque(i);
    case IntrinsicUse::Computed:
      set(Op::Intrinsic, i.getType(), arguments());
      current().sub = uint8_t(which);
      current().aux = types_.index(i.getArgOperand(0)->getType());
    }
  }

  void lowerCall(CallBase& i) {
    SmallVector<fir::Operand> operands{value(i.getCalledOperand())};
    for (Value* v : i.args()) operands.push_back(value(v));
    set(Op::Call, i.getType(), operands);
    fir::CallInfo info{fir::kNone, fir::kNone, fir::kNone, fir::kNone, 0, 0};
    auto kind = classifyCall(i, inside_);
    current().sub = uint8_t(kind);
    if (auto* callee = dyn_cast<GlobalValue>(i.getCalledOperand()->stripPointerCasts()))
      info.symbol = module_.symbol(callee);
    if (kind == fir::CallKind::Outside) info.model = modelOf(i);
    if (auto* invoke = dyn_cast<InvokeInst>(&i)) {
      info.normalBlock = blocks_[invoke->getNormalDest()];
      info.unwindBlock = blocks_[invoke->getUnwindDest()];
    }
    info.fixedArguments = i.getFunctionType()->getNumParams();
    if (!i.use_empty() || kind == fir::CallKind::SetJmp) info.flags |= fir::kResultUsed;
    if (i.doesNotReturn()) info.flags |= fir::kNoReturn;
    if (kind == fir::CallKind::Outside) info.flags |= computedOf(i) << fir::kComputedShift;
    for (uint32_t k = info.fixedArguments; k < i.arg_size(); ++k)
      if (Type* type = i.getArgOperand(k)->getType(); type->isFloatTy() || type->isDoubleTy())
        info.flags |= fir::floatingArgumentFlag(k - info.fixedArguments);
    current().aux = uint32_t(out_.calls.size());
    out_.calls.push_back(info);
  }

  void describe(Function& f, fir::Function& record) {
    record.frameSize = uint32_t(plan_.frameSize);
    record.frameAlign = uint32_t(plan_.frameAlign);
    record.guardOffset = plan_.guardOffset;
    record.returnType = types_.index(f.getReturnType());
    if (plan_.callableFromOutside) record.flags |= fir::kCallableFromOutside;
    if (f.isVarArg()) record.flags |= fir::kVariadic;
    if (f.isWeakForLinker()) record.flags |= fir::kWeak;
    if (plan_.setsJump) record.flags |= fir::kSetsJump;
    debug_.describeFunction(f, record, [&](const Value* home) { return placeOf(home); });
  }

  DebugTable::Place placeOf(const Value* home) {
    if (auto* a = dyn_cast_or_null<AllocaInst>(home)) {
      if (plan_.privateVariables.count(a)) return {fir::Home::Word, homes_[a], 0, idOf(a)};
      if (auto it = plan_.frameOffsets.find(a); it != plan_.frameOffsets.end())
        return {fir::Home::Frame, 0, uint32_t(it->second), idOf(a)};
      return {fir::Home::ArgumentPointer, values_[a], 0, idOf(a)}; // its word holds the address
    }
    if (auto it = values_.find(home); home && it != values_.end())
      return {fir::Home::ArgumentPointer, it->second, 0, fir::kNone};
    return {fir::Home::Gone, 0, 0, fir::kNone};
  }
  uint32_t idOf(const Instruction* i) { return module_.ids.lookup(i); }

public:
  // InstVisitor dispatches here first: remember whose result `set` is to place.
  void visit(Instruction& i) {
    currentValue_ = i.getType()->isVoidTy() ? nullptr : &i;
    InstVisitor::visit(i);
  }

private:
  fir::ImageBuilder& out_;
  TypeTable& types_;
  ConstantTable& constants_;
  RecordTable& records_;
  DebugTable& debug_;
  ModulePlan& module_;
  const FunctionPlan& plan_;
  const InsideNames& inside_;
  const DataLayout& layout_;
  DenseMap<const Value*, uint32_t> values_;
  DenseMap<const AllocaInst*, uint32_t> homes_;
  DenseMap<const BasicBlock*, uint32_t> blocks_;
  uint32_t words_ = 0;
  const Value* currentValue_ = nullptr;
};

uint32_t symbolFlags(const Constant* c) {
  if (isa<BlockAddress>(c)) return fir::kBlockAddress | fir::kDefined | fir::kLocal;
  auto* g = cast<GlobalValue>(c);
  uint32_t flags = 0;
  if (isa<Function>(g->getAliaseeObject())) flags |= fir::kFunction;
  if (!g->isDeclaration()) flags |= fir::kDefined;
  if (g->isThreadLocal()) flags |= fir::kThreadLocal;
  if (g->isWeakForLinker()) flags |= fir::kWeakSymbol;
  if (g->hasLocalLinkage()) flags |= fir::kLocal;
  if (auto* v = dyn_cast<GlobalVariable>(g); v && v->isConstant()) flags |= fir::kConstant;
  return flags;
}

} // namespace

fir::ImageBuilder lowerModule(ModulePlan& plan, const InsideNames& inside) {
  fir::ImageBuilder out;
  out.addString("");
  TypeTable types(out, plan.module->getDataLayout());
  types.index(Type::getVoidTy(plan.module->getContext()));
  ConstantTable constants(out, types, plan);
  RecordTable records(out, types, plan.module->getDataLayout());
  DebugTable debug(out);
  DenseMap<uint32_t, std::pair<uint32_t, uint32_t>> blockAddresses; // symbol -> function, block
  DenseMap<const Function*, uint32_t> functionIndex;
  for (FunctionPlan& f : plan.functions) {
    FunctionLowering lowering(out, types, constants, records, debug, plan, f, inside);
    functionIndex[f.function] = uint32_t(out.functions.size());
    lowering.run();
    for (auto& [symbol, block] : lowering.blockAddresses)
      blockAddresses[symbol] = {uint32_t(out.functions.size() - 1), block};
  }
  // Initial values may name further symbols, so the list grows while it is walked.
  for (uint32_t k = 0; k < plan.symbols.size(); ++k) {
    const Constant* c = (plan.symbols.begin() + k)->first;
    fir::Symbol s{};
    s.flags = symbolFlags(c);
    s.initial = ~uint64_t(0);
    s.function = s.debugType = fir::kNone;
    if (auto it = blockAddresses.find(k); it != blockAddresses.end()) {
      s.function = it->second.first;
      s.size = it->second.second;
    }
    if (auto* g = dyn_cast<GlobalValue>(c)) {
      s.name = out.addString(g->getName());
      debug.describeSymbol(*g, s);
      if (auto* f = dyn_cast_or_null<Function>(g->getAliaseeObject()))
        if (auto it = functionIndex.find(f); it != functionIndex.end()) s.function = it->second;
    }
    if (auto* v = dyn_cast<GlobalVariable>(c)) {
      s.size = plan.module->getDataLayout().getTypeAllocSize(v->getValueType());
      records.describe(*v->getValueType(), s.record, s.recordStride);
      if (v->hasInitializer() && !v->getInitializer()->isNullValue() &&
          hasKnownBytes(*v->getInitializer(), plan.module->getDataLayout())) {
        std::vector<uint8_t> bytes(s.size);
        std::vector<fir::Relocation> relocations;
        constants.writeBytes(*v->getInitializer(), 0, bytes, relocations);
        s.initial = out.bytes.size();
        out.bytes.insert(out.bytes.end(), bytes.begin(), bytes.end());
        s.firstRelocation = uint32_t(out.relocations.size());
        s.relocationCount = uint32_t(relocations.size());
        out.relocations.insert(out.relocations.end(), relocations.begin(), relocations.end());
      }
    }
    out.symbols.push_back(s);
  }
  return out;
}

} // namespace faultline::compiler

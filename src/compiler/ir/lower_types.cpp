#include "compiler/ir/lower_types.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace faultline::compiler {

uint32_t TypeTable::index(Type* type) {
  if (auto it = indices_.find(type); it != indices_.end()) return it->second;
  fir::Type described = describe(type);
  auto index = uint32_t(out_.types.size());
  out_.types.push_back(described);
  indices_[type] = index;
  return index;
}

fir::Type TypeTable::describe(Type* type) {
  fir::Type t{};
  t.lanes = 1;
  t.element = fir::kNone;
  if (type->isVoidTy() || type->isLabelTy() || type->isMetadataTy()) return t;
  t.bits = uint32_t(layout_.getTypeSizeInBits(type).getFixedValue());
  t.bytes = uint32_t(layout_.getTypeStoreSize(type).getFixedValue());
  t.words = (t.bytes + 7) / 8;
  switch (type->getTypeID()) {
  case Type::IntegerTyID:
    t.kind = fir::TypeKind::Int;
    break;
  case Type::HalfTyID:
    t.kind = fir::TypeKind::Half;
    break;
  case Type::FloatTyID:
    t.kind = fir::TypeKind::Float;
    break;
  case Type::DoubleTyID:
    t.kind = fir::TypeKind::Double;
    break;
  case Type::X86_FP80TyID:
    t.kind = fir::TypeKind::X87;
    break;
  case Type::FP128TyID:
    t.kind = fir::TypeKind::Quad;
    break;
  case Type::PointerTyID:
    t.kind = fir::TypeKind::Pointer;
    break;
  case Type::FixedVectorTyID: {
    auto* vector = cast<FixedVectorType>(type);
    t.kind = fir::TypeKind::Vector;
    t.lanes = vector->getNumElements();
    t.bits = uint32_t(layout_.getTypeSizeInBits(vector->getElementType()).getFixedValue());
    t.element = index(vector->getElementType());
    break;
  }
  default:
    t.kind = fir::TypeKind::Aggregate;
    break;
  }
  return t;
}

std::optional<Address> evaluateAddress(const Constant& c, const DataLayout& layout) {
  if (isa<GlobalValue>(c) || isa<BlockAddress>(c)) return Address{&c, 0};
  if (isa<ConstantPointerNull>(c) || isa<UndefValue>(c)) return Address{};
  if (auto* i = dyn_cast<ConstantInt>(&c))
    return i->getBitWidth() <= 64 ? std::optional<Address>(Address{nullptr, i->getZExtValue()})
                                  : std::nullopt;
  if (auto* equivalent = dyn_cast<DSOLocalEquivalent>(&c)) return Address{equivalent->getGlobalValue(), 0};
  if (auto* noCfi = dyn_cast<NoCFIValue>(&c)) return Address{noCfi->getGlobalValue(), 0};
  auto* e = dyn_cast<ConstantExpr>(&c);
  if (!e) return std::nullopt;
  switch (e->getOpcode()) {
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
    return evaluateAddress(*cast<Constant>(e->getOperand(0)), layout);
  case Instruction::GetElementPtr: {
    auto base = evaluateAddress(*cast<Constant>(e->getOperand(0)), layout);
    APInt offset(64, 0);
    if (!base || !cast<GEPOperator>(e)->accumulateConstantOffset(layout, offset)) return std::nullopt;
    base->offset += offset.getZExtValue();
    return base;
  }
  case Instruction::Add:
  case Instruction::Sub: {
    auto a = evaluateAddress(*cast<Constant>(e->getOperand(0)), layout);
    auto b = evaluateAddress(*cast<Constant>(e->getOperand(1)), layout);
    if (!a || !b) return std::nullopt;
    bool subtract = e->getOpcode() == Instruction::Sub;
    if (subtract && a->symbol == b->symbol) return Address{nullptr, a->offset - b->offset};
    if (b->symbol) return std::nullopt;
    a->offset += subtract ? -b->offset : b->offset;
    return a;
  }
  default:
    return std::nullopt;
  }
}

fir::Operand ConstantTable::add(const fir::Constant& c) {
  out_.constants.push_back(c);
  return fir::makeOperand(fir::OperandKind::Constant, uint32_t(out_.constants.size() - 1));
}

fir::Operand ConstantTable::number(uint64_t value) {
  auto [it, added] = simple_.try_emplace({fir::kNone, value}, 0);
  if (added) it->second = add({value, fir::kNone, fir::kNone});
  return it->second;
}

fir::Operand ConstantTable::wide(const Constant& c) {
  std::vector<uint8_t> bytes(size_t(types_.words(c.getType())) * 8);
  std::vector<fir::Relocation> relocations; // addresses inside wide constants stay zero: the IR forms
  writeBytes(c, 0, bytes, relocations);     // them with insertvalue, never as one constant
  auto first = uint32_t(out_.wideWords.size());
  for (size_t k = 0; k < bytes.size(); k += 8) {
    uint64_t word;
    memcpy(&word, &bytes[k], 8);
    out_.wideWords.push_back(word);
  }
  return add({0, fir::kNone, first});
}

fir::Operand ConstantTable::operand(const Constant& c) {
  if (auto it = known_.find(&c); it != known_.end()) return it->second;
  fir::Operand result;
  Type* type = c.getType();
  if (auto address = evaluateAddress(c, layout_); address && types_.words(type) <= 1) {
    if (address->symbol) {
      uint32_t symbol = plan_.symbol(address->symbol);
      auto [it, added] = simple_.try_emplace({symbol, address->offset}, 0);
      if (added) it->second = add({address->offset, symbol, fir::kNone});
      result = it->second;
    } else {
      result = number(address->offset);
    }
  } else if (auto* f = dyn_cast<ConstantFP>(&c); f && types_.words(type) == 1) {
    result = number(f->getValueAPF().bitcastToAPInt().getZExtValue());
  } else if (types_.words(type) <= 1) {
    std::vector<uint8_t> bytes(8);
    std::vector<fir::Relocation> relocations;
    writeBytes(c, 0, bytes, relocations);
    uint64_t word;
    memcpy(&word, bytes.data(), 8);
    result = number(word);
  } else {
    result = wide(c);
  }
  known_[&c] = result;
  return result;
}

void ConstantTable::writeBytes(const Constant& c, uint64_t at, std::vector<uint8_t>& bytes,
                               std::vector<fir::Relocation>& relocations) {
  Type* type = c.getType();
  if (isa<UndefValue>(c) || c.isNullValue()) return;
  auto writeInteger = [&](const APInt& value, uint64_t size) {
    for (uint64_t k = 0; k < size && at + k < bytes.size(); ++k)
      bytes[at + k] =
          uint8_t(value.lshr(std::min<uint64_t>(k * 8, value.getBitWidth())).getLoBits(8).getZExtValue());
  };
  if (auto* i = dyn_cast<ConstantInt>(&c)) return writeInteger(i->getValue(), layout_.getTypeStoreSize(type));
  if (auto* f = dyn_cast<ConstantFP>(&c))
    return writeInteger(f->getValueAPF().bitcastToAPInt(), layout_.getTypeStoreSize(type));
  if (auto* data = dyn_cast<ConstantDataSequential>(&c)) {
    uint64_t step = data->getElementByteSize();
    for (unsigned k = 0; k < data->getNumElements(); ++k)
      writeBytes(*data->getElementAsConstant(k), at + k * step, bytes, relocations);
    return;
  }
  if (auto* s = dyn_cast<ConstantStruct>(&c)) {
    const StructLayout* fields = layout_.getStructLayout(s->getType());
    for (unsigned k = 0; k < s->getNumOperands(); ++k)
      writeBytes(*s->getOperand(k), at + fields->getElementOffset(k).getFixedValue(), bytes, relocations);
    return;
  }
  if (isa<ConstantArray>(c) || isa<ConstantVector>(c)) {
    uint64_t step = layout_.getTypeAllocSize(c.getOperand(0)->getType());
    for (unsigned k = 0; k < c.getNumOperands(); ++k)
      writeBytes(*cast<Constant>(c.getOperand(k)), at + k * step, bytes, relocations);
    return;
  }
  if (auto address = evaluateAddress(c, layout_)) {
    if (address->symbol)
      relocations.push_back({at, plan_.symbol(address->symbol), 0, int64_t(address->offset)});
    else
      writeInteger(APInt(64, address->offset), layout_.getTypeStoreSize(type));
  }
}

bool hasKnownBytes(const Constant& c, const DataLayout& layout) {
  if (isa<UndefValue>(c) || isa<ConstantInt>(c) || isa<ConstantFP>(c) || isa<ConstantDataSequential>(c) ||
      c.isNullValue())
    return true;
  if (isa<ConstantAggregate>(c))
    return all_of(c.operands(), [&](const Use& u) { return hasKnownBytes(*cast<Constant>(u), layout); });
  auto address = evaluateAddress(c, layout);
  return address && (!address->symbol || layout.getTypeStoreSize(c.getType()) == 8);
}

} // namespace faultline::compiler

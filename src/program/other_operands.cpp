#include "program/other_operands.h"

#include "program/variable_types.h"

#include <algorithm>

namespace faultline::fir {
namespace {

bool isScalar(const Type& t) {
  return t.words == 1 && t.lanes == 1 && t.kind != TypeKind::Void && t.kind != TypeKind::Aggregate;
}

bool isStruct(DebugKind kind) { return kind == DebugKind::Struct || kind == DebugKind::Class; }

// "class.ns::Node" -> "Node"
std::string_view lastName(std::string_view name) {
  for (std::string_view prefix : {"struct.", "class."})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  size_t scope = name.rfind("::");
  return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

} // namespace

OtherOperands::OtherOperands(const Image& image) : image_(image) {
  for (uint32_t k = 0; k < image.debugTypes.size(); ++k) {
    const DebugType& t = image.debugTypes[k];
    if (isStruct(t.kind) && t.memberCount > 0) {
      structs_.emplace(image.string(t.name), k);
    } else if (t.kind == DebugKind::Typedef && t.base < image.debugTypes.size()) {
      const DebugType& of = image.debugTypes[t.base];
      if (isStruct(of.kind) && image.string(of.name).empty()) structs_.emplace(image.string(t.name), t.base);
    }
  }
}

std::vector<OtherOperand> OtherOperands::at(uint32_t function, uint32_t local) const {
  const Instruction& i = image_.instructions[local];
  if ((i.op != Op::Load && i.op != Op::LoadVar) || !isScalar(image_.types[i.type])) return {};
  const Function& f = image_.functions[function];
  if (const Variable* own = variableRead(f, i)) return variables(f, i, *own);
  if (i.op == Op::LoadVar) return {};
  Operand address = image_.operandsOf(i)[0];
  if (operandKind(address) != OperandKind::Word) return {};
  const Instruction* gep = definitionOf(f, local, operandIndex(address));
  return gep && gep->op == Op::Gep && gep->aux ? members(i, *gep) : Others{};
}

// The instruction before `local` that has made the word: code without optimisation computes an address where
// it uses it.
const Instruction* OtherOperands::definitionOf(const Function& f, uint32_t local, uint32_t word) const {
  constexpr uint32_t kFar = 64;
  for (uint32_t k = local; k > f.firstInstruction && local - k < kFar; --k)
    if (image_.instructions[k - 1].dst == word) return &image_.instructions[k - 1];
  return nullptr;
}

const Variable* OtherOperands::variableRead(const Function& f, const Instruction& load) const {
  Operand from = image_.operandsOf(load)[0];
  if (operandKind(from) != OperandKind::Word) return nullptr;
  for (const Variable& v : image_.variables.subspan(f.firstVariable, f.variableCount)) {
    if (load.op == Op::LoadVar && v.home == Home::Word && v.word == operandIndex(from)) return &v;
    if (load.op == Op::Load && v.home == Home::Frame && v.instruction < image_.instructions.size() &&
        image_.instructions[v.instruction].dst == operandIndex(from))
      return &v;
  }
  return nullptr;
}

std::vector<OtherOperand> OtherOperands::variables(const Function& f, const Instruction& load,
                                                   const Variable& own) const {
  Others out;
  for (const Variable& v : image_.variables.subspan(f.firstVariable, f.variableCount)) {
    if (&v == &own || v.instruction == own.instruction || v.instruction >= image_.instructions.size())
      continue;
    if ((v.home != Home::Word && v.home != Home::Frame) || !areAlike(image_, v, own) ||
        !isSeenFrom(image_, v, load))
      continue;
    out.push_back({.kind = OtherOperand::Variable,
                   .variable = v.instruction,
                   .own = image_.string(own.name),
                   .name = image_.string(v.name)});
  }
  // Those declared last are in use.
  std::ranges::reverse(out);
  if (out.size() > kMostOthers) out.resize(kMostOthers);
  return out;
}

std::string_view OtherOperands::memberName(const Record& record, uint64_t offset) const {
  auto known = structs_.find(lastName(image_.string(record.name)));
  if (known == structs_.end()) return {};
  const DebugType& type = image_.debugTypes[known->second];
  for (const Member& m : image_.members.subspan(type.firstMember, type.memberCount))
    if (!(m.flags & (kBaseClass | kStatic | kEnumerator)) && m.bitOffset == offset * 8)
      return image_.string(m.name);
  return {};
}

std::vector<OtherOperand> OtherOperands::members(const Instruction& load, const Instruction& gep) const {
  const Field& own = image_.fields[image_.fieldPaths[gep.aux - 1].field];
  const Record& record = image_.records[own.record];
  if (record.flags & kUnion || own.stride || own.inner || own.type != load.type) return {};
  Others out;
  for (const Field& field : image_.fields.subspan(record.firstField, record.fieldCount)) {
    if (field.type != own.type || field.stride || field.inner || field.offset == own.offset) continue;
    out.push_back({.kind = OtherOperand::Member,
                   .distance = int64_t(field.offset) - int64_t(own.offset),
                   .own = memberName(record, own.offset),
                   .name = memberName(record, field.offset)});
  }
  std::ranges::sort(out, {},
                    [](const OtherOperand& o) { return std::pair(std::abs(o.distance), o.distance); });
  if (out.size() > kMostOthers) out.resize(kMostOthers);
  return out;
}

bool isElement(const Image& image, uint32_t local) {
  const Instruction& i = image.instructions[local];
  if (i.op != Op::Gep || elementStride(image, i) == 0) return false;
  if (i.operandCount > 1 || i.imm != 0) return true;
  if (local + 1 >= image.instructions.size()) return false;
  const Instruction& next = image.instructions[local + 1];
  return next.op == Op::Load && image.operandsOf(next)[0] == makeOperand(OperandKind::Word, i.dst);
}

uint64_t elementStride(const Image& image, const Instruction& gep) {
  if (gep.operandCount <= 1) return gep.sub;
  Operand scale = image.operandsOf(gep)[gep.operandCount - 2];
  return operandKind(scale) == OperandKind::Constant ? image.constants[operandIndex(scale)].value : 0;
}

} // namespace faultline::fir

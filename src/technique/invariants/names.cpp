#include "technique/invariants/names.h"

#include "replay/object_names.h"
#include "replay/replay.h"
#include "replay/source_expression.h"

#include <fmt/format.h>

namespace faultline::technique {

using depend::Executed;
using fir::DebugKind;
using fir::Op;
using logic::Naming;
using logic::Term;

namespace {

Naming::Kind kindOf(replay::TypeRef type) {
  switch (type.stripped().kind()) {
  case DebugKind::Bool:
  case DebugKind::UnsignedInt:
    return Naming::Unsigned;
  case DebugKind::SignedChar:
  case DebugKind::UnsignedChar:
    return Naming::Character;
  case DebugKind::Float:
    return Naming::Float;
  case DebugKind::Pointer:
  case DebugKind::Reference:
  case DebugKind::NullPointer:
    return Naming::Pointer;
  default:
    return Naming::Signed;
  }
}

Naming::Kind kindOf(const fir::Type& type) {
  switch (type.kind) {
  case fir::TypeKind::Pointer:
    return Naming::Pointer;
  case fir::TypeKind::Float:
  case fir::TypeKind::Double:
    return Naming::Float;
  default:
    return Naming::Signed;
  }
}

replay::FrameView frameOf(const Executed& x) {
  replay::FrameView frame;
  frame.image = x.image;
  frame.function = x.function;
  frame.instruction = x.local;
  frame.module = x.module;
  return frame;
}

std::optional<replay::SourceValue> variableIn(const replay::FrameView& frame, uint32_t word) {
  for (const fir::Variable& v : replay::variablesOf(frame))
    if (v.home == fir::Home::Word && v.word == word)
      return replay::SourceValue{std::string(frame.image->string(v.name)), {frame.image, v.debugType}};
  return std::nullopt;
}

std::optional<replay::SourceValue> accessed(const replay::FrameView& frame, fir::Operand address) {
  auto access = replay::sourceAccess(frame, address);
  if (!access) return std::nullopt;
  return replay::SourceValue{access->text, access->type};
}

std::string functionName(const Executed& x) {
  return std::string(x.image->string(x.image->functions[x.function].name));
}

// What the instance's own statement calls it; nothing: it has no name.
std::optional<replay::SourceValue> sourceOf(const Executed& x) {
  replay::FrameView frame = frameOf(x);
  std::span<const fir::Operand> operands = x.image->operandsOf(*x.instruction);
  switch (x.instruction->op) {
  case Op::StoreVar:
  case Op::LoadVar:
    return variableIn(frame, fir::operandIndex(operands[0]));
  case Op::Store:
  case Op::Load:
    return accessed(frame, operands[0]);
  case Op::Fill: // each byte of it
    if (auto whole = accessed(frame, operands[0]); whole && !whole->text.empty())
      return replay::SourceValue{"<bytes of " + whole->text + ">", {}};
    return std::nullopt;
  case Op::Ret:
    return replay::SourceValue{functionName(x) + "()", {}};
  case Op::CondBr:
  case Op::Switch:
    return replay::sourceValue(frame, operands[0]);
  default:
    if (x.instruction->dst == fir::kNone) return std::nullopt;
    return replay::sourceValue(frame, fir::makeOperand(fir::OperandKind::Word, x.instruction->dst));
  }
}

} // namespace

bool InvariantNames::isGlobal(std::string_view text) const {
  size_t end = 0;
  while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
  std::string_view root = text.substr(0, end);
  for (const auto& module : terms_.instances().history().replay().program().modules())
    for (const fir::Symbol& s : module->image->symbols)
      if (!(s.flags & fir::kFunction) && s.debugType != fir::kNone &&
          module->image->string(s.displayName) == root)
        return true;
  return false;
}

Result<InvariantNames::Name> InvariantNames::makeName(Term variable) {
  uint64_t time = terms_.timeOf(variable);
  if (time == depend::kNoInstance) return Name{{"anything", Naming::Unsigned}};
  FL_TRY(x, terms_.instances().at(time));
  uint32_t line = x.image->locations[x.instruction->location].line;
  Name name;
  name.module = x.module;
  name.function = x.function;
  if (auto address = terms_.addressOf(variable)) {
    uint32_t width = terms_.terms().width(variable);
    FL_TRY(text, nameAt(time, *address, width / 8));
    name.naming = {text.empty() ? fmt::format("<{} bytes at {:#x}>", width / 8, *address) : text,
                   width == 8 ? Naming::Character : Naming::Unsigned};
    name.isGlobal = text.empty() || isGlobal(text);
    return name;
  }
  Naming::Kind kind = kindOf(x.image->types[x.instruction->type]);
  auto source = sourceOf(x);
  if (source && !source->text.empty()) {
    name.naming = {source->text, source->type.get() ? kindOf(source->type) : kind};
    name.isGlobal = isGlobal(source->text) || x.instruction->op == Op::Ret || x.instruction->op == Op::Call;
    return name;
  }
  name.isGlobal = true;
  name.naming = {fmt::format("<value of line {}>", line), kind};
  return name;
}

Result<std::string> InvariantNames::nameAt(uint64_t time, uint64_t address, uint64_t size) {
  replay::Replay& replay = terms_.instances().history().replay();
  FL_CHECK(replay.seek(time));
  std::vector<replay::FrameView> frames = replay.frames();
  replay::ObjectNames objects(replay.symbolView(), frames, replay.memoryView());
  std::optional<replay::ObjectName> found = objects.find(address, size);
  if (!found || !found->isInside() || found->part.empty()) return std::string();
  return found->part;
}

Result<InvariantNames::Name> InvariantNames::nameOf(Term variable) {
  auto at = names_.find(variable);
  if (at == names_.end()) {
    FL_TRY(made, makeName(variable));
    at = names_.emplace(variable, std::move(made)).first;
  }
  return at->second;
}

Result<std::string> InvariantNames::text(Term condition, uint64_t time) {
  FL_TRY(reader, terms_.instances().at(time));
  std::unordered_map<uint64_t, Naming> here;
  for (Term v : terms_.terms().variables(condition)) {
    FL_TRY(name, nameOf(v));
    bool isElsewhere = name.module != reader.module || name.function != reader.function;
    if (isElsewhere && !name.isGlobal && name.function != fir::kNone) {
      const fir::Image& image =
          *terms_.instances().history().replay().program().modules()[name.module]->image;
      name.naming.name =
          fmt::format("{}::{}", image.string(image.functions[name.function].name), name.naming.name);
    }
    here[terms_.terms().parameter(v)] = name.naming;
  }
  return logic::text(terms_.terms(), condition, [&](uint64_t tag, uint32_t) { return here.at(tag); });
}

Result<std::vector<std::string>> InvariantNames::texts(std::span<const Term> conditions, uint64_t time) {
  std::vector<std::string> out;
  for (Term c : conditions) {
    FL_TRY(one, text(c, time));
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace faultline::technique

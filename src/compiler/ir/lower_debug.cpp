#include "compiler/ir/lower_debug.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace faultline::compiler {

using fir::DebugKind;

DebugTable::DebugTable(fir::ImageBuilder& out) : out_(out) {
  out_.locations.push_back({0, 0, 0, fir::kNone}); // 0: unknown
  out_.files.push_back({0, 0});
}

uint32_t DebugTable::text(StringRef s) {
  auto [it, added] = texts_.try_emplace(s.str(), 0);
  if (added) it->second = out_.addString(s);
  return it->second;
}

uint32_t DebugTable::file(const DIFile* f) {
  if (!f) return 0;
  if (auto it = files_.find(f); it != files_.end()) return it->second;
  out_.files.push_back({text(f->getFilename()), text(f->getDirectory())});
  return files_[f] = uint32_t(out_.files.size() - 1);
}

uint32_t DebugTable::addLocation(const DIFile* f, unsigned line, unsigned column, uint32_t scope) {
  auto [it, added] = locations_.try_emplace({file(f), line, column, scope}, 0);
  if (added) {
    out_.locations.push_back({file(f), line, column, scope});
    it->second = uint32_t(out_.locations.size() - 1);
  }
  return it->second;
}

uint32_t DebugTable::location(const DebugLoc& l) {
  if (!l) return 0;
  // What is inlined comes from the system's headers: a person looks at the call.
  const DILocation* at = l.get();
  while (at->getInlinedAt()) at = at->getInlinedAt();
  const DILocalScope* s = at->getScope();
  return addLocation(s->getFile(), at->getLine(), at->getColumn(), scope(s));
}

uint32_t DebugTable::functionLocation(const Function& f) {
  const DISubprogram* s = f.getSubprogram();
  return s ? addLocation(s->getFile(), s->getLine(), 0, scope(s)) : 0;
}

uint32_t DebugTable::scope(const DILocalScope* s) {
  if (!s) return fir::kNone;
  if (auto it = scopes_.find(s); it != scopes_.end()) return it->second;
  uint32_t parent = isa<DISubprogram>(s) ? fir::kNone : scope(dyn_cast_or_null<DILocalScope>(s->getScope()));
  if (isa<DILexicalBlockFile>(s)) return scopes_[s] = parent; // only another file, not another block
  auto index = uint32_t(out_.scopes.size());
  out_.scopes.push_back({parent, 0});
  scopes_[s] = index;
  unsigned line = 0, column = 0;
  if (auto* block = dyn_cast<DILexicalBlock>(s)) {
    line = block->getLine();
    column = block->getColumn();
  } else if (auto* subprogram = dyn_cast<DISubprogram>(s)) {
    line = subprogram->getLine();
  }
  uint32_t at = addLocation(s->getFile(), line, column, parent);
  out_.scopes[index].location = at;
  return index;
}

void DebugTable::addVariable(const DILocalVariable& v, const DIExpression& expression, Place place) {
  fir::Variable out{};
  out.name = text(v.getName());
  out.debugType = type(v.getType());
  out.home = place.home;
  if (expression.getNumElements() == 1 && expression.getElement(0) == dwarf::DW_OP_deref &&
      place.home == fir::Home::Frame)
    out.home = fir::Home::FrameIndirect;
  else if (expression.getNumElements() != 0 &&
           !(expression.getNumElements() == 1 && expression.getElement(0) == dwarf::DW_OP_deref))
    out.home = fir::Home::Gone;
  out.isArgument = v.isParameter();
  out.argument = uint16_t(v.getArg());
  out.word = place.word;
  out.offset = place.offset;
  out.scope = scope(v.getScope());
  out.location = addLocation(v.getFile(), v.getLine(), 0, out.scope);
  out.instruction = place.instruction;
  out_.variables.push_back(out);
}

void DebugTable::describeFunction(Function& f, fir::Function& record,
                                  const std::function<Place(const Value*)>& placeOf) {
  record.location = functionLocation(f);
  const DISubprogram* s = f.getSubprogram();
  record.name = text(s && !s->getName().empty() ? s->getName() : f.getName());
  record.firstVariable = uint32_t(out_.variables.size());
  auto declare = [&](const DILocalVariable* v, const DIExpression* e, const Value* home, const DebugLoc& at) {
    bool inlined = at && at->getInlinedAt();
    if (v && e && !v->getName().empty() && !inlined) addVariable(*v, *e, placeOf(home));
  };
  for (Instruction& i : instructions(f)) {
    for (DbgVariableRecord& r : filterDbgVars(i.getDbgRecordRange()))
      if (r.isDbgDeclare()) declare(r.getVariable(), r.getExpression(), r.getAddress(), r.getDebugLoc());
    if (auto* d = dyn_cast<DbgDeclareInst>(&i))
      declare(d->getVariable(), d->getExpression(), d->getAddress(), d->getDebugLoc());
  }
  record.variableCount = uint32_t(out_.variables.size()) - record.firstVariable;
}

void DebugTable::describeSymbol(const GlobalValue& g, fir::Symbol& symbol) {
  symbol.displayName = symbol.name;
  if (auto* f = dyn_cast<Function>(&g)) {
    if (auto* s = f->getSubprogram()) {
      symbol.displayName = text(s->getName());
      symbol.location = functionLocation(*f);
    }
    return;
  }
  auto* v = dyn_cast<GlobalVariable>(&g);
  if (!v) return;
  SmallVector<DIGlobalVariableExpression*> expressions;
  v->getDebugInfo(expressions);
  if (expressions.empty()) return;
  const DIGlobalVariable* d = expressions.front()->getVariable();
  symbol.displayName = text(d->getName());
  symbol.debugType = type(d->getType());
  symbol.location = addLocation(d->getFile(), d->getLine(), 0, fir::kNone);
}

uint32_t DebugTable::type(const DIType* t) {
  if (!t) return fir::kNone;
  if (auto it = types_.find(t); it != types_.end()) return it->second;
  auto index = uint32_t(out_.debugTypes.size());
  types_[t] = index; // before members, which may lead back here
  fir::DebugType out{};
  out.name = text(t->getName());
  out.bytes = (t->getSizeInBits() + 7) / 8;
  out.base = fir::kNone;
  out.count = fir::kNone;
  out_.debugTypes.push_back(out);
  if (auto* basic = dyn_cast<DIBasicType>(t)) {
    describeBasic(*basic, out_.debugTypes[index]);
  } else if (auto* derived = dyn_cast<DIDerivedType>(t)) {
    fir::DebugType d = out_.debugTypes[index];
    describeDerived(*derived, d);
    out_.debugTypes[index] = d;
  } else if (auto* composite = dyn_cast<DICompositeType>(t)) {
    describeComposite(*composite, index);
  } else if (auto* function = dyn_cast<DISubroutineType>(t)) {
    describeSignature(*function, index);
  }
  return index;
}

// The first of its types is the result; one that is missing, behind it, stands for `...`.
void DebugTable::describeSignature(const DISubroutineType& in, uint32_t index) {
  out_.debugTypes[index].kind = DebugKind::Function;
  DITypeRefArray types = in.getTypeArray();
  if (!types || types.size() == 0) return;
  uint32_t result = type(types[0]);
  std::vector<fir::Member> parameters;
  for (unsigned k = 1; k < types.size(); ++k) {
    fir::Member m{};
    m.name = text(types[k] ? "" : "...");
    m.type = type(types[k]);
    if (types[k] && types[k]->isArtificial()) m.flags |= fir::kArtificial;
    parameters.push_back(m);
  }
  fir::DebugType& out = out_.debugTypes[index];
  out.base = result;
  out.count = uint32_t(parameters.size());
  out.firstMember = uint32_t(out_.members.size());
  out.memberCount = uint32_t(parameters.size());
  out_.members.insert(out_.members.end(), parameters.begin(), parameters.end());
}

void DebugTable::describeBasic(const DIBasicType& in, fir::DebugType& out) {
  switch (in.getEncoding()) {
  case dwarf::DW_ATE_boolean:
    out.kind = DebugKind::Bool;
    break;
  case dwarf::DW_ATE_signed:
    out.kind = DebugKind::SignedInt;
    break;
  case dwarf::DW_ATE_unsigned:
    out.kind = DebugKind::UnsignedInt;
    break;
  case dwarf::DW_ATE_signed_char:
    out.kind = DebugKind::SignedChar;
    break;
  case dwarf::DW_ATE_unsigned_char:
  case dwarf::DW_ATE_UTF:
    out.kind = DebugKind::UnsignedChar;
    break;
  case dwarf::DW_ATE_float:
    out.kind = DebugKind::Float;
    break;
  case dwarf::DW_ATE_complex_float:
    out.kind = DebugKind::Complex;
    break;
  default:
    out.kind = in.getTag() == dwarf::DW_TAG_unspecified_type ? DebugKind::NullPointer : DebugKind::Unknown;
  }
}

void DebugTable::describeDerived(const DIDerivedType& in, fir::DebugType& out) {
  switch (in.getTag()) {
  case dwarf::DW_TAG_pointer_type:
    out.kind = DebugKind::Pointer;
    break;
  case dwarf::DW_TAG_reference_type:
  case dwarf::DW_TAG_rvalue_reference_type:
    out.kind = DebugKind::Reference;
    break;
  case dwarf::DW_TAG_ptr_to_member_type:
    out.kind = DebugKind::MemberPointer;
    break;
  case dwarf::DW_TAG_const_type:
    out.kind = DebugKind::Const;
    break;
  case dwarf::DW_TAG_volatile_type:
    out.kind = DebugKind::Volatile;
    break;
  case dwarf::DW_TAG_restrict_type:
    out.kind = DebugKind::Restrict;
    break;
  case dwarf::DW_TAG_atomic_type:
    out.kind = DebugKind::Atomic;
    break;
  default:
    out.kind = DebugKind::Typedef;
  }
  out.base = type(in.getBaseType());
  if (out.bytes == 0 && out.base != fir::kNone && out.kind != DebugKind::Pointer &&
      out.kind != DebugKind::Reference)
    out.bytes = out_.debugTypes[out.base].bytes;
}

uint32_t DebugTable::arrayDimension(const DICompositeType& array, unsigned dimension, uint64_t bytes) {
  DINodeArray dimensions = array.getElements();
  if (dimension >= dimensions.size()) return type(array.getBaseType());
  fir::DebugType out{};
  out.kind = DebugKind::Array;
  out.bytes = bytes;
  out.count = fir::kNone;
  if (auto* range = dyn_cast<DISubrange>(dimensions[dimension]))
    if (auto* count = dyn_cast_if_present<ConstantInt*>(range->getCount());
        count && count->getSExtValue() >= 0)
      out.count = uint32_t(count->getZExtValue());
  uint64_t inner = out.count && out.count != fir::kNone ? bytes / out.count : 0;
  out.base = arrayDimension(array, dimension + 1, inner);
  out_.debugTypes.push_back(out);
  return uint32_t(out_.debugTypes.size() - 1);
}

void DebugTable::describeComposite(const DICompositeType& in, uint32_t index) {
  if (in.getTag() == dwarf::DW_TAG_array_type) {
    fir::DebugType copy = out_.debugTypes[arrayDimension(in, 0, (in.getSizeInBits() + 7) / 8)];
    copy.name = out_.debugTypes[index].name;
    out_.debugTypes[index] = copy;
    return;
  }
  DebugKind kind = DebugKind::Struct;
  if (in.getTag() == dwarf::DW_TAG_class_type) kind = DebugKind::Class;
  if (in.getTag() == dwarf::DW_TAG_union_type) kind = DebugKind::Union;
  if (in.getTag() == dwarf::DW_TAG_enumeration_type) kind = DebugKind::Enum;
  out_.debugTypes[index].kind = kind;
  if (kind == DebugKind::Enum) {
    uint32_t base = type(in.getBaseType());
    out_.debugTypes[index].base = base;
  }
  addMembers(in, index);
}

void DebugTable::addMembers(const DICompositeType& in, uint32_t index) {
  std::vector<fir::Member> members;
  for (const DINode* node : in.getElements()) {
    fir::Member m{};
    if (auto* e = dyn_cast<DIEnumerator>(node)) {
      m.name = text(e->getName());
      m.type = fir::kNone;
      m.bitOffset = e->getValue().getBitWidth() <= 64 ? uint64_t(e->getValue().getSExtValue()) : 0;
      m.flags = fir::kEnumerator;
    } else if (auto* d = dyn_cast<DIDerivedType>(node)) {
      m.name = text(d->getName());
      m.type = type(d->getBaseType());
      m.bitOffset = d->getOffsetInBits();
      if (d->isBitField()) m.bitSize = uint32_t(d->getSizeInBits());
      if (d->getTag() == dwarf::DW_TAG_inheritance) m.flags |= fir::kBaseClass;
      if (d->isStaticMember()) m.flags |= fir::kStatic;
      if (d->isArtificial()) m.flags |= fir::kArtificial;
    } else {
      continue; // member functions, nested types
    }
    members.push_back(m);
  }
  out_.debugTypes[index].firstMember = uint32_t(out_.members.size());
  out_.debugTypes[index].memberCount = uint32_t(members.size());
  out_.members.insert(out_.members.end(), members.begin(), members.end());
}

} // namespace faultline::compiler

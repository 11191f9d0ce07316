#include "program/points_to.h"

#include "program/points_to_functions.h"

namespace faultline::fir {

// First roughly; then again with better knowledge of what calls by pointer run.
PointsTo::PointsTo(const Linked& linked) : linked_(linked) {
  for (bool isRough : {true, false}) {
    PointsToSolver solver(*this, !isRough);
    solver.solve();
    targets_ = PointsToFunctions(solver).targets();
  }
}

uint32_t PointsTo::find(uint32_t node) const {
  while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
  return node;
}

PointsToClass PointsTo::content(PointsToClass c) const {
  return content_[c] == kNone ? kNone : find(content_[c]);
}

std::span<const uint32_t> PointsTo::functions(PointsToClass c) const {
  auto it = functions_.find(c);
  return it == functions_.end() ? std::span<const uint32_t>() : it->second;
}

std::span<const PointsToClass> PointsTo::containers(PointsToClass c) const {
  auto it = containers_.find(c);
  return it == containers_.end() ? std::span<const PointsToClass>() : it->second;
}

const Instruction* PointsTo::definition(uint32_t image, uint32_t function, Operand o) const {
  if (operandKind(o) != OperandKind::Word) return nullptr;
  uint32_t local = definitions_[wordNode(image, function, operandIndex(o))];
  return local == kNone ? nullptr : &linked_.images()[image]->instructions[local];
}

// Members that get an object of their own. A record at the very start of another one does not: a pointer to
// the one is a pointer to the other, and C programs cast between them. Lists of variable arguments do not,
// because then all functions would share what is in them.
bool PointsTo::isSplit(uint32_t image, const Field& field) const {
  const Image& m = *linked_.images()[image];
  bool isInnerUnion = field.inner && (m.records[field.inner - 1].flags & kUnion);
  if (field.offset == 0 && field.inner && !isInnerUnion) return false;
  return m.string(m.records[field.record].name) != "struct.__va_list_tag";
}

Place PointsTo::pathPlace(uint32_t image, uint32_t path, PointsToClass base) const {
  const Image& m = *linked_.images()[image];
  Place place{base, kNone, kNone};
  const FieldPath& step = m.fieldPaths[path - 1];
  if (step.outer) place = {pathPlace(image, step.outer, base).target, kNone, kNone};
  if (!isSplit(image, m.fields[step.field])) return place;
  uint32_t member = linked_.member(image, step.field);
  return {find(firstMember_ + member), place.target, member};
}

// A constant address has lost the way that led to it; the type of the variable tells it again. Where several
// members begin at one address, one that is only pointed to is the outermost, an access goes to the innermost
// that has room for it.
Place PointsTo::constantPlace(uint32_t image, const Constant& c, uint64_t bytes, bool isAccess,
                              std::vector<Place>* steps) const {
  const Image& m = *linked_.images()[image];
  const Symbol& symbol = m.symbols[c.symbol];
  Place place{find(firstObject_ + linked_.object(image, c.symbol)), kNone, kNone};
  uint32_t record = symbol.record;
  uint64_t offset = c.value, stride = symbol.recordStride;
  for (uint32_t depth = 0; record && depth < 32; ++depth) {
    if (stride) offset %= stride;
    if (offset == 0 && !isAccess) break;
    const Field* found = nullptr;
    const Record& r = m.records[record - 1];
    for (const Field& f : m.fields.subspan(r.firstField, r.fieldCount))
      if (f.offset <= offset && offset + std::max<uint64_t>(bytes, 1) <= f.offset + f.bytes) found = &f;
    if (!found) break;
    if (isSplit(image, *found)) {
      uint32_t member = linked_.member(image, uint32_t(found - m.fields.data()));
      place = {find(firstMember_ + member), place.target, member};
      if (steps) steps->push_back(place);
    }
    if (found->inner && (m.records[found->inner - 1].flags & kUnion)) break;
    offset -= found->offset;
    record = found->inner;
    stride = found->stride;
  }
  return place;
}

uint32_t PointsTo::targetOf(uint32_t image, uint32_t function, Operand o) const {
  if (operandKind(o) == OperandKind::Word) {
    uint32_t node = find(wordNode(image, function, operandIndex(o)));
    return content_[node] == kNone ? kNone : find(content_[node]);
  }
  if (operandKind(o) != OperandKind::Constant) return kNone;
  const Constant& c = linked_.images()[image]->constants[operandIndex(o)];
  return c.symbol == kNone ? kNone : constantPlace(image, c, 0, false).target;
}

// Array elements are not told apart, so Geps among them are passed by.
Place PointsTo::place(uint32_t image, uint32_t function, Operand address, uint64_t bytes) const {
  const Image& m = *linked_.images()[image];
  Place raw{targetOf(image, function, address), kNone, kNone};
  Operand at = address;
  bool isElement = false;
  for (const Instruction* i = definition(image, function, at); i && i->op == Op::Gep;
       i = definition(image, function, at)) {
    Operand base = m.operandsOf(*i)[0];
    if (i->aux) {
      PointsToClass container = targetOf(image, function, base);
      if (container == kNone) return raw;
      Place place = pathPlace(image, i->aux, container);
      if (place.member == kNone) return {place.target, kNone, kNone};
      const Field& f = linked_.field(place.member);
      if (isElement && !f.stride) return raw;
      return bytes <= f.bytes ? place : Place{place.container, kNone, kNone};
    }
    isElement = true;
    at = base;
  }
  if (operandKind(at) != OperandKind::Constant) return raw;
  const Constant& c = m.constants[operandIndex(at)];
  if (c.symbol == kNone) return raw;
  return constantPlace(image, c, isElement ? 0 : bytes, bytes != 0 && !isElement);
}

std::string_view PointsTo::outsideName(uint32_t image, uint32_t local) const {
  const Image& m = *linked_.images()[image];
  const CallInfo& call = m.calls[m.instructions[local].aux];
  if (call.symbol == kNone) return {};
  bool isInside = linked_.functionOf(linked_.object(image, call.symbol)) != kNone;
  return isInside ? std::string_view() : linked_.name(image, call.symbol);
}

std::vector<uint32_t> PointsTo::callees(uint32_t image, uint32_t local) const {
  const Image& m = *linked_.images()[image];
  const Instruction& i = m.instructions[local];
  const CallInfo& call = m.calls[i.aux];
  std::span<const Operand> operands = m.operandsOf(i);
  if (call.symbol != kNone)
    if (uint32_t f = linked_.functionOf(linked_.object(image, call.symbol)); f != kNone) return {f};
  auto it = targets_.find(uint64_t(image) << 32 | local);
  bool areMany = it != targets_.end() && it->second.front() == PointsToFunctions::kMany;
  if (it != targets_.end() && !areMany) return it->second;
  if (call.symbol != kNone && !areMany) return {};
  // By a pointer that was lost sight of, or one of very many: all that its class has.
  std::vector<uint32_t> found;
  auto addClass = [&](Operand o, uint32_t arguments) {
    PointsToClass c = targetOf(image, m.functionOf(local), o);
    if (c == kNone) return;
    for (uint32_t f : functions(c))
      if (linked_.body(f).argumentCount <= arguments) found.push_back(f);
  };
  if (call.symbol == kNone)
    addClass(operands[0], i.operandCount - 1u);
  else
    for (Operand o : operands.subspan(1)) addClass(o, kNone);
  return found;
}

} // namespace faultline::fir

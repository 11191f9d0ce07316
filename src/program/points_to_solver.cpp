#include "program/points_to_solver.h"

#include "program/operands.h"

namespace faultline::fir {

void PointsToSolver::solve() {
  layOut();
  for (uint32_t k = 0; k < linked_.images().size(); ++k) visitImage(k);
  while (resolve()) {
  }
  describeClasses();
}

// One node a frame word, object, member, function's result and function's variable arguments.
void PointsToSolver::layOut() {
  out_.parent_.clear();
  out_.content_.clear();
  out_.isUnion_.clear();
  out_.firstWord_.clear();
  uint32_t next = 0;
  auto take = [&](size_t count) {
    uint32_t first = next;
    next += uint32_t(count);
    return first;
  };
  for (uint32_t f = 0; f < linked_.functionCount(); ++f)
    out_.firstWord_.push_back(take(linked_.body(f).words));
  out_.definitions_.assign(next, kNone);
  out_.firstObject_ = take(linked_.objectCount());
  out_.firstMember_ = take(linked_.memberCount());
  out_.firstResult_ = take(linked_.functionCount() * 2);
  for (uint32_t k = 0; k < next; ++k) newNode();
  thrown_ = newNode();
  kept_ = newNode();
  for (uint32_t k = 0; k < linked_.memberCount(); ++k) {
    const Field& f = linked_.field(k);
    const Image& m = *linked_.images()[linked_.key(k).image];
    if (f.inner && (m.records[f.inner - 1].flags & kUnion)) out_.isUnion_[out_.firstMember_ + k] = true;
  }
}

uint32_t PointsToSolver::newNode() {
  auto node = uint32_t(out_.parent_.size());
  out_.parent_.push_back(node);
  out_.content_.push_back(kNone);
  out_.isUnion_.push_back(false);
  return node;
}

void PointsToSolver::join(uint32_t a, uint32_t b) {
  toJoin_.assign(1, {a, b});
  while (!toJoin_.empty()) {
    auto [x, y] = toJoin_.back();
    toJoin_.pop_back();
    x = out_.find(x), y = out_.find(y);
    if (x == y) continue;
    ++joins_;
    out_.parent_[y] = x;
    if (out_.isUnion_[y]) out_.isUnion_[x] = true;
    if (out_.content_[x] == kNone)
      out_.content_[x] = out_.content_[y];
    else if (out_.content_[y] != kNone)
      toJoin_.push_back({out_.content_[x], out_.content_[y]});
  }
}

uint32_t PointsToSolver::contentOf(uint32_t node) {
  node = out_.find(node);
  if (out_.content_[node] == kNone) {
    uint32_t made = newNode();
    out_.content_[node] = made;
  }
  return out_.find(out_.content_[node]);
}

uint32_t PointsToSolver::target(Operand o) {
  if (operandKind(o) == OperandKind::Word) return contentOf(word(operandIndex(o)));
  if (operandKind(o) != OperandKind::Constant) return kNone;
  const Constant& c = m_->constants[operandIndex(o)];
  return c.symbol == kNone ? kNone : constantTarget(c, 0, false);
}

uint32_t PointsToSolver::constantTarget(const Constant& c, uint64_t bytes, bool isAccess) {
  std::vector<Place> steps;
  Place place = out_.constantPlace(image_, c, bytes, isAccess, &steps);
  for (const Place& step : steps) parts_.push_back({step.container, step.member});
  return place.target;
}

bool PointsToSolver::holdsPointer(const Image& image, uint32_t type) {
  const Type& t = image.types[type];
  switch (t.kind) {
  case TypeKind::Pointer:
    return true;
  case TypeKind::Int:
    return t.bits >= 64;
  case TypeKind::Vector:
    return holdsPointer(image, t.element);
  case TypeKind::Aggregate:
    return t.bytes >= 8;
  default:
    return false;
  }
}

void PointsToSolver::visitImage(uint32_t image) {
  image_ = image;
  m_ = linked_.images()[image];
  for (function_ = 0; function_ < m_->functions.size(); ++function_) {
    const Function& f = m_->functions[function_];
    for (uint32_t k = 0; k < f.instructionCount; ++k) {
      const Instruction& i = m_->instructions[f.firstInstruction + k];
      if (i.dst != kNone) out_.definitions_[word(i.dst)] = f.firstInstruction + k;
    }
    for (uint32_t k = 0; k < f.instructionCount; ++k) {
      const Instruction& i = m_->instructions[f.firstInstruction + k];
      if (i.op == Op::Call)
        visitCall(i, f.firstInstruction + k);
      else
        visit(i);
    }
  }
  function_ = 0;
  visitInitialValues();
}

void PointsToSolver::visitInitialValues() {
  for (uint32_t s = 0; s < m_->symbols.size(); ++s)
    for (const Relocation& r :
         m_->relocations.subspan(m_->symbols[s].firstRelocation, m_->symbols[s].relocationCount)) {
      uint32_t place = constantTarget({r.offset, s, kNone}, 8, true);
      uint32_t value = constantTarget({uint64_t(r.addend), r.symbol, kNone}, 0, false);
      join(contentOf(place), value);
    }
}

// Goes into the members along the path; the class of the last one.
uint32_t PointsToSolver::addPath(uint32_t path, uint32_t base) {
  const FieldPath& step = m_->fieldPaths[path - 1];
  if (step.outer) base = addPath(step.outer, base);
  if (!out_.isSplit(image_, m_->fields[step.field])) return base;
  uint32_t member = linked_.member(image_, step.field);
  parts_.push_back({base, member});
  return out_.firstMember_ + member;
}

void PointsToSolver::visitGep(const Instruction& i) {
  uint32_t base = target(m_->operandsOf(i)[0]);
  if (base == kNone) return;
  uint32_t result = i.aux ? addPath(i.aux, base) : base;
  join(contentOf(word(i.dst)), result);
  if (!i.aux && int64_t(i.imm) < 0) steppedBack_.push_back(result);
}

void PointsToSolver::visitMemory(const Instruction& i) {
  std::span<const Operand> operands = m_->operandsOf(i);
  uint32_t memory = target(operands[0]);
  if (memory == kNone) return;
  bool isScalar = i.op != Op::Copy && i.op != Op::VaCopy && i.op != Op::VaStart;
  if (isScalar && operandKind(operands[0]) == OperandKind::Constant)
    memory = constantTarget(m_->constants[operandIndex(operands[0])], m_->types[i.type].bytes, true);
  if (i.op == Op::Copy || i.op == Op::VaCopy) {
    if (uint32_t source = target(operands[1]); source != kNone) flowNodes(memory, source);
    return;
  }
  if (i.op == Op::VaStart)
    return join(contentOf(memory), variableArguments(linked_.functionNumber(image_, function_)));
  if (!holdsPointer(i.type)) return;
  for (uint32_t k = 1; k < operands.size(); ++k) flow(memory, operands[k]);
  if (i.dst != kNone) flowNodes(word(i.dst), memory);
}

void PointsToSolver::visit(const Instruction& i) {
  std::span<const Operand> operands = m_->operandsOf(i);
  switch (i.op) {
  case Op::Gep:
    return visitGep(i);
  case Op::Load:
  case Op::Store:
  case Op::AtomicRMW:
  case Op::CmpXchg:
  case Op::Copy:
  case Op::VaStart:
  case Op::VaCopy:
    return visitMemory(i);
  case Op::LoadVar:
    if (holdsPointer(i.type)) flow(word(i.dst), operands[0]);
    return;
  case Op::StoreVar:
    if (holdsPointer(i.type)) flow(word(operandIndex(operands[0])), operands[1]);
    return;
  case Op::Ret:
    if (!operands.empty() && holdsPointer(i.type))
      flow(resultOf(linked_.functionNumber(image_, function_)), operands[0]);
    return;
  case Op::Resume:
    return flow(thrown_, operands[0]);
  case Op::LandingPad:
    return flowNodes(word(i.dst), thrown_);
  case Op::Sub: { // the difference of two pointers is none
    const Instruction* subtracted = out_.definition(image_, function_, operands[1]);
    if (subtracted && subtracted->op == Op::Trunc && m_->types[subtracted->aux].kind == TypeKind::Pointer)
      return;
    if (holdsPointer(i.type)) flow(word(i.dst), operands[0]);
    return;
  }
  case Op::Trunc:
  case Op::ZExt:
  case Op::SExt:
  case Op::BitCast:
    if (!holdsPointer(i.aux)) return;
    [[fallthrough]];
  case Op::Add:
  case Op::And:
  case Op::Or:
  case Op::Xor:
  case Op::Select:
  case Op::Phi:
  case Op::Extract:
  case Op::Insert:
  case Op::ExtractLane:
  case Op::InsertLane:
  case Op::Shuffle:
  case Op::Intrinsic:
  case Op::ThreadLocal:
  case Op::Opaque:
    if (i.dst == kNone || !holdsPointer(i.type)) return;
    for (Operand o : operands) flow(word(i.dst), o);
    return;
  default:
    return;
  }
}

} // namespace faultline::fir

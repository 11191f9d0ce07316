#include "program/points_to_functions.h"

#include <algorithm>

namespace faultline::fir {
namespace {

constexpr size_t kMost = 48; // functions in one place that are followed one by one

} // namespace

PointsToFunctions::PointsToFunctions(const PointsToSolver& solved)
    : solver_(solved), out_(solved.out_), linked_(solved.linked_) {
  auto nodes = uint32_t(out_.parent_.size());
  firstMember_ = nodes;
  firstClass_ = nodes + uint32_t(linked_.memberCount());
  edges_.resize(firstClass_ + nodes);
  sets_.resize(edges_.size());
  hasMany_.resize(edges_.size());
}

std::unordered_map<uint64_t, std::vector<uint32_t>> PointsToFunctions::targets() {
  visitImages();
  linkMembers();
  propagate();
  for (auto& [call, list] : targets_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (list.back() == kMany) list.assign(1, kMany);
  }
  return std::move(targets_);
}

// The node of what lies there.
uint32_t PointsToFunctions::memory(const Place& place) const {
  return place.member != kNone ? firstMember_ + place.member : firstClass_ + place.target;
}

void PointsToFunctions::add(uint32_t node, uint32_t function) {
  if (hasMany_[node]) return;
  if (function != kMany && !known_.insert(uint64_t(node) << 32 | function).second) return;
  if (function == kMany || sets_[node].size() >= kMost) {
    hasMany_[node] = true;
    sets_[node].clear();
    function = kMany;
  }
  sets_[node].push_back(function);
  open_.push_back({node, function});
}

void PointsToFunctions::addEdge(uint32_t from, uint32_t to) {
  if (from == to) return;
  edges_[from].push_back(to);
  for (size_t k = 0; k < sets_[from].size(); ++k) add(to, sets_[from][k]);
}

void PointsToFunctions::flow(Operand from, uint32_t to) {
  if (operandKind(from) == OperandKind::Word) return addEdge(word(from), to);
  if (operandKind(from) != OperandKind::Constant) return;
  const Constant& c = m_->constants[operandIndex(from)];
  if (c.symbol == kNone) return;
  if (uint32_t f = linked_.functionOf(linked_.object(image_, c.symbol)); f != kNone) add(to, f);
}

void PointsToFunctions::visitImages() {
  for (image_ = 0; image_ < linked_.images().size(); ++image_) {
    m_ = linked_.images()[image_];
    for (function_ = 0; function_ < m_->functions.size(); ++function_) {
      const Function& f = m_->functions[function_];
      for (uint32_t k = 0; k < f.instructionCount; ++k)
        visit(m_->instructions[f.firstInstruction + k], f.firstInstruction + k);
    }
    visitInitialValues();
  }
}

void PointsToFunctions::visitInitialValues() {
  for (uint32_t s = 0; s < m_->symbols.size(); ++s)
    for (const Relocation& r :
         m_->relocations.subspan(m_->symbols[s].firstRelocation, m_->symbols[s].relocationCount))
      if (uint32_t f = linked_.functionOf(linked_.object(image_, r.symbol)); f != kNone)
        add(memory(out_.constantPlace(image_, {r.offset, s, kNone}, 8, true)), f);
}

void PointsToFunctions::visit(const Instruction& i, uint32_t local) {
  std::span<const Operand> operands = m_->operandsOf(i);
  uint32_t result = i.dst == kNone ? kNone : out_.wordNode(image_, function_, i.dst);
  auto at = [&](uint32_t operand, uint64_t bytes) {
    return out_.place(image_, function_, operands[operand], bytes);
  };
  switch (i.op) {
  case Op::Call:
    return visitCall(i, local);
  case Op::Load:
  case Op::Store:
  case Op::AtomicRMW:
  case Op::CmpXchg: {
    Place place = at(0, m_->types[i.type].bytes);
    if (place.target == kNone || !solver_.holdsPointer(*m_, i.type)) return;
    for (uint32_t k = 1; k < operands.size(); ++k) flow(operands[k], memory(place));
    if (result != kNone) addEdge(memory(place), result);
    return;
  }
  case Op::Copy:
  case Op::VaCopy: {
    Place to = at(0, 0), from = at(1, 0);
    if (to.target != kNone && from.target != kNone) addEdge(memory(from), memory(to));
    return;
  }
  case Op::StoreVar:
    return flow(operands[1], word(operands[0]));
  case Op::Ret:
    if (!operands.empty()) flow(operands[0], out_.firstResult_ + linked_.functionNumber(image_, function_));
    return;
  case Op::Gep: // an address beside a function's is none of a function
  case Op::ICmp:
  case Op::FCmp:
  case Op::ThreadLocal:
    return;
  default:
    if (result == kNone || !solver_.holdsPointer(*m_, i.type)) return;
    for (Operand o : operands) flow(o, result);
  }
}

void PointsToFunctions::visitCall(const Instruction& i, uint32_t local) {
  std::span<const Operand> operands = m_->operandsOf(i);
  const CallInfo& call = m_->calls[i.aux];
  auto use = [&](Operand o, bool isCallback) {
    if (operandKind(o) == OperandKind::Word) {
      uses_[word(o)].push_back({image_, function_, local, isCallback});
      for (uint32_t f : sets_[word(o)]) open_.push_back({word(o), f}); // they came before
    } else if (operandKind(o) == OperandKind::Constant && isCallback) {
      const Constant& c = m_->constants[operandIndex(o)];
      if (c.symbol == kNone) return;
      if (uint32_t f = linked_.functionOf(linked_.object(image_, c.symbol)); f != kNone)
        targets_[uint64_t(image_) << 32 | local].push_back(f), bind(f, i);
    }
  };
  if (call.symbol == kNone) return use(operands[0], false);
  if (uint32_t f = linked_.functionOf(linked_.object(image_, call.symbol)); f != kNone) return bind(f, i);
  for (Operand o : operands.subspan(1)) use(o, true);
  if (i.dst == kNone) return;
  for (Operand o : operands.subspan(1)) flow(o, out_.wordNode(image_, function_, i.dst));
}

// Of callbacks it is not known which argument comes back as which parameter.
void PointsToFunctions::bind(uint32_t function, const Instruction& call) {
  FunctionRef ref = linked_.function(function);
  const Function& f = linked_.body(function);
  std::span<const Argument> parameters = linked_.images()[ref.image]->argumentsOf(f);
  std::span<const Operand> arguments = m_->operandsOf(call).subspan(1);
  const CallInfo& info = m_->calls[call.aux];
  bool isDirect = info.symbol == kNone || linked_.functionOf(linked_.object(image_, info.symbol)) != kNone;
  for (uint32_t a = 0; a < arguments.size(); ++a) {
    if (isDirect && a >= parameters.size() && (f.flags & kVariadic))
      flow(arguments[a], firstClass_ + out_.find(solver_.variableArguments(function)));
    for (uint32_t p = 0; p < parameters.size(); ++p)
      if (!isDirect || p == a) flow(arguments[a], out_.wordNode(ref.image, ref.function, parameters[p].word));
  }
  if (isDirect && call.dst != kNone)
    addEdge(out_.firstResult_ + function, out_.wordNode(image_, function_, call.dst));
}

// A member may be accessed through a pointer to it. That it may also be a member of another record type, in
// a union or where both begin alike, is not enough here: almost all would share their functions.
void PointsToFunctions::linkMembers() {
  for (uint32_t k = 0; k < linked_.memberCount(); ++k)
    addBoth(firstMember_ + k, firstClass_ + out_.find(out_.firstMember_ + k));
}

void PointsToFunctions::propagate() {
  while (!open_.empty()) {
    auto [node, f] = open_.back();
    open_.pop_back();
    for (size_t k = 0; k < edges_[node].size(); ++k) add(edges_[node][k], f);
    auto it = uses_.find(node);
    if (it == uses_.end()) continue;
    for (const Use& u : it->second) {
      image_ = u.image, function_ = u.function, m_ = linked_.images()[u.image];
      const Instruction& call = m_->instructions[u.local];
      bool isMany = f == kMany;
      if (!isMany && !u.isCallback && linked_.body(f).argumentCount > call.operandCount - 1u) continue;
      targets_[uint64_t(u.image) << 32 | u.local].push_back(f);
      if (!isMany) bind(f, call);
    }
  }
}

} // namespace faultline::fir

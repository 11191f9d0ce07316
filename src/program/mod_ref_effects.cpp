// What blocks, functions and whatever they call may write.
#include "program/mod_ref.h"

namespace faultline::fir {

void ModRef::Effects::addCallee(const Effects& callee) {
  accesses.insert(callee.accesses);
  unknownOutside |= callee.unknownOutside;
  isNoted |= callee.isNoted;
}

// Without what called functions do.
void ModRef::addEffects(uint32_t image, uint32_t local, Effects& to) const {
  const Image& m = *linked_.images()[image];
  const Instruction& i = m.instructions[local];
  switch (i.op) {
  case Op::StoreVar:
    for (uint32_t k = 0; k < m.types[i.type].words; ++k)
      to.words.insert(operandIndex(m.operandsOf(i)[0]) + k);
    return;
  case Op::Store:
  case Op::AtomicRMW:
  case Op::CmpXchg:
  case Op::Copy:
  case Op::Fill:
  case Op::VaStart:
  case Op::VaCopy:
    if (accessOf(image, local) != kNone) to.accesses.insert(accessOf(image, local));
    return;
  case Op::Call: {
    auto it = outside_[image].find(local);
    if (it == outside_[image].end()) return;
    for (uint32_t access : it->second.accesses) to.accesses.insert(access);
    to.unknownOutside |= it->second.isUnknown;
    to.isNoted |= it->second.isNoted;
    return;
  }
  default:
    return;
  }
}

// Functions that call each other have the same effects on memory.
void ModRef::summarise() {
  effects_.resize(linked_.functionCount());
  for (const std::vector<uint32_t>& group : calls_.groups()) {
    Effects memory;
    for (uint32_t f : group) {
      const Function& body = linked_.body(f);
      for (uint32_t k = 0; k < body.instructionCount; ++k)
        addEffects(linked_.function(f).image, body.firstInstruction + k, effects_[f]);
      memory.addCallee(effects_[f]);
      for (uint32_t callee : calls_.callees(f)) memory.addCallee(effects_[callee]);
    }
    for (uint32_t f : group) effects_[f].addCallee(memory);
  }
}

const ModRef::Effects& ModRef::functionEffects(uint32_t image, uint32_t function) const {
  return effects_[linked_.functionNumber(image, function)];
}

const ModRef::Effects& ModRef::regionEffects(uint32_t image, uint32_t function, uint32_t block,
                                             uint32_t successor) const {
  uint32_t number = linked_.functionNumber(image, function);
  std::unique_ptr<Effects>& known = regions_[{number, block, successor}];
  if (known) return *known;
  known = std::make_unique<Effects>();
  const Image& m = *linked_.images()[image];
  const Function& body = m.functions[function];
  std::unique_ptr<ControlDependence>& control = control_[number];
  if (!control) control = std::make_unique<ControlDependence>(m, body);
  std::vector<uint32_t> region = control->region(block, successor);
  std::vector<bool> alive = goesOn(number, *control, region, control->immediatePostDominator(block));
  for (uint32_t b : region) {
    const Block& code = m.blocksOf(body)[b];
    Effects all;
    for (uint32_t k = 0; k < code.count; ++k) {
      uint32_t local = code.first + k;
      addEffects(image, local, all);
      if (m.instructions[local].op != Op::Call) continue;
      for (uint32_t callee : pointsTo_.callees(image, local)) all.addCallee(effects_[callee]);
    }
    known->isNoted |= all.isNoted;
    if (!alive[b]) continue;
    known->words.insert(all.words);
    known->addCallee(all);
  }
  return *known;
}

// By block: whether a way leads from there out of the region, and not just to the program's end.
std::vector<bool> ModRef::goesOn(uint32_t function, const ControlDependence& control,
                                 std::span<const uint32_t> region, uint32_t end) const {
  const Image& m = *linked_.images()[linked_.function(function).image];
  auto blocks = m.blocksOf(linked_.body(function));
  std::vector<bool> alive(blocks.size()), isDead(blocks.size());
  for (uint32_t b : region) isDead[b] = noReturn_.isDeadEnd(function, b);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b : region) {
      if (alive[b] || isDead[b]) continue;
      bool leaves = control.successors(b).empty(); // a return, a throw
      for (uint32_t next : control.successors(b)) leaves = leaves || next == end || alive[next];
      if (leaves) alive[b] = changed = true;
    }
  }
  return alive;
}

} // namespace faultline::fir

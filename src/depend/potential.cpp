#include "depend/potential.h"

#include "replay/output_call.h"

#include <algorithm>

namespace faultline::depend {

namespace {

std::vector<const fir::Image*> imagesOf(const replay::Program& program) {
  std::vector<const fir::Image*> images;
  for (const auto& module : program.modules()) images.push_back(module->image);
  return images;
}

} // namespace

Potential::Potential(History& history)
    : history_(history),
      modRef_(imagesOf(history.replay().program()), fir::ModRef::Rule::None,
              [](std::string_view name) { return replay::outputFunction(name) != nullptr; }) {}

// What the instruction reads: its own access, the source of a copy, or, of a call, what its arguments point
// to.
std::vector<uint32_t> Potential::accessesOf(uint32_t id) {
  std::vector<uint32_t> found;
  RunCode::Where at = history_.code().where(id);
  if (!at) return found;
  const fir::Instruction& i = at.module->image->instructions[at.local];
  auto add = [&](uint32_t access) {
    if (access != fir::kNone) found.push_back(access);
  };
  uint32_t module = at.module->number;
  if (i.op == fir::Op::Call) {
    for (uint32_t k = 0; k + 1 < i.operandCount; ++k) add(modRef_.argumentAccessOf(module, at.local, k));
  } else if (i.op == fir::Op::Copy || i.op == fir::Op::VaCopy) {
    add(modRef_.sourceAccessOf(module, at.local));
  } else {
    add(modRef_.accessOf(module, at.local));
  }
  return found;
}

void Potential::onWanted(uint32_t node, uint32_t id, bool wanted) {
  auto [it, added] = byId_.try_emplace(id);
  if (added) it->second = accessesOf(id);
  for (uint32_t access : it->second) {
    Wanted& w = wanted_[access];
    uint32_t before = w.count;
    w.count = wanted ? w.count + 1 : w.count ? w.count - 1 : 0;
    if (wanted) w.node = node;
    if ((before == 0) != (w.count == 0)) isStale_ = true;
  }
}

void Potential::refresh() {
  reachable_ = fir::DynamicBitset();
  for (auto& [access, w] : wanted_)
    if (w.count) reachable_.insert(modRef_.aliases(access));
  isStale_ = false;
}

const fir::ModRef::Effects& Potential::region(const SegmentCode& branch, uint32_t successor) {
  uint64_t key = uint64_t(branch.firstId) << 20 ^ successor;
  auto [it, added] = regions_.try_emplace(key);
  if (added) it->second = &modRef_.regionEffects(branch.module, branch.function, branch.block, successor);
  return *it->second;
}

Wanter Potential::mayHaveChanged(const SegmentCode& branch, uint32_t taken, const FrameWants& frame) {
  for (uint32_t successor : frame.code().control->successors(branch.block)) {
    if (successor == taken) continue;
    const fir::ModRef::Effects& effects = region(branch, successor);
    if (frame.count()) {
      std::span<const uint64_t> live = frame.live();
      Wanter who = kNobody;
      effects.words.forEach([&](uint32_t word) {
        if (who == kNobody && live[word / 64] >> word % 64 & 1) who = frame.wanterOf(word);
      });
      if (who != kNobody) return who;
    }
    if (wanted_.empty()) continue;
    if (isStale_) refresh();
    if (!effects.accesses.intersects(reachable_)) continue;
    for (auto& [access, w] : wanted_)
      if (w.count && effects.accesses.intersects(modRef_.aliases(access)))
        return makeWanter(w.node, Why::Value);
  }
  return kNobody;
}

bool Potential::mayHavePrinted(const SegmentCode& branch, uint32_t taken, const FrameWants& frame) {
  for (uint32_t successor : frame.code().control->successors(branch.block))
    if (successor != taken && region(branch, successor).isNoted) return true;
  return false;
}

} // namespace faultline::depend

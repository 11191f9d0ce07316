// What follows from members being parts of objects.
#include "program/points_to_solver.h"

#include <algorithm>

namespace faultline::fir {

bool PointsToSolver::resolve() {
  uint64_t before = joins_;
  if (areTargetsKnown_) resolveKnownCalls();
  resolvePointerCalls();
  resolveCallbacks();
  joinParts();
  joinContainers();
  return joins_ != before;
}

// Pointers in a record that is used as two types are the same pointers where both types begin alike; those
// at its very start also without naming any member; those in a union in any case.
void PointsToSolver::joinParts() {
  for (Part& p : parts_) p.container = out_.find(p.container);
  std::sort(parts_.begin(), parts_.end());
  parts_.erase(std::unique(parts_.begin(), parts_.end()), parts_.end());
  std::unordered_map<uint64_t, uint32_t> alike; // class and prefix -> member
  for (const Part& p : parts_) {
    const MemberKey& key = linked_.key(p.member);
    if (key.bytes < 8) continue;
    uint32_t container = out_.find(p.container), own = out_.firstMember_ + p.member;
    if (key.offset == 0 || out_.isUnion_[container]) flowNodes(container, own);
    auto [it, added] = alike.try_emplace(key.prefix ^ (uint64_t(container) * 0x9e3779b97f4a7c15u), own);
    if (!added) flowNodes(it->second, own);
  }
}

// From a pointer to a member back to the record: both are one then.
void PointsToSolver::joinContainers() {
  std::vector<bool> isSteppedBack(out_.parent_.size());
  for (uint32_t c : steppedBack_) isSteppedBack[out_.find(c)] = true;
  for (const Part& p : parts_) {
    uint32_t own = out_.find(out_.firstMember_ + p.member);
    if (own < isSteppedBack.size() && isSteppedBack[own]) join(p.container, own);
  }
}

void PointsToSolver::describeClasses() {
  out_.functions_.clear();
  out_.containers_.clear();
  for (uint32_t object = 0; object < linked_.objectCount(); ++object)
    if (uint32_t f = linked_.functionOf(object); f != kNone)
      out_.functions_[out_.find(out_.firstObject_ + object)].push_back(f);
  for (const Part& p : parts_) {
    uint32_t own = out_.find(out_.firstMember_ + p.member), container = out_.find(p.container);
    if (own != container) out_.containers_[own].push_back(container);
  }
  for (auto& [own, list] : out_.containers_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

} // namespace faultline::fir

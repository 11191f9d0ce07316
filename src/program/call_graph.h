// Who calls whom, calls by pointer and callbacks that outside code was given included, and the groups of
// functions that call each other.
#pragma once

#include "program/points_to.h"

namespace faultline::fir {

class CallGraph {
public:
  CallGraph(const Linked& linked, const PointsTo& pointsTo);

  // Functions are numbered as in Linked.
  std::span<const uint32_t> callees(uint32_t function) const { return callees_[function]; }
  // Groups of functions that may call each other, those that are called before their callers.
  std::span<const std::vector<uint32_t>> groups() const { return groups_; }

private:
  void findGroups();
  std::vector<std::vector<uint32_t>> callees_, groups_;
};

} // namespace faultline::fir

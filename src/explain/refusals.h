// Who refused, and who only passed that on, where a run ended by itself: with the wrong status, or the wrong
// words.
//
//   if (value > 99) return 0;          refuses
//   if (!inRange(value)) return -1;    only asks; so do its callers, up to the one that sets the status
//
// Each of these decisions repairs the run if it is taken the other way, and the outermost says least.
#pragma once

#include "explain/fuse.h"

#include <set>
#include <span>

namespace faultline::explain {

using SourceLine = std::pair<std::string, uint32_t>;

class Refusals {
public:
  explicit Refusals(const Found& found);

  // A decision that only asks what a call gave back, or what is set because of one.
  bool isAsking(const finding::Place& place) const { return asking_.contains({place.file, place.line}); }
  // How far a run strays that is not refused here says nothing: it has yet to do what it was there for.
  bool isRefusal(const finding::CriticalDecision& decision) const;

private:
  std::set<SourceLine> asking() const;
  bool isPossible() const { return found_.isStatus || found_.knowsOutput; }
  std::span<const finding::CriticalDecision> decisions() const;
  const finding::CriticalDecision* lastThatRepairs() const;
  bool isDecidedElsewhere(const Chosen& chosen) const;
  const finding::CriticalDecision* thrower() const;

  const Found& found_;
  std::set<SourceLine> asking_;
  const finding::CriticalDecision* thrower_ = nullptr;
};

} // namespace faultline::explain

// Potential dependence: a branch that, decided the other way, may have redefined what was used later. The
// walk asks at every branch that it has not taken in for another reason; what the side that was not taken may
// write comes from mod-ref analysis (program/mod_ref.h).
//
//   if (n > limit) cap = n;  ... use(cap)      n was not greater, and should have been: the fault is in no
//                                              ordinary slice, since the assignment was never executed
#pragma once

#include "depend/backward_walk.h"
#include "depend/history.h"
#include "program/mod_ref.h"

namespace faultline::depend {

class Potential : public Alternatives {
public:
  // Of the modules that the run has loaded.
  explicit Potential(History& history);

  void onWanted(uint32_t node, uint32_t id, bool wanted) override;
  Wanter mayHaveChanged(const SegmentCode& branch, uint32_t taken, const FrameWants& frame) override;
  bool mayHavePrinted(const SegmentCode& branch, uint32_t taken, const FrameWants& frame) override;

private:
  std::vector<uint32_t> accessesOf(uint32_t id);
  const fir::ModRef::Effects& region(const SegmentCode& branch, uint32_t successor);
  void refresh();

  History& history_;
  fir::ModRef modRef_;
  struct Wanted {
    uint32_t count = 0;
    uint32_t node = kNoConsumer;
  };
  std::unordered_map<uint32_t, Wanted> wanted_;              // by access id
  std::unordered_map<uint32_t, std::vector<uint32_t>> byId_; // access ids of an instruction
  std::unordered_map<uint64_t, const fir::ModRef::Effects*> regions_;
  fir::DynamicBitset reachable_; // by access id: may touch something wanted
  bool isStale_ = true;
};

} // namespace faultline::depend

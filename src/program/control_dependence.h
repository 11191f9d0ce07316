// Which branches decide whether a block is executed (Ferrante, Ottenstein and Warren, by post-dominance).
//
//   b0: if (x) b1 else b2     b1: ... -> b2     b2: ...       b1 depends on b0; b0 and b2 on nothing: they
//                                                             run whenever the function is called
//
// That a call may throw makes no branch of it for the code behind it: else everything would depend on every
// call before it. The code of a landing pad does depend on the calls that lead there.
#pragma once

#include "program/image.h"

namespace faultline::fir {

class ControlDependence {
public:
  ControlDependence(const Image& image, const Function& function);

  // Blocks whose last instruction decides whether `block` is executed. None: the call of the function does.
  std::span<const uint32_t> parents(uint32_t block) const { return parents_[block]; }
  // The other way round: blocks that depend on the branch that ends `block`.
  std::span<const uint32_t> dependents(uint32_t block) const { return dependents_[block]; }
  // The first block that is executed whichever way `block` branches; kNone: none, the function ends.
  uint32_t immediatePostDominator(uint32_t block) const { return postDominator_[block]; }
  // Blocks that may be executed after `block` has gone to `successor` and before its post-dominator.
  std::vector<uint32_t> region(uint32_t block, uint32_t successor) const;
  std::span<const uint32_t> successors(uint32_t block) const { return successors_[block]; }

private:
  std::vector<std::vector<uint32_t>> successors_, parents_, dependents_;
  std::vector<uint32_t> postDominator_;
};

} // namespace faultline::fir

#include "depend/frame_wants.h"

namespace faultline::depend {

FrameWants::FrameWants(const FunctionCode& code) : code_(&code), live_((code.words + 63) / 64 + 1) {}

void FrameWants::wait(uint32_t block, Wanter who) {
  if (code_->control->parents(block).empty()) {
    if (entry == kNobody) entry = who;
    return;
  }
  if (waits_.empty()) waits_.assign(code_->blocks, kNobody);
  if (waits_[block] != kNobody) return;
  waits_[block] = who;
  ++waiting_;
}

Wanter FrameWants::decide(uint32_t block) {
  Wanter found = kNobody;
  if (!waiting_) return found;
  for (uint32_t b : code_->control->dependents(block)) {
    if (waits_[b] == kNobody) continue;
    if (found == kNobody) found = waits_[b];
    waits_[b] = kNobody;
    --waiting_;
  }
  return found;
}

bool FrameWants::isAwaited(uint32_t block) const {
  if (!waiting_) return false;
  for (uint32_t b : code_->control->dependents(block))
    if (waits_[b] != kNobody) return true;
  return false;
}

} // namespace faultline::depend

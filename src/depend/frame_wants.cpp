#include "depend/frame_wants.h"

#include <bit>

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

bool FrameWants::isPlain() const {
  return !call.isPending && callback == kNobody && outside == kNoConsumer && landing == kNobody &&
         landed == kNoConsumer && !variadic && handedOn.empty() && !isStopped;
}

namespace {

uint64_t mixed(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

template <class Visit> void forEachBit(std::span<const uint64_t> words, Visit&& visit) {
  for (uint32_t k = 0; k < words.size(); ++k)
    for (uint64_t bits = words[k]; bits; bits &= bits - 1) visit(k * 64 + uint32_t(std::countr_zero(bits)));
}

} // namespace

bool FrameWants::isSame(const FrameWants& other) const {
  bool same = code_ == other.code_ && live_ == other.live_ && waiting_ == other.waiting_ &&
              entry == other.entry && edge == other.edge && phis == other.phis &&
              resultWanter == other.resultWanter && (resultWanter == kNobody || result == other.result) &&
              (waiting_ == 0 || waits_ == other.waits_);
  if (!same) return false;
  forEachBit(live_, [&](uint32_t w) { same &= mask_[w] == other.mask_[w] && who_[w] == other.who_[w]; });
  return same;
}

uint64_t FrameWants::hash() const {
  uint64_t h = mixed(reinterpret_cast<uintptr_t>(code_), uint64_t(entry) << 32 | edge);
  forEachBit(live_, [&](uint32_t w) { h = mixed(mixed(h, uint64_t(who_[w]) << 32 | w), mask_[w]); });
  h = mixed(h, uint64_t(resultWanter) << 32 | waiting_);
  for (uint32_t b = 0; waiting_ && b < waits_.size(); ++b)
    if (waits_[b] != kNobody) h = mixed(h, uint64_t(waits_[b]) << 32 | b);
  for (const PendingPhi& phi : phis) h = mixed(h, uint64_t(phi.node) << 32 | phi.step);
  return h;
}

void FrameWants::describe(const std::function<void(uint64_t, uint64_t)>& add, bool withEntry) const {
  add(uint64_t(code_->module) << 32 | code_->function,
      uint64_t(count_) << 32 | waiting_ << 3 | unsigned(withEntry && entry != kNobody) << 2 |
          unsigned(edge != kNobody) << 1 | unsigned(resultWanter != kNobody));
  forEachBit(live_, [&](uint32_t w) { add(w, mask_[w]); });
  for (uint32_t b = 0; waiting_ && b < waits_.size(); ++b)
    if (waits_[b] != kNobody) add(b, 1);
  for (const PendingPhi& phi : phis) {
    add(uint64_t(phi.segment->firstId) << 32 | phi.step, phis.size());
    add(phi.mask[0], phi.mask[1]);
  }
  if (resultWanter == kNobody) return;
  for (uint64_t mask : result) add(result.size(), mask);
}

size_t FrameWants::bytes() const {
  return live_.size() * 8 + mask_.size() * 8 + who_.size() * 4 + waits_.size() * 4 + result.size() * 8;
}

} // namespace faultline::depend

#include "technique/changes/first_epochs.h"

namespace faultline::technique {
namespace {

// To go to each of them in a long run would take too long: of what was executed earlier than that before the
// end, where its window begins will do.
constexpr uint64_t kNear = 20'000'000;          // instructions
constexpr uint64_t kOutOfSight = 1'000'000'000; // so long a run is not walked at all

} // namespace

Result<FirstEpochs> FirstEpochs::of(depend::History& history, uint64_t end) {
  FirstEpochs out(history);
  if (end > kOutOfSight) return out;
  FL_CHECK(history.backwards(end, [&](const depend::Window& window) {
    std::unordered_map<uint32_t, uint64_t> here;
    uint64_t time = window.trace.start;
    for (uint32_t event : window.trace.events) {
      uint32_t number = replay::eventNumber(event);
      if (replay::eventKind(event) == replay::TraceEvent::Segment) {
        const depend::SegmentCode& s = history.code().segment(number);
        here.try_emplace(s.firstId, time);
        time += s.count;
      } else if (replay::eventKind(event) == replay::TraceEvent::Other) {
        const replay::TraceOther& other = window.trace.others[number];
        if (other.kind != replay::TraceOther::Part) continue;
        here.try_emplace(history.code().segment(other.segment).firstId, time);
        time += other.count;
      }
    }
    for (auto& [segment, first] : here) {
      out.times_[segment] = first; // windows come from the last to the first
      if (first + kNear < end) out.epochs_[segment] = std::max<uint64_t>(1, window.epoch);
    }
    return true;
  }));
  if (history.wasStopped()) out.times_.clear(); // what was seen last need not be the first
  return out;
}

Result<uint64_t> FirstEpochs::before(uint32_t id) {
  uint32_t segment = history_->code().segmentOf(id).firstId;
  auto time = times_.find(segment);
  if (time == times_.end()) return 1;
  auto known = epochs_.find(segment);
  if (known != epochs_.end()) return known->second;
  FL_CHECK(history_->replay().seek(time->second));
  uint64_t epoch = std::max<uint64_t>(1, history_->replay().current().epoch);
  epochs_[segment] = epoch;
  return epoch;
}

bool FirstEpochs::wasExecuted(uint32_t id) {
  return times_.empty() || times_.contains(history_->code().segmentOf(id).firstId);
}

} // namespace faultline::technique

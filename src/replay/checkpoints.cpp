#include "replay/checkpoints.h"

#include <algorithm>

namespace faultline::replay {

constexpr uint64_t kFewBytes = 4 << 20; // copied at once

Checkpoints::Checkpoints(const ReplayOptions& options)
    : options_(options), interval_(std::max<uint64_t>(options.checkpointInterval, 1)) {
  if (options.side) file_ = CheckpointFile::open(*options.side);
  if (!file_ || file_->states().empty()) return;
  keptUntil_ = file_->states().back().time;
  keptEnd_ = file_->ended();
}

void Checkpoints::add(Engine& engine) {
  const Engine::State* before = made_.empty() ? nullptr : &made_.rbegin()->second;
  made_.emplace(engine.steps(), engine.save(before));
  // Pages that are written to after a checkpoint are copied. Where that is more work than the instructions
  // in between, checkpoints are too near to each other.
  uint64_t used = engine.memory().bytesInUse(), copied = used - std::min(used, usedBefore_);
  usedBefore_ = used;
  if (made_.size() > 2 && copied > 2 * interval_ + kFewBytes) interval_ *= 2;
  while (made_.size() > 2 && (made_.size() > options_.checkpointCount ||
                              engine.memory().bytesInUse() > options_.checkpointBytes)) {
    size_t count = made_.size();
    thinOut();
    if (made_.size() == count) break;
  }
}

void Checkpoints::thinOut() {
  interval_ *= 2;
  Time last = made_.begin()->first; // the first one stays
  for (auto it = std::next(made_.begin()); it != made_.end();) {
    if (it->first - last < interval_ && std::next(it) != made_.end()) {
      it = made_.erase(it);
    } else {
      last = it->first;
      ++it;
    }
  }
}

void Checkpoints::addEnd(Engine& engine) {
  if (!end_) end_ = engine.save(made_.empty() ? nullptr : &made_.rbegin()->second);
}

Result<bool> Checkpoints::restoreFromFile(Engine& engine, size_t number) {
  auto state = file_->load(number, engine);
  if (!state || !engine.restore(*state)) {
    file_.reset(); // it stays there, and is replaced when this process has something to leave
    keptUntil_ = 0;
    keptEnd_ = false;
    return false;
  }
  if (state->ending.kind != Ending::None)
    end_ = std::move(*state);
  else
    made_.emplace(state->steps, std::move(*state));
  return true;
}

Result<void> Checkpoints::approach(Engine& engine, Time t) {
  bool ended = engine.ending().kind != Ending::None;
  if (ended && t >= engine.steps()) return {};
  // The end is a state of its own: at the same time stands the instruction that failed, not yet executed.
  if (end_ && t > end_->steps) return engine.restore(*end_);
  std::optional<Time> reached; // by the engine as it is
  if (!ended && engine.steps() <= t) reached = engine.steps();
  auto after = made_.upper_bound(t);
  auto best = after == made_.begin() ? made_.end() : std::prev(after);
  std::optional<Time> made;
  if (best != made_.end()) made = best->first;
  if (file_) {
    auto states = file_->states();
    size_t k = states.size();
    while (k > 0 && (states[k - 1].time > t || (states[k - 1].ended && states[k - 1].time == t))) --k;
    if (k > 0 && (!made || states[k - 1].time > *made || states[k - 1].ended) &&
        (!reached || states[k - 1].time > *reached || states[k - 1].ended)) {
      FL_TRY(done, restoreFromFile(engine, k - 1));
      if (done) return {};
    }
  }
  if (!made || (reached && *reached >= *made)) return {};
  return engine.restore(best->second);
}

Time Checkpoints::lastBefore(Time t) const {
  auto after = made_.upper_bound(t);
  Time last = after == made_.begin() ? 0 : std::prev(after)->first;
  if (file_)
    for (const KeptState& state : file_->states())
      if (state.time <= t && !state.ended) last = std::max(last, state.time);
  return last;
}

Result<void> Checkpoints::approachEpoch(Engine& engine, uint64_t epoch) {
  // Epochs grow with time, so it is enough to find the time.
  Time t = made_.empty() ? 0 : made_.begin()->first;
  for (auto& [time, state] : made_)
    if (state.epoch < epoch) t = std::max(t, time);
  if (file_)
    for (const KeptState& state : file_->states())
      if (state.epoch < epoch && !state.ended) t = std::max(t, state.time);
  bool ended = engine.ending().kind != Ending::None;
  if (!ended && engine.epoch() < epoch && engine.steps() >= t) return {};
  return approach(engine, t);
}

bool Checkpoints::leadsFurther() const {
  if (made_.empty()) return false;
  if (end_ && !keptEnd_) return end_->steps >= options_.keepFrom;
  Time reached = made_.rbegin()->first;
  return !keptEnd_ && reached >= options_.keepFrom && reached / 4 * 3 > keptUntil_;
}

void Checkpoints::keep(Engine& engine) {
  if (!options_.side || !leadsFurther() || engine.divergence()) return;
  try {
    // What the file has, this process may not have come by.
    for (size_t k = 0; file_ && k < file_->states().size(); ++k) {
      auto state = file_->load(k, engine);
      if (!state) break;
      if (state->ending.kind == Ending::None) made_.emplace(state->steps, std::move(*state));
    }
    std::vector<const Engine::State*> states;
    for (auto& [time, state] : made_) states.push_back(&state);
    if (end_) states.push_back(&*end_);
    (void)CheckpointFile::write(*options_.side, engine, states);
  } catch (const std::bad_alloc&) {
    // Then there are none.
  }
}

} // namespace faultline::replay

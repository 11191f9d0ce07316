// The part of the walk that ends as an earlier one did (walk_ends.h).
#include "depend/backward_walk.h"

#include <xxhash.h>

namespace faultline::depend {

namespace {

class Digest {
public:
  void add(uint64_t a, uint64_t b) { words_.insert(words_.end(), {a, b}); }
  WantsDigest done() const {
    XXH128_hash_t hash = XXH3_128bits(words_.data(), words_.size() * sizeof words_[0]);
    return {hash.low64, hash.high64};
  }

private:
  std::vector<uint64_t> words_;
};

} // namespace

// Nothing: something is under way that is not worth to be described.
std::optional<WantsDigest> BackwardWalk::digest() const {
  Digest out;
  auto add = [&](uint64_t a, uint64_t b) { out.add(a, b); };
  out.add(time_, uint64_t(threadNumber_) << 32 | unsigned(options_.addresses) << 2 |
                     unsigned(options_.control) << 1 | unsigned(options_.values));
  for (auto& [number, thread] : threads_) {
    if (thread.hasCallee || thread.knownCall || thread.thrown != kNobody || thread.isAtStart)
      return std::nullopt;
    out.add(uint64_t(number) << 32 | unsigned(thread.isRootPending) << 1 | (thread.root != kNobody),
            thread.stack.size());
    for (const WalkFrame& frame : thread.stack) {
      if (!frame.wants().isPlain()) return std::nullopt;
      // Why the first function of all was entered has no answer within the run.
      bool isFirst = number == 0 && &frame == &thread.stack.front();
      frame.wants().describe(add, !isFirst);
    }
  }
  auto addMemory = [&](const WantedMemory& memory) {
    out.add(~uint64_t(0), 0);
    memory.forEach([&](uint64_t address, uint64_t mask, Wanter) { out.add(address, mask); });
  };
  addMemory(memory_);
  addMemory(blamed_);
  return out.done();
}

void BackwardWalk::atWindowStart() {
  if (!ends_ || !options_.repeats || !mayRepeat() || position_ || isDone()) return;
  bool remember = ends_->isWorthIt(time_, ++windowsCounted_);
  if (!remember && !ends_->hasAt(time_)) return;
  std::optional<WantsDigest> wants = digest();
  if (!wants) return;
  countRepeated();
  if (const WalkEnd* end = ends_->find(time_, *wants); end && join(*end)) return;
  if (!remember) return;
  Mark mark{time_, *wants, slice_.nodes.size(), slice_.leaves.size(), {}, slice_.blackBoxes};
  for (const InstructionCount& count : counts_) mark.instances.push_back(count.instances);
  marks_.push_back(std::move(mark));
}

// The node here of who needed something there.
std::optional<uint32_t> BackwardWalk::nodeFor(const WalkEnd::Consumer& consumer,
                                              const std::unordered_map<uint64_t, uint32_t>& at) const {
  if (consumer.id == kNoConsumer) return kNoConsumer;
  if (auto it = at.find(consumer.time); it != at.end() && slice_.nodes[it->second].id == consumer.id)
    return it->second;
  if (consumer.id < counts_.size() && counts_[consumer.id].node != kNoConsumer)
    return counts_[consumer.id].node;
  return std::nullopt;
}

// Takes the rest from an earlier walk. False: that one had met instructions before that this one has not.
bool BackwardWalk::join(const WalkEnd& end) {
  std::unordered_map<uint64_t, uint32_t> at;
  for (const WalkEnd::First& f : end.firsts) at.emplace(f.consumer.time, kNoConsumer);
  for (const WalkEnd::LeafAt& l : end.leaves) at.emplace(l.consumer.time, kNoConsumer);
  auto note = [&](uint32_t node) {
    if (auto it = at.find(slice_.nodes[node].time); it != at.end() && it->second == kNoConsumer)
      it->second = node;
  };
  for (uint32_t k = 0; k < slice_.nodes.size(); ++k) note(k);
  std::erase_if(at, [](auto& entry) { return entry.second == kNoConsumer; });

  std::vector<uint32_t> added;
  auto undo = [&] {
    for (uint32_t id : added) counts_[id].node = kNoConsumer;
    slice_.nodes.resize(slice_.nodes.size() - added.size());
    return false;
  };
  for (const WalkEnd::First& f : end.firsts) {
    if (f.id >= counts_.size()) counts_.resize(f.id + 1);
    if (counts_[f.id].node != kNoConsumer) continue;
    auto consumer = nodeFor(f.consumer, at);
    if (!consumer) return undo();
    counts_[f.id].node = uint32_t(slice_.nodes.size());
    added.push_back(f.id);
    slice_.nodes.push_back({f.time, f.id, *consumer, f.why, f.thread});
    at.emplace(f.time, counts_[f.id].node);
  }
  for (auto [id, count] : end.instances)
    if (id >= counts_.size() || counts_[id].node == kNoConsumer) return undo();
  std::vector<uint32_t> consumers;
  for (const WalkEnd::LeafAt& l : end.leaves) {
    auto consumer = nodeFor(l.consumer, at);
    if (!consumer) return undo();
    consumers.push_back(*consumer);
  }
  for (size_t k = 0; k < end.leaves.size(); ++k) {
    slice_.leaves.push_back(end.leaves[k].leaf);
    slice_.leaves.back().consumer = consumers[k];
  }
  for (auto [id, count] : end.instances) counts_[id].instances += count;
  for (auto& [name, count] : end.blackBoxes) slice_.blackBoxes[name] += count;
  slice_.hasAllNodes = false;
  slice_.walked += time_ - end.start;
  slice_.joined = time_ - end.start;
  time_ = end.start;
  hasJoined_ = true;
  return true;
}

// For the walks to come.
void BackwardWalk::rememberEnds() const {
  constexpr size_t kMostLeaves = 100'000;
  auto consumerOf = [&](uint32_t node) -> WalkEnd::Consumer {
    if (node == kNoConsumer) return {};
    return {slice_.nodes[node].time, slice_.nodes[node].id};
  };
  for (const Mark& mark : marks_) {
    if (slice_.leaves.size() - mark.leaves > kMostLeaves) continue;
    WalkEnd end{.time = mark.time, .wants = mark.wants, .start = time_};
    for (uint32_t id = 0; id < counts_.size(); ++id) {
      uint64_t then = id < mark.instances.size() ? mark.instances[id] : 0;
      if (counts_[id].instances > then) end.instances.push_back({id, counts_[id].instances - then});
    }
    for (size_t k = mark.nodes; k < slice_.nodes.size(); ++k) {
      const Node& n = slice_.nodes[k];
      end.firsts.push_back({n.time, n.id, n.thread, n.why, consumerOf(n.consumer)});
    }
    for (size_t k = mark.leaves; k < slice_.leaves.size(); ++k)
      end.leaves.push_back({slice_.leaves[k], consumerOf(slice_.leaves[k].consumer)});
    for (auto& [name, count] : slice_.blackBoxes) {
      auto then = mark.blackBoxes.find(name);
      uint64_t more = count - (then == mark.blackBoxes.end() ? 0 : then->second);
      if (more) end.blackBoxes.push_back({name, more});
    }
    ends_->add(std::move(end));
  }
}

} // namespace faultline::depend

#include "replay/endless_loop.h"

#include "program/loops.h"

#include <algorithm>
#include <map>

namespace faultline::replay {
namespace {

// Follows one activation through its blocks.
class Follower : public Observer {
public:
  Follower(const FrameView& frame, size_t depth, uint64_t since)
      : image_(*frame.image), function_(image_.functions[frame.function]), loops_(image_, function_),
        depth_(depth), since_(since), states_(loops_.all().size()), lastTime_(function_.blockCount, kNever),
        starts_(function_.instructionCount, fir::kNone), ends_(function_.instructionCount, fir::kNone) {
    std::span<const fir::Block> blocks = image_.blocksOf(function_);
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      if (blocks[b].count == 0) continue;
      starts_[blocks[b].first - function_.firstInstruction] = b;
      ends_[blocks[b].first + blocks[b].count - 1 - function_.firstInstruction] = b;
    }
  }

  // `active`: frames at the start. If the activation is among them, where it stands.
  void begin(size_t active, std::optional<uint32_t> instruction) {
    active_ = active;
    if (!instruction) return;
    block_ = blockOf(*instruction);
    for (uint32_t l = loops_.of(block_); l != fir::kNone; l = loops_.all()[l].outer) states_[l] = {};
  }

  void onInstruction(const Instance& instance, std::span<const uint64_t>) override {
    note(instance);
    if (active_ != depth_) return;
    const uint32_t at = instance.local - function_.firstInstruction;
    if (at >= starts_.size()) return;
    if (starts_[at] != fir::kNone) enter(starts_[at], instance);
    if (ends_[at] != fir::kNone) lastTime_[ends_[at]] = instance.time;
  }
  void onCall(const DecodedFunction&, bool) override { ++active_; }
  void onReturn() override { --active_; }
  void onUnwind() override { --active_; }

  void describe(EndlessLoop& out) const {
    out.entered = out.settled = blockEntered_;
    if (block_ == fir::kNone) return;
    for (uint32_t l = loops_.of(block_); l != fir::kNone; l = loops_.all()[l].outer) {
      const State& s = states_[l];
      if (s.entered > since_ || s.roundsSince < kLeastRounds) continue;
      out.isLoop = true;
      out.header = loops_.all()[l].header;
      out.entered = out.settled = s.entered;
      out.settled = std::max(settledAfter(s), out.entered);
      out.rounds = s.rounds;
      out.roundsSince = s.roundsSince;
      out.test = testOf(loops_.all()[l]);
      return;
    }
  }

private:
  static constexpr uint64_t kLeastRounds = 2;
  struct State {
    uint64_t entered = 0, rounds = 0, roundsSince = 0;
    Time round = kNever;                // when the present one began
    std::map<Time, uint64_t> lengths{}; // of rounds, in instructions: the last epoch that ended such a one
  };

  void note(const Instance& instance) {
    if (instance.module->number >= last_.size()) last_.resize(instance.module->number + 1);
    std::vector<uint64_t>& epochs = last_[instance.module->number];
    if (epochs.empty()) epochs.resize(instance.module->image->instructions.size());
    epochs[instance.local] = instance.epoch;
  }

  uint64_t settledAfter(const State& s) const {
    constexpr size_t kFew = 16; // where each round is longer than the one before, lengths say nothing
    uint64_t settled = 0;
    auto add = [&](uint64_t epoch) {
      if (epoch <= since_) settled = std::max(settled, epoch);
    };
    for (const std::vector<uint64_t>& epochs : last_) std::ranges::for_each(epochs, add);
    auto isLate = [&](const auto& length) { return length.second > since_; };
    if (size_t(std::ranges::count_if(s.lengths, isLate)) <= kFew)
      for (auto [length, epoch] : s.lengths) add(epoch);
    return settled;
  }

  void endRound(State& s, const Instance& at) {
    constexpr size_t kMostLengths = 4096;
    if (s.round != kNever && s.lengths.size() < kMostLengths) s.lengths[at.time - s.round] = at.epoch;
    s.round = at.time;
  }

  uint32_t blockOf(uint32_t instruction) const {
    std::span<const fir::Block> blocks = image_.blocksOf(function_);
    for (uint32_t b = 0; b < blocks.size(); ++b)
      if (instruction >= blocks[b].first && instruction < blocks[b].first + blocks[b].count) return b;
    return fir::kNone;
  }

  void enter(uint32_t block, const Instance& at) {
    const uint64_t epoch = at.epoch;
    for (uint32_t l = loops_.of(block); l != fir::kNone; l = loops_.all()[l].outer) {
      if (block_ != fir::kNone && loops_.has(l, block_)) break; // and so it was in those around
      states_[l] = {.entered = epoch};
    }
    for (uint32_t l = loops_.of(block); l != fir::kNone; l = loops_.all()[l].outer) {
      if (loops_.all()[l].header != block) continue;
      ++states_[l].rounds;
      endRound(states_[l], at);
      if (epoch > since_) ++states_[l].roundsSince;
    }
    block_ = block;
    blockEntered_ = epoch;
  }

  bool decides(uint32_t block) const {
    const fir::Block& b = image_.blocksOf(function_)[block];
    const fir::Instruction& last = image_.instructions[b.first + b.count - 1];
    return last.op == fir::Op::CondBr || last.op == fir::Op::Switch;
  }

  // The loop's own condition, which stands in its first block or where its rounds end; else what else leaves
  // it, executed last. If nothing that leaves it was executed, what might have led there.
  std::optional<Time> testOf(const fir::Loops::Loop& loop) const {
    auto wasExecuted = [&](uint32_t b) { return decides(b) && lastTime_[b] != kNever; };
    auto latest = [&](const std::vector<uint32_t>& blocks) {
      std::optional<Time> found;
      for (uint32_t b : blocks)
        if (wasExecuted(b)) found = std::max(found.value_or(0), lastTime_[b]);
      return found;
    };
    if (std::ranges::binary_search(loop.leaving, loop.header) && wasExecuted(loop.header))
      return lastTime_[loop.header];
    if (auto leaves = latest(loop.leaving)) return leaves;
    return latest(loop.blocks);
  }

  const fir::Image& image_;
  const fir::Function& function_;
  fir::Loops loops_;
  size_t depth_;
  uint64_t since_;
  std::vector<State> states_;               // by loop
  std::vector<Time> lastTime_;              // by block: of its last instruction
  std::vector<std::vector<uint64_t>> last_; // by module and instruction: the epoch of its last execution
  std::vector<uint32_t> starts_, ends_;     // by instruction: the block that begins, or ends, there
  size_t active_ = 0;
  uint32_t block_ = fir::kNone;
  uint64_t blockEntered_ = 0;
};

} // namespace

Result<std::optional<EndlessLoop>> findEndlessLoop(Replay& replay, uint64_t since, uint64_t furthest) {
  const std::vector<FrameView> frames = replay.frames();
  auto lasting = std::ranges::find_if(frames, [&](const FrameView& f) { return f.entered < since; });
  if (lasting == frames.end() || lasting->function >= lasting->image->functions.size())
    return std::optional<EndlessLoop>();
  EndlessLoop out;
  out.frame = size_t(lasting - frames.begin());
  out.activation = lasting->entered;
  const size_t depth = frames.size() - out.frame; // frames, itself included
  const FrameView frame = *lasting;
  const Time end = replay.now();
  Follower follower(frame, depth, since);
  const Time from = std::max(end > furthest ? end - furthest : 0, replay.start());
  FL_CHECK(replay.seek(from));
  std::vector<FrameView> then = replay.frames();
  const bool isActive = then.size() >= depth && then[then.size() - depth].entered == frame.entered;
  if (isActive) {
    follower.begin(then.size(), then[then.size() - depth].instruction);
  } else {
    const LoadedModule& module = replay.program().module(frame.module);
    uint64_t entry = uint64_t(module.base) + frame.image->functions[frame.function].firstInstruction;
    FL_TRY(reached, replay.runToInstance(frame.entered + 1, entry));
    if (!reached) return errorf("the replay does not come to where the program was stopped");
    follower.begin(replay.frames().size(), std::nullopt);
  }
  FL_CHECK(replay.observe(follower));
  FL_CHECK(replay.runToEnd());
  follower.describe(out);
  return std::optional<EndlessLoop>(out);
}

} // namespace faultline::replay

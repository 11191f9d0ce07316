// The part of the walk that passes between functions, threads and the outside.
#include "depend/backward_walk.h"
#include "depend/bits.h"

#include <algorithm>
#include <utility>

namespace faultline::depend {

using replay::TraceOther;

namespace {
constexpr uint32_t kGeneral = 6, kFloating = 8, kStack = 64;
} // namespace

// The walk has come to the beginning of a function: what is still wanted there its call has to give.
void BackwardWalk::leaveFunction(FrameWants& frame) {
  thread_->dropCallee();
  CallWants& wants = thread_->callee;
  wants.control = frame.entry;
  for (uint32_t b = 0; wants.control == kNobody && frame.isWaiting() && b < frame.code().blocks; ++b)
    wants.control = frame.decide(b); // of code that no branch led to, as a jump into it did
  const auto& arguments = frame.code().arguments;
  for (uint32_t n = 0; n < arguments.size() && frame.count(); ++n)
    for (uint32_t j = 0; j < arguments[n].second; ++j) {
      Wanter who = kNobody;
      uint64_t mask = frame.take(arguments[n].first + j, who);
      if (mask) wants.arguments.push_back({n, j, mask, who});
    }
  for (const CallWants::Argument& a : frame.handedOn) wants.arguments.push_back(a);
  if (frame.variadic && frame.variadic->any) thread_->variadic = std::move(frame.variadic);
  thread_->hasCallee = wants.control != kNobody || !wants.arguments.empty() || thread_->variadic;
  thread_->stack.pop_back();
}

void BackwardWalk::call(const SegmentCode& code, uint32_t k, FrameWants& frame) {
  const Step& s = code.steps[k];
  if (frame.outside != kNoConsumer) { // the call was outside, and is taken in already
    if (frame.isOutsideNew) slice_.nodes[frame.outside].time = stepTime_;
    frame.outside = kNoConsumer;
  }
  frame.callback = kNobody;
  // A call that threw was taken in where that led to.
  uint32_t known = std::exchange(frame.landed, kNoConsumer);
  if (known != kNoConsumer && frame.isLandedNew) slice_.nodes[known].time = stepTime_;
  auto takeIn = [&](Wanter who, Why why) {
    return known != kNoConsumer ? known : include(code, k, frame, who, why);
  };
  if (frame.call.isPending) { // it called back a function that is of interest
    uint32_t node = takeIn(frame.call.control, Why::Call);
    wantArguments(code, frame, node, Why::Value);
    frame.call.clear();
  }
  if (!thread_->hasCallee) return;
  CallWants wants = std::move(thread_->callee);
  Wanter who = wants.control;
  Why why = Why::Call;
  if (who == kNobody && !wants.arguments.empty()) who = wants.arguments[0].who, why = whyOf(who);
  uint32_t node = takeIn(who, why);
  for (const CallWants::Argument& a : wants.arguments) {
    if (a.number + 1 >= s.useCount) continue;
    const Use& use = code.uses[s.firstUse + 1 + a.number];
    if (use.words) frame.want(use.word + a.word, a.mask, makeWanter(node, Why::Value));
  }
  const Use& callee = code.uses[s.firstUse];
  if (callee.words && options_.control && options_.values)
    frame.want(callee.word, kAllBits, makeWanter(node, Why::Control));
  if (thread_->variadic) passVariadic(code, s, frame, node);
  thread_->dropCallee();
}

// x86-64: variable arguments fill the registers that the fixed ones left, then the stack.
void BackwardWalk::passVariadic(const SegmentCode& code, const Step& s, FrameWants& frame, uint32_t node) {
  const FrameWants::Variadic& v = *thread_->variadic;
  uint32_t general = v.firstGeneral, floating = v.firstFloating, stack = 0;
  for (uint32_t n = uint32_t(s.parameter); n + 1 < s.useCount; ++n) {
    const Use& use = code.uses[s.firstUse + 1 + n];
    uint32_t slot = 0;
    switch (Passed(use.bytes)) {
    case Passed::General:
      slot = general < kGeneral ? general++ : kGeneral + kFloating + stack++;
      break;
    case Passed::Floating:
      slot = floating < kFloating ? kGeneral + floating++ : kGeneral + kFloating + stack++;
      break;
    case Passed::Memory: // a long double; bytes of a struct lie in memory of the caller's
      stack += stack % 2;
      slot = kGeneral + kFloating + stack;
      stack += 2;
      break;
    }
    if (slot >= kGeneral + kFloating + kStack) return;
    if (v.slots[slot] && use.words) frame.want(use.word, v.slots[slot], makeWanter(node, Why::Value));
  }
}

void BackwardWalk::variableArguments(const TraceOther& o) {
  FrameWants* frame = top();
  if (!frame) return;
  memory_.take(o.number, 24, masks_); // the list is what va_start made it, wherever the call came from
  auto v = std::make_unique<FrameWants::Variadic>();
  v->firstGeneral = std::min(o.from / 8, kGeneral);
  v->firstFloating = std::min((std::max(o.count, 48u) - 48) / 16, kFloating);
  auto take = [&](uint32_t slot, uint64_t address, uint64_t size) {
    if (!memory_.isWanted(address, size)) return;
    v->who[slot] = memory_.take(address, size, masks_);
    v->slots[slot] = masks_[0];
    v->any = true;
  };
  for (uint32_t r = v->firstGeneral; r < kGeneral; ++r) take(r, o.address + 8 * r, 8);
  for (uint32_t r = v->firstFloating; r < kFloating; ++r) take(kGeneral + r, o.address + 48 + 16 * r, 16);
  for (uint32_t r = 0; r < kStack; ++r) take(kGeneral + kFloating + r, o.size + 8 * r, 8);
  if (v->any) frame->variadic = std::move(v);
}

// Outside code called the function that the walk has just left.
void BackwardWalk::enteredFromOutside(const TraceOther& o) {
  if (!thread_->hasCallee) return;
  CallWants wants = std::move(thread_->callee);
  thread_->dropCallee();
  Wanter who = wants.control != kNobody  ? wants.control
               : wants.arguments.empty() ? kNobody
                                         : wants.arguments[0].who;
  if (who == kNobody) return;
  if (o.from) { // a signal
    slice_.leaves.push_back({Leaf::SignalHandler, time_, 0, 0, 0, nodeOf(who)});
    return;
  }
  if (FrameWants* frame = top()) {
    if (frame->isStopped) return;
    if (!frame->call.isPending) frame->call.control = who;
    frame->call.isPending = true;
    return;
  }
  if (threadNumber_ != 0) {
    thread_->root = who;
    thread_->isRootPending = true;
    return;
  }
  for (const CallWants::Argument& a : wants.arguments)
    slice_.leaves.push_back({Leaf::ProgramStart, time_, 0, a.number, 0, nodeOf(a.who)});
}

void BackwardWalk::outsideWrote(const TraceOther& o) {
  if (!memory_.isWanted(o.address, o.size)) return;
  Wanter who = memory_.take(o.address, o.size, masks_);
  if (who != kNobody) blamed_.want(o.address, o.size, masks_, who);
}

// ---- outside calls

void BackwardWalk::wantArguments(const SegmentCode& site, FrameWants& frame, uint32_t node, Why why) {
  const Step& s = site.steps.back();
  for (uint32_t j = 0; j < s.useCount && options_.values; ++j)
    if (const Use& use = site.uses[s.firstUse + j]; use.words)
      frame.want(use.word, kAllBits, makeWanter(node, j == 0 ? Why::Control : why));
}

// Someone read memory that outside code had written at a time unknown. A call without a model that was given
// a pointer to that memory, or close to it, may have done it.
bool BackwardWalk::takesBlame(const OutsideEffect& effect, Wanter& who) {
  constexpr uint64_t kReach = 4096;
  if (effect.isModelled || blamed_.empty()) return false;
  bool found = false;
  for (const OutsideFlow& flow : effect.flows)
    for (const FlowSource& source : flow.sources) {
      if (source.kind != FlowSource::Memory || !blamed_.isWanted(source.address, kReach)) continue;
      Wanter other = blamed_.take(source.address, kReach, masks_);
      if (who == kNobody) who = other;
      found = true;
    }
  return found;
}

// Threads are numbered as they are started: the last one that is still unexplained began last.
Wanter BackwardWalk::startedThread(const OutsideEffect& effect) {
  if (!startsThread(effect)) return kNobody;
  for (auto it = threads_.rbegin(); it != threads_.rend(); ++it)
    if (it->second.isRootPending && it->first != threadNumber_) {
      it->second.isRootPending = false;
      return it->second.root;
    }
  return kNobody;
}

void BackwardWalk::addSource(const FlowSource& source, const OutsideFlow& flow,
                             std::span<const uint64_t> masks, const SegmentCode& site, FrameWants& frame,
                             uint32_t node) {
  const Step& s = site.steps.back();
  Wanter who = makeWanter(node, Why::Value);
  uint32_t id = site.firstId + site.count - 1;
  switch (source.kind) {
  case FlowSource::Argument:
    if (source.frame > 0) { // a list of arguments that a function around this call was given
      auto& stack = thread_->stack;
      if (source.frame <= stack.size())
        stack[stack.size() - source.frame].change().handedOn.push_back({source.argument, 0, kAllBits, who});
      return;
    }
    if (source.argument + 1 < s.useCount)
      if (const Use& use = site.uses[s.firstUse + 1 + source.argument]; use.words)
        frame.want(use.word, kAllBits, who);
    return;
  case FlowSource::Memory:
    if (flow.isBytewise && !flow.toResult)
      memory_.want(source.address, source.size, masks, who);
    else
      memory_.wantAll(source.address, source.size, who);
    return;
  case FlowSource::Input: {
    if (source.size == kAllInput) {
      slice_.leaves.push_back({Leaf::Input, stepTime_, id, source.address, kAllInput, node});
      return;
    }
    uint64_t from = source.address, to = source.address + source.size;
    if (flow.isBytewise && !flow.toResult && !masks.empty()) { // only the bytes that are wanted
      uint64_t first = source.size, last = 0;
      for (uint64_t b = 0; b < source.size && b / 8 < masks.size(); ++b)
        if (masks[b / 8] >> b % 8 * 8 & 0xff) first = std::min(first, b), last = b + 1;
      from = source.address + first;
      to = source.address + std::max(first, last);
    }
    slice_.leaves.push_back({Leaf::Input, stepTime_, id, from, to - from, node});
    return;
  }
  case FlowSource::World:
    slice_.leaves.push_back({Leaf::World, stepTime_, id, 0, 0, node});
    return;
  }
}

void BackwardWalk::outsideCall(const TraceOther& o, const OutsideEffect* effect) {
  FrameWants* frame = top();
  if (!frame) return;
  const SegmentCode& site = code_.segment(o.segment);
  const Step& s = site.steps.back();
  stepTime_ = time_ ? time_ - 1 : 0; // corrected when the walk comes to the call
  bool returned = o.from;
  struct Hit {
    const OutsideFlow* flow;
    std::vector<uint64_t> masks;
  };
  std::vector<Hit> hits;
  Wanter who = kNobody;
  bool wantsResult = false;
  bool isBefore = position_ && position_->before && stepTime_ <= *position_->before;
  if (isBefore) position_.reset();
  for (uint32_t j = 0; returned && s.kind == StepKind::Call && j < s.dstWords; ++j)
    wantsResult |= frame->take(s.dst + j, who) != 0;
  // All that the call wrote is taken out before what it read goes in: it may be the same memory.
  if (effect)
    for (const OutsideFlow& flow : effect->flows) {
      if (flow.toResult) {
        if (wantsResult || (isBefore && options_.addresses)) hits.push_back({&flow, {}});
        continue;
      }
      // What was noticed later may be its work as well.
      for (WantedMemory* memory : {&memory_, &blamed_}) {
        if ((flow.ifNoticed && memory == &memory_) || !memory->isWanted(flow.address, flow.size)) continue;
        Wanter other = memory->take(flow.address, flow.size, masks_);
        if (who == kNobody) who = other;
        hits.push_back({&flow, masks_});
      }
    }
  Why why = who == kNobody ? Why::Value : whyOf(who);
  bool wantsArguments = wantsResult && hits.empty();
  if (isBefore && options_.addresses) { // how much it printed
    if (who == kNobody) who = makeWanter(positionNode_, Why::Address), why = Why::Address;
    wantsArguments = true;
  }
  if (effect) {
    Wanter blamed = kNobody;
    if (takesBlame(*effect, blamed)) wantsArguments = true;
    if (who == kNobody) who = blamed;
    if (Wanter root = startedThread(*effect); root != kNobody) {
      wantsArguments = true;
      if (who == kNobody) who = root, why = Why::Call;
    }
  }
  if (!returned && thread_->thrown != kNobody) {
    who = thread_->thrown;
    why = Why::Thrown;
    wantsArguments = true;
    thread_->thrown = kNobody;
  }
  if (who == kNobody || frame->isStopped) return;
  bool isKnown = !returned && frame->landed != kNoConsumer;
  size_t nodes = slice_.nodes.size();
  uint32_t node = isKnown ? frame->landed : include(site, site.count - 1, *frame, who, why);
  frame->outside = node;
  frame->isOutsideNew = isKnown ? frame->isLandedNew : slice_.nodes.size() > nodes;
  frame->callback = makeWanter(node, Why::Callback);
  // Where it copied from, and to, is what its arguments say.
  auto isMemory = [](const FlowSource& source) { return source.kind == FlowSource::Memory; };
  bool wantsPlaces = options_.addresses && std::ranges::any_of(hits, [&](const Hit& hit) {
                       return !hit.flow->toResult && std::ranges::any_of(hit.flow->sources, isMemory);
                     });
  if ((wantsArguments || wantsPlaces) && s.kind == StepKind::Call)
    wantArguments(site, *frame, node, wantsArguments ? Why::Value : Why::Address);
  for (const Hit& hit : hits)
    for (const FlowSource& source : hit.flow->sources)
      addSource(source, *hit.flow, hit.masks, site, *frame, node);
  if (!effect || !effect->isModelled) {
    slice_.leaves.push_back({Leaf::BlackBox, stepTime_, site.firstId + site.count - 1, 0, 0, node});
    if (effect) ++slice_.blackBoxes[effect->function];
  }
}

// ---- the end

// What is still looked for where the run begins.
void BackwardWalk::addLastLeaves() {
  // The first function of all was entered before the first instruction: no trace has that.
  if (time_ == 0)
    if (auto first = threads_.find(0); first != threads_.end() && first->second.stack.empty()) {
      for (const CallWants::Argument& a : first->second.callee.arguments)
        slice_.leaves.push_back({Leaf::ProgramStart, 0, 0, a.number, 0, nodeOf(a.who)});
      first->second.dropCallee();
    }
  auto addLeaves = [&](const WantedMemory& memory, Leaf::Kind kind) {
    memory.forEach([&](uint64_t address, uint64_t mask, Wanter who) {
      uint64_t first = uint64_t(__builtin_ctzll(mask)) / 8,
               last = (63 - uint64_t(__builtin_clzll(mask))) / 8 + 1;
      slice_.leaves.push_back({kind, 0, 0, address + first, last - first, nodeOf(who)});
    });
  };
  if (!slice_.isBounded) addLeaves(memory_, Leaf::Initial);
  addLeaves(blamed_, Leaf::Unseen);
}

Slice BackwardWalk::finish() {
  countRepeated();
  if (!hasJoined_) addLastLeaves();
  if (!slice_.isBounded) rememberEnds();
  slice_.start = time_;
  for (uint32_t id = 0; id < counts_.size(); ++id)
    if (counts_[id].instances) slice_.instructions.emplace(id, counts_[id]);
  return std::move(slice_);
}

} // namespace faultline::depend

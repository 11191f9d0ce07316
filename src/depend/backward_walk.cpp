#include "depend/backward_walk.h"

#include "depend/bits.h"

#include <algorithm>
#include <bit>

namespace faultline::depend {

using replay::Trace;
using replay::TraceEvent;
using replay::TraceOther;

void BackwardWalk::setAlternatives(Alternatives* alternatives) {
  alternatives_ = alternatives;
  if (!alternatives) {
    memory_.watch = nullptr;
    return;
  }
  memory_.watch = [this](Wanter who, bool wanted) {
    alternatives_->onWanted(nodeOf(who), slice_.nodes[nodeOf(who)].id, wanted);
  };
}

void BackwardWalk::begin(uint64_t time, const std::map<uint32_t, std::vector<StackFunction>>& stacks,
                         uint32_t thread) {
  time_ = stepTime_ = time;
  for (auto& [number, functions] : stacks) {
    ThreadWants& wants = threads_[number];
    for (const StackFunction& f : functions) wants.stack.emplace_back(code_.function(f.module, f.function));
    wants.isAtStart = !functions.empty() && functions.back().isAtStart;
  }
  threadNumber_ = thread;
  thread_ = &threads_[thread];
}

uint32_t BackwardWalk::addCriterion(uint32_t id, uint32_t depth, uint32_t block) {
  uint32_t node = addNode(id, time_, kNobody, Why::Criterion);
  if (depth < thread_->stack.size() && options_.control)
    thread_->stack[thread_->stack.size() - 1 - depth].change().wait(block, makeWanter(node, Why::Control));
  return node;
}

void BackwardWalk::wantWord(uint32_t depth, uint32_t word, uint64_t mask, uint32_t node, Why why) {
  if (depth < thread_->stack.size())
    thread_->stack[thread_->stack.size() - 1 - depth].change().want(word, mask, makeWanter(node, why));
}

void BackwardWalk::wantMemory(uint64_t address, uint64_t size, uint32_t node) {
  memory_.wantAll(address, size, makeWanter(node, Why::Value));
}

void BackwardWalk::wantBits(const BitRange& range, uint32_t node) {
  std::vector<uint64_t> masks((range.first + range.count + 63) / 64);
  for (uint32_t bit = range.first; bit < range.first + range.count; ++bit)
    masks[bit / 64] |= uint64_t(1) << bit % 64;
  memory_.want(range.address, (range.first + range.count + 7) / 8, masks, makeWanter(node, Why::Value));
}

void BackwardWalk::wantPosition(const OutputPosition& position, uint32_t node) {
  bool matters = alternatives_ || (options_.addresses && position.before);
  if (!matters) return;
  position_ = position;
  positionNode_ = node;
}

bool BackwardWalk::isDone() const {
  if (slice_.isBounded || hasJoined_) return true;
  if (position_) return false;
  if (!memory_.empty() || !blamed_.empty()) return false;
  for (auto& [number, thread] : threads_) {
    if (thread.hasCallee || thread.isRootPending || thread.thrown != kNobody) return false;
    for (const WalkFrame& frame : thread.stack) {
      const FrameWants& f = frame.wants();
      if (f.count() || f.isWaiting() || f.entry != kNobody || f.call.isPending || !f.phis.empty() ||
          f.variadic || f.callback != kNobody)
        return false;
    }
  }
  return true;
}

// ---- nodes

uint32_t BackwardWalk::addNode(uint32_t id, uint64_t time, Wanter who, Why why) {
  if (id >= counts_.size()) counts_.resize(std::max<size_t>(id + 1, counts_.size() * 2));
  InstructionCount& count = counts_[id];
  ++count.instances;
  if (recording_) recording_->included.push_back(id);
  if (++included_ >= options_.stepLimit) slice_.isBounded = true;
  if (slice_.nodes.size() >= options_.nodeLimit && count.node != kNoConsumer) {
    slice_.hasAllNodes = false;
    return count.node;
  }
  auto node = uint32_t(slice_.nodes.size());
  slice_.nodes.push_back({time, id, who == kNobody ? kNoConsumer : nodeOf(who), why, threadNumber_});
  if (count.node == kNoConsumer) count.node = node;
  return node;
}

uint32_t BackwardWalk::include(const SegmentCode& code, uint32_t k, FrameWants& frame, Wanter who, Why why) {
  uint32_t node = addNode(code.firstId + k, stepTime_, who, why);
  if (options_.control) frame.wait(code.block, makeWanter(node, Why::Control));
  return node;
}

// ---- the events of a trace

// No trace has the beginning of these functions: the walk meets their calls first.
void BackwardWalk::leaveUnstarted() {
  ThreadWants* running = thread_;
  for (auto& [number, thread] : threads_) {
    if (!thread.isAtStart) continue;
    thread.isAtStart = false;
    thread_ = &thread;
    leaveFunction(thread.stack.back().change());
  }
  thread_ = running;
}

void BackwardWalk::walk(const Trace& trace, const Effects& effects) {
  leaveUnstarted();
  beginQuick();
  const uint64_t* words = trace.words.data() + trace.words.size();
  time_ = trace.end;
  for (size_t k = trace.events.size(); k-- > 0 && !slice_.isBounded;) {
    uint32_t event = trace.events[k], number = replay::eventNumber(event);
    switch (replay::eventKind(event)) {
    case TraceEvent::Segment: {
      const SegmentCode& code = code_.segment(number);
      words -= code.traceWords;
      if (isQuick_ && quickSegment(number, code, {words, 0})) break;
      settle();
      if (code.hasVariableList) collectLists(trace, k);
      segment(code, 0, code.count, {words, 0});
      break;
    }
    case TraceEvent::Return: {
      const SegmentCode& callee = code_.segment(replay::segmentBefore(trace, k));
      if (isQuick_ && quickReturn(number, callee)) break;
      returned(number, callee);
      break;
    }
    case TraceEvent::Other: {
      const TraceOther& o = trace.others[number];
      settle();
      if (o.kind == TraceOther::Part) {
        const SegmentCode& code = code_.segment(o.segment);
        StepWords part = partWords(code, o.from, o.from + o.count, words);
        words = part.first;
        if (code.hasVariableList) collectLists(trace, k);
        segment(code, o.from, o.from + o.count, part);
      } else {
        other(o, trace, k, effects);
      }
      break;
    }
    }
  }
  endQuick();
  if (!slice_.isBounded) time_ = trace.start; // else where it stopped
  slice_.walked += trace.end - time_;
  atWindowStart();
}

// Back into a function that returned to the call at the end of segment `number`.
void BackwardWalk::returned(uint32_t number, const SegmentCode& callee) {
  const SegmentCode& site = code_.segment(number);
  const Step& call = site.steps.back();
  Wanter who = kNobody;
  operandMasks_.assign(call.dstWords, 0);
  bool any = false;
  if (FrameWants* caller = top())
    for (uint32_t j = 0; j < call.dstWords; ++j) {
      operandMasks_[j] = caller->take(call.dst + j, who);
      any |= operandMasks_[j] != 0;
    }
  push(callee.module, callee.function);
  if (!any) return;
  FrameWants& frame = *top();
  if (frame.isStopped) {
    slice_.leaves.push_back({Leaf::Stopped, time_, site.firstId + site.count - 1, 0, 0, nodeOf(who)});
    // The call itself is taken in when the walk comes to it.
    frame.entry = who;
    return;
  }
  frame.result = operandMasks_;
  frame.resultWanter = who;
}

void BackwardWalk::push(uint32_t module, uint32_t function) {
  bool stopped = !thread_->stack.empty() && thread_->stack.back().wants().isStopped;
  thread_->stack.emplace_back(code_.function(module, function));
  thread_->stack.back().change().isStopped =
      stopped || (options_.stopsAt && options_.stopsAt(module, function));
}

void BackwardWalk::other(const TraceOther& o, const Trace& trace, size_t event, const Effects& effects) {
  switch (o.kind) {
  case TraceOther::Outside:
    return outsideCall(o, o.number == replay::kNoCall ? nullptr : effects(o.number));
  case TraceOther::Enter:
    return enteredFromOutside(o);
  case TraceOther::Leave: {
    // What a callback returns is for the outside call that made it, if there is one.
    Wanter who = top() ? top()->callback : kNobody;
    const SegmentCode& callee = code_.segment(replay::segmentBefore(trace, event));
    push(callee.module, callee.function);
    if (who == kNobody) return;
    top()->result.assign(callee.steps.back().useCount ? callee.uses[callee.steps.back().firstUse].words : 0,
                         kAllBits);
    top()->resultWanter = makeWanter(nodeOf(who), Why::Callback);
    return;
  }
  case TraceOther::Unwound:
    return push(o.module, o.function);
  case TraceOther::Land: {
    FrameWants* frame = top();
    if (!frame) return;
    const SegmentCode& site = code_.segment(o.segment);
    Wanter who = frame->decide(site.block);
    if (who == kNobody) who = frame->landing;
    frame->landing = kNobody;
    frame->nextBlock = fir::kNone;
    if (who == kNobody) return;
    stepTime_ = time_;
    size_t nodes = slice_.nodes.size();
    frame->landed = include(site, site.count - 1, *frame, who, Why::Thrown);
    frame->isLandedNew = slice_.nodes.size() > nodes;
    thread_->thrown = makeWanter(frame->landed, Why::Thrown);
    return;
  }
  case TraceOther::Jumped: {
    FrameWants* frame = top();
    const SegmentCode& site = code_.segment(o.segment);
    const Step& call = site.steps.back();
    Wanter who = kNobody;
    if (!frame || !call.dstWords || !frame->take(call.dst, who)) return;
    stepTime_ = time_;
    uint32_t node = include(site, site.count - 1, *frame, who, whyOf(who));
    thread_->thrown = makeWanter(node, Why::Thrown);
    return;
  }
  case TraceOther::Switch:
    threadNumber_ = o.from;
    thread_ = &threads_[o.from];
    return;
  case TraceOther::OutsideWrite:
    return outsideWrote(o);
  case TraceOther::VariableArguments: // went with the segment that it stands before
  case TraceOther::Part:
    return;
  }
}

// ---- segments

bool BackwardWalk::isOfInterest(const SegmentCode& code, uint32_t from, uint32_t to, const StepWords& words,
                                const FrameWants& frame) {
  if (code.hasVariableList || frame.call.isPending || frame.resultWanter != kNobody ||
      frame.callback != kNobody || thread_->hasCallee)
    return true;
  if (frame.count())
    for (auto [index, bits] : code.defined)
      if (frame.wantsAny(index, bits)) return true;
  if (memory_.empty()) return false;
  for (uint32_t k : code.writes) {
    if (k < from || k >= to) continue;
    const Step& s = code.steps[k];
    uint64_t size = s.kind == StepKind::Copy || s.kind == StepKind::Fill ? valueOf(s.size, words) : s.bytes;
    if (memory_.isWanted(valueOf(s.address, words), size)) return true;
  }
  return false;
}

void BackwardWalk::segment(const SegmentCode& code, uint32_t from, uint32_t to, const StepWords& words) {
  time_ -= to - from;
  FrameWants* frame = top();
  if (!frame) return; // cannot be, in a trace that is whole
  if (frame->isStopped) {
    stopped(code, from, to, words, *frame);
  } else {
    steps(code, from, to, words, *frame);
  }
  if (code.beginsBlock && from == 0) frame->nextBlock = code.block;
  if (code.beginsFunction && from == 0) leaveFunction(*frame);
}

// time_ is that of the first of them.
void BackwardWalk::steps(const SegmentCode& code, uint32_t from, uint32_t to, const StepWords& words,
                         FrameWants& frame) {
  // The rest of a segment that a trace cuts is still the block of the phis, not the one before.
  if (!frame.phis.empty() && to == code.count) resolvePhis(code, frame);
  uint32_t end = to;
  if (to == code.count && to > from && code.steps.back().kind == StepKind::Branch) {
    stepTime_ = time_ + (--end - from);
    branch(code, end, frame);
  }
  if (!isOfInterest(code, from, end, words, frame)) return;
  for (uint32_t k = end; k-- > from;) {
    stepTime_ = time_ + (k - from);
    step(code, k, words, frame);
  }
}

// Of a function that is not looked into, only what it wrote counts.
void BackwardWalk::stopped(const SegmentCode& code, uint32_t from, uint32_t to, const StepWords& words,
                           FrameWants& frame) {
  thread_->dropCallee();
  for (uint32_t k : code.writes) {
    const Step& s = code.steps[k];
    if (k < from || k >= to) continue;
    uint64_t size = s.kind == StepKind::Copy || s.kind == StepKind::Fill ? valueOf(s.size, words) : s.bytes;
    Wanter who = kNobody;
    if (memory_.isWanted(valueOf(s.address, words), size))
      who = memory_.take(valueOf(s.address, words), size, masks_, s.kept);
    if (who == kNobody) continue;
    slice_.leaves.push_back({Leaf::Stopped, time_ + (k - from), code.firstId + k, 0, 0, nodeOf(who)});
    if (frame.entry == kNobody) frame.entry = who;
  }
}

void BackwardWalk::step(const SegmentCode& code, uint32_t k, const StepWords& words, FrameWants& frame) {
  const Step& s = code.steps[k];
  switch (s.kind) {
  case StepKind::Nothing:
    return;
  case StepKind::Compute:
  case StepKind::Phi:
    return compute(code, k, words, frame);
  case StepKind::Load:
  case StepKind::Store:
  case StepKind::Fill:
    return access(code, k, words, frame);
  case StepKind::Copy:
    return copy(code, k, words, frame);
  case StepKind::Update:
  case StepKind::Exchange:
    return update(code, k, words, frame);
  case StepKind::Branch:
    return branch(code, k, frame);
  case StepKind::Call:
    return call(code, k, frame);
  case StepKind::Return: {
    Wanter who = frame.resultWanter;
    if (who == kNobody) return;
    frame.resultWanter = kNobody;
    uint32_t node = include(code, k, frame, who, whyOf(who));
    if (s.useCount)
      wantUse(code.uses[s.firstUse], frame.result.data(), uint32_t(frame.result.size()), frame, node, 0, 0);
    return;
  }
  case StepKind::VariableList:
    if (lists_.empty()) return;
    variableArguments(*lists_.back());
    lists_.pop_back();
    return;
  case StepKind::LandingPad: {
    Wanter who = kNobody;
    for (uint32_t j = 0; j < s.dstWords; ++j) frame.take(s.dst + j, who);
    if (who == kNobody) return;
    frame.landing = makeWanter(include(code, k, frame, who, whyOf(who)), Why::Thrown);
    return;
  }
  }
}

// What va_start did stands in the trace before the segment that it is in.
void BackwardWalk::collectLists(const Trace& trace, size_t event) {
  lists_.clear();
  while (event-- > 0 && replay::eventKind(trace.events[event]) == TraceEvent::Other) {
    const TraceOther& o = trace.others[replay::eventNumber(trace.events[event])];
    if (o.kind == TraceOther::VariableArguments)
      lists_.insert(lists_.begin(), &o);
    else if (o.kind != TraceOther::OutsideWrite)
      return;
  }
}

// ---- values

namespace {

uint64_t bitsFor(const Use& use, uint64_t m, uint32_t bits) {
  switch (use.flow) {
  case Flow::Same:
    return m;
  case Flow::Carry:
    return lowBits(64 - uint64_t(std::countl_zero(m)));
  case Flow::Mask:
    return m & use.parameter;
  case Flow::Up:
    return use.parameter < 64 ? m << use.parameter : 0;
  case Flow::UpSigned: {
    uint64_t k = std::min<uint64_t>(use.parameter, bits - 1);
    uint64_t sign = m & ~lowBits(bits - 1 - k) ? uint64_t(1) << (bits - 1) : 0;
    return (m << k & lowBits(bits)) | sign;
  }
  case Flow::Down:
    return use.parameter < 64 ? m >> use.parameter : 0;
  case Flow::Extend:
    return m & lowBits(use.parameter);
  case Flow::ExtendSigned:
    return (m & lowBits(use.parameter)) |
           (m & ~lowBits(use.parameter) ? uint64_t(1) << (use.parameter - 1) : 0);
  default:
    return kAllBits;
  }
}

// Bits of words[from byte on], `count` words of them.
uint64_t shifted(const uint64_t* masks, uint32_t maskWords, int64_t bit) {
  uint64_t m = 0;
  for (int64_t k = 0; k < maskWords; ++k) {
    int64_t by = k * 64 - bit;
    if (by <= -64 || by >= 64) continue;
    m |= by >= 0 ? masks[k] << by : masks[k] >> -by;
  }
  return m;
}

} // namespace

// The wanted bits of a result become wanted bits of an operand.
void BackwardWalk::wantUse(const Use& use, const uint64_t* masks, uint32_t maskWords, FrameWants& frame,
                           uint32_t node, uint64_t chosen, uint32_t bits) {
  Wanter who = makeWanter(node, whyFor(use.role));
  switch (use.flow) {
  case Flow::All:
    for (uint32_t j = 0; j < use.words; ++j) frame.want(use.word + j, kAllBits, who);
    return;
  case Flow::Chosen:
    if ((chosen & 1) != use.parameter) return;
    [[fallthrough]];
  case Flow::Same:
    for (uint32_t j = 0; j < use.words && j < maskWords; ++j)
      if (masks[j]) frame.want(use.word + j, masks[j], who);
    return;
  case Flow::Piece:
  case Flow::Inside:
  case Flow::Around: {
    int64_t at = int64_t(use.parameter) * 8;
    for (uint32_t j = 0; j < use.words; ++j) {
      uint64_t m = 0;
      if (use.flow == Flow::Piece) {
        m = shifted(masks, maskWords, int64_t(j) * 64 - at);
      } else if (use.flow == Flow::Inside) {
        m = shifted(masks, maskWords, at + int64_t(j) * 64);
        m &= lowBits(std::max<int64_t>(0, int64_t(use.bytes) * 8 - int64_t(j) * 64));
      } else {
        int64_t from = at - int64_t(j) * 64, to = from + int64_t(use.bytes) * 8;
        uint64_t piece = lowBits(uint64_t(std::clamp<int64_t>(to, 0, 64))) &
                         ~lowBits(uint64_t(std::clamp<int64_t>(from, 0, 64)));
        m = j < maskWords ? masks[j] & ~piece : 0;
      }
      if (m) frame.want(use.word + j, m, who);
    }
    return;
  }
  default:
    if (maskWords && masks[0]) {
      uint64_t m = bitsFor(use, masks[0], bits);
      if (m) frame.want(use.word, m, who);
    }
  }
}

void BackwardWalk::compute(const SegmentCode& code, uint32_t k, const StepWords& words, FrameWants& frame) {
  const Step& s = code.steps[k];
  Wanter who = kNobody;
  uint64_t masks[16];
  std::vector<uint64_t> wide;
  uint64_t* m = masks;
  if (s.dstWords > 16) wide.resize(s.dstWords), m = wide.data();
  for (uint32_t j = 0; j < s.dstWords; ++j) m[j] = frame.take(s.dst + j, who);
  if (who == kNobody) return;
  if (m[0] & s.kept) {
    frame.want(s.dst, m[0] & s.kept, who);
    m[0] &= ~s.kept;
    if (!m[0]) return;
  }
  uint32_t node = include(code, k, frame, who, whyOf(who));
  if (s.kind == StepKind::Phi) {
    frame.phis.push_back({&code, k, {m[0], s.dstWords > 1 ? m[1] : 0}, node});
    return;
  }
  if (!s.address.isConstant) isRecordable_ = false; // what a Select chose
  uint64_t chosen = code.uses.empty() ? 0 : valueOf(s.address, words);
  for (uint32_t j = 0; j < s.useCount; ++j)
    wantUse(code.uses[s.firstUse + j], m, s.dstWords, frame, node, chosen, uint32_t(s.parameter));
}

// The block that was executed before tells which value a phi took.
void BackwardWalk::resolvePhis(const SegmentCode& code, FrameWants& frame) {
  std::vector<FrameWants::PendingPhi> phis = std::move(frame.phis);
  frame.phis.clear();
  for (const FrameWants::PendingPhi& phi : phis) {
    const Step& s = phi.segment->steps[phi.step];
    // Which value it took is decided by what led here.
    if (options_.control) {
      Wanter who = makeWanter(phi.node, Why::Control);
      if (code.steps.back().kind == StepKind::Branch)
        frame.edge = who;
      else
        frame.wait(code.block, who);
    }
    for (uint32_t j = 0; j < s.useCount; ++j) {
      if (phi.segment->predecessors[s.firstUse + j] != code.block) continue;
      const Use& use = phi.segment->uses[s.firstUse + j];
      if (use.words <= 2)
        wantUse(use, phi.mask, 2, frame, phi.node, 0, 0);
      else
        for (uint32_t w = 0; w < use.words; ++w)
          frame.want(use.word + w, kAllBits, makeWanter(phi.node, Why::Value));
      break;
    }
  }
}

void BackwardWalk::wantAddresses(const SegmentCode& code, const Step& s, FrameWants& frame, uint32_t node) {
  if (!options_.addresses) return;
  for (uint32_t j = 0; j < s.useCount; ++j) {
    const Use& use = code.uses[s.firstUse + j];
    if (use.role == Role::Address) frame.want(use.word, kAllBits, makeWanter(node, Why::Address));
  }
}

void BackwardWalk::access(const SegmentCode& code, uint32_t k, const StepWords& words, FrameWants& frame) {
  const Step& s = code.steps[k];
  uint64_t address = valueOf(s.address, words);
  Wanter who = kNobody;
  if (s.kind == StepKind::Load) {
    masks_.assign(std::max<uint32_t>(1, s.dstWords), 0);
    for (uint32_t j = 0; j < s.dstWords; ++j) masks_[j] = frame.take(s.dst + j, who);
    if (who == kNobody) return;
    uint32_t node = include(code, k, frame, who, whyOf(who));
    memory_.want(address, s.bytes, masks_, makeWanter(node, Why::Value));
    if (recording_) recordLoad(s, node);
    return wantAddresses(code, s, frame, node);
  }
  bool fills = s.kind == StepKind::Fill;
  uint64_t size = fills ? valueOf(s.size, words) : s.bytes;
  if (memory_.isWanted(address, size)) who = memory_.take(address, size, masks_, s.kept);
  bool wantsResult = fills && s.dstWords && frame.isWanted(s.dst);
  if (who == kNobody && !wantsResult) return;
  if (wantsResult) frame.take(s.dst, who);
  store(code, k, frame, who);
}

// Bits of what was written are wanted, those in masks_.
void BackwardWalk::store(const SegmentCode& code, uint32_t k, FrameWants& frame, Wanter who) {
  const Step& s = code.steps[k];
  uint32_t node = include(code, k, frame, who, whyOf(who));
  for (uint32_t j = 0; j < s.useCount; ++j) {
    const Use& use = code.uses[s.firstUse + j];
    if (use.role == Role::Value) wantUse(use, masks_.data(), uint32_t(masks_.size()), frame, node, 0, 0);
  }
  wantAddresses(code, s, frame, node);
}

void BackwardWalk::copy(const SegmentCode& code, uint32_t k, const StepWords& words, FrameWants& frame) {
  const Step& s = code.steps[k];
  uint64_t to = valueOf(s.address, words), from = valueOf(s.source, words), size = valueOf(s.size, words);
  Wanter who = kNobody;
  if (memory_.isWanted(to, size)) who = memory_.take(to, size, masks_);
  bool wantsBytes = who != kNobody;
  if (s.dstWords && frame.isWanted(s.dst)) frame.take(s.dst, who);
  if (who == kNobody) return;
  uint32_t node = include(code, k, frame, who, whyOf(who));
  if (wantsBytes) memory_.want(from, size, masks_, makeWanter(node, Why::Value));
  wantAddresses(code, s, frame, node);
}

// Atomic instructions: the old value is the result, the new one goes to memory.
void BackwardWalk::update(const SegmentCode& code, uint32_t k, const StepWords& words, FrameWants& frame) {
  const Step& s = code.steps[k];
  uint64_t address = valueOf(s.address, words);
  Wanter who = kNobody;
  uint64_t old = 0;
  bool flag = false;
  for (uint32_t j = 0; j < s.dstWords; ++j) {
    uint64_t m = frame.take(s.dst + j, who);
    if (j == 0) old = m;
    flag |= j > 0 && m;
  }
  bool exchange = s.kind == StepKind::Exchange;
  if (exchange && s.parameter < 8 && old >> s.parameter * 8) flag = true;
  bool stores = !exchange || s.source.isConstant || words[s.source.traced] >> s.parameter % 8 * 8 & 1;
  bool wantsNew = false;
  if (stores && memory_.isWanted(address, s.bytes)) {
    Wanter other = memory_.take(address, s.bytes, masks_);
    wantsNew = other != kNobody;
    if (who == kNobody) who = other;
  }
  if (who == kNobody) return;
  uint32_t node = include(code, k, frame, who, whyOf(who));
  bool needsOld = old || flag || (wantsNew && (exchange || s.parameter != 0));
  if (needsOld) memory_.wantAll(address, s.bytes, makeWanter(node, Why::Value));
  for (uint32_t j = 0; j < s.useCount; ++j) {
    const Use& use = code.uses[s.firstUse + j];
    bool condition = use.role == Role::Condition;
    if (use.role == Role::Address || (condition ? !(flag || wantsNew) : !wantsNew)) continue;
    if (condition)
      frame.want(use.word, kAllBits, makeWanter(node, Why::Control));
    else
      wantUse(use, masks_.data(), uint32_t(masks_.size()), frame, node, 0, 0);
  }
  wantAddresses(code, s, frame, node);
}

void BackwardWalk::branch(const SegmentCode& code, uint32_t k, FrameWants& frame) {
  Wanter who = frame.decide(code.block);
  Why why = Why::Control;
  if (who == kNobody) who = frame.edge;
  frame.edge = kNobody;
  if (who == kNobody && alternatives_) {
    who = alternatives_->mayHaveChanged(code, frame.nextBlock, frame);
    if (who == kNobody && position_ && alternatives_->mayHavePrinted(code, frame.nextBlock, frame))
      who = makeWanter(positionNode_, Why::Value);
    why = Why::Potential;
  }
  if (who == kNobody) return;
  uint32_t node = include(code, k, frame, who, why);
  const Step& s = code.steps[k];
  for (uint32_t j = 0; j < s.useCount && options_.values; ++j)
    frame.want(code.uses[s.firstUse + j].word, kAllBits, makeWanter(node, Why::Value));
}

} // namespace faultline::depend

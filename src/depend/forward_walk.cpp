#include "depend/forward_walk.h"

#include "depend/bits.h"

#include <algorithm>
#include <bit>

namespace faultline::depend {

using replay::TraceEvent;
using replay::TraceOther;

namespace {

// Bits of the result that touched bits of one operand word reach; `j` is the number of the word.
uint64_t reached(const Use& use, uint64_t m) {
  if (!m) return 0;
  switch (use.flow) {
  case Flow::Same:
  case Flow::Chosen:
    return m;
  case Flow::Carry:
    return ~lowBits(uint64_t(std::countr_zero(m)));
  case Flow::Mask:
    return m & use.parameter;
  case Flow::Up:
    return use.parameter < 64 ? m >> use.parameter : 0;
  case Flow::Down:
    return use.parameter < 64 ? m << use.parameter : 0;
  case Flow::Extend:
    return m & lowBits(use.parameter);
  case Flow::ExtendSigned:
    return (m & lowBits(use.parameter)) | (m >> (use.parameter - 1) & 1 ? ~lowBits(use.parameter) : 0);
  default:
    return kAllBits;
  }
}

} // namespace

ForwardWalk::ForwardWalk(Code& code, ForwardOptions options, std::vector<Seed> seeds)
    : code_(code), options_(options), seeds_(std::move(seeds)) {
  for (const Seed& seed : seeds_) {
    if (seed.call || !seed.size) continue;
    auto node = uint32_t(slice_.nodes.size());
    slice_.nodes.push_back({0, 0, kNoConsumer, Why::Criterion, 0});
    memory_.wantAll(seed.address, seed.size, node);
  }
}

void ForwardWalk::begin(uint64_t time, const std::map<uint32_t, std::vector<StackFunction>>& stacks,
                        uint32_t thread) {
  time_ = time;
  for (auto& [number, functions] : stacks) {
    threadNumber_ = number;
    thread_ = &threads_[number];
    for (const StackFunction& f : functions) push(f.module, f.function);
  }
  threadNumber_ = thread;
  thread_ = &threads_[thread];
}

void ForwardWalk::push(uint32_t module, uint32_t function) {
  Frame& frame = thread_->stack.emplace_back();
  frame.code = &code_.function(module, function);
  frame.branchNode.assign(frame.code->blocks, kClean);
  frame.branchTime.assign(frame.code->blocks, 0);
}

uint32_t ForwardWalk::include(const SegmentCode& code, uint32_t k, uint32_t from, Why why) {
  uint32_t id = code.firstId + k;
  if (id >= counts_.size()) counts_.resize(std::max<size_t>(id + 1, counts_.size() * 2));
  InstructionCount& count = counts_[id];
  ++count.instances;
  if (slice_.nodes.size() >= options_.nodeLimit && count.node != kNoConsumer) {
    slice_.hasAllNodes = false;
    return count.node;
  }
  auto node = uint32_t(slice_.nodes.size());
  slice_.nodes.push_back({stepTime_, id, from == kClean ? kNoConsumer : from, why, threadNumber_});
  if (count.node == kNoConsumer) count.node = node;
  return node;
}

// ---- memory and words

ForwardWalk::Touch ForwardWalk::memory(uint64_t address, uint64_t size, std::vector<uint64_t>* masks) {
  if (masks) masks->assign(std::max<uint64_t>(1, (size + 7) / 8), 0);
  if (!memory_.isWanted(address, size)) return {};
  std::vector<uint64_t> found;
  Wanter who = memory_.take(address, size, found);
  memory_.want(address, size, found, who);
  uint64_t any = 0;
  for (uint64_t m : found) any |= m;
  if (masks) *masks = std::move(found);
  return {any, who};
}

void ForwardWalk::touchMemory(uint64_t address, uint64_t size, std::span<const uint64_t> masks, uint32_t node,
                              uint64_t kept) {
  cleanMemory(address, size, kept);
  memory_.want(address, size, masks, node);
}

void ForwardWalk::cleanMemory(uint64_t address, uint64_t size, uint64_t kept) {
  std::vector<uint64_t> ignored;
  if (memory_.isWanted(address, size)) memory_.take(address, size, ignored, kept);
}

ForwardWalk::Touch ForwardWalk::word(const Frame& frame, uint32_t number) const {
  auto it = frame.words.find(number);
  return it == frame.words.end() ? Touch{} : it->second;
}

void ForwardWalk::setWords(Frame& frame, uint32_t first, uint32_t count, const std::vector<Touch>& touches) {
  for (uint32_t j = 0; j < count; ++j) {
    if (j < touches.size() && touches[j])
      frame.words[first + j] = touches[j];
    else
      frame.words.erase(first + j);
  }
}

// ---- events

void ForwardWalk::walk(const replay::Trace& trace, const Effects& effects) {
  const uint64_t* words = trace.words.data();
  time_ = trace.start;
  for (size_t k = 0; k < trace.events.size(); ++k) {
    uint32_t event = trace.events[k], number = replay::eventNumber(event);
    switch (replay::eventKind(event)) {
    case TraceEvent::Segment: {
      const SegmentCode& code = code_.segment(number);
      segment(code, 0, code.count, {words, 0});
      words += code.traceWords;
      break;
    }
    case TraceEvent::Return: {
      const Step& call = code_.segment(number).steps.back();
      if (thread_->stack.empty()) break;
      std::vector<Touch> result = std::move(thread_->stack.back().result);
      thread_->stack.pop_back();
      if (!thread_->stack.empty()) setWords(thread_->stack.back(), call.dst, call.dstWords, result);
      break;
    }
    case TraceEvent::Other: {
      const TraceOther& o = trace.others[number];
      if (o.kind != TraceOther::Part) {
        other(o, effects);
        break;
      }
      const SegmentCode& code = code_.segment(o.segment);
      uint32_t to = o.from + o.count, before = code.steps[o.from].traced;
      segment(code, o.from, to, {words, before});
      words += (to < code.count ? code.steps[to].traced : code.traceWords) - before;
      break;
    }
    }
  }
  slice_.walked += trace.end - trace.start;
  time_ = trace.end;
}

void ForwardWalk::other(const TraceOther& o, const Effects& effects) {
  switch (o.kind) {
  case TraceOther::Outside:
    return outsideCall(o, o.number == replay::kNoCall ? nullptr : effects(o.number));
  case TraceOther::Enter:
    thread_->arguments.clear();
    if (thread_->callback != kClean) thread_->arguments.assign(8, Touch{kAllBits, thread_->callback});
    return;
  case TraceOther::Leave:
  case TraceOther::Unwound:
    if (!thread_->stack.empty()) thread_->stack.pop_back();
    return;
  case TraceOther::Switch:
    threadNumber_ = o.count;
    thread_ = &threads_[o.count];
    return;
  case TraceOther::OutsideWrite:
    return; // what was there before the program's time stays as it is: argv is noticed when it is read
  case TraceOther::VariableArguments:
    lists_.push_back(&o);
    return;
  default:
    return;
  }
}

// The arguments lie where machine code has put them.
void ForwardWalk::variableArguments(const TraceOther& o, Frame& frame) {
  cleanMemory(o.number, 24);
  uint32_t general = o.from / 8, floating = (std::max(o.count, 48u) - 48) / 16, stack = 0;
  for (uint32_t n = 0; n < frame.variable.size(); ++n) {
    uint64_t address;
    switch (frame.variablePassed[n]) {
    case Passed::General:
      address = general < 6 ? o.address + 8 * general++ : o.size + 8 * stack++;
      break;
    case Passed::Floating:
      address = floating < 8 ? o.address + 48 + 16 * floating++ : o.size + 8 * stack++;
      break;
    default:
      stack += stack % 2;
      address = o.size + 8 * stack;
      stack += 2;
    }
    const Touch& t = frame.variable[n];
    cleanMemory(address, 8);
    if (t) touchMemory(address, 8, {&t.mask, 1}, t.node);
  }
}

// ---- segments

void ForwardWalk::segment(const SegmentCode& code, uint32_t from, uint32_t to, StepWords words) {
  if (code.beginsFunction && from == 0) {
    std::vector<Touch> arguments = std::move(thread_->arguments);
    std::vector<Passed> passed = std::move(thread_->passed);
    uint32_t caller = thread_->caller, fixed = thread_->fixed;
    thread_->arguments.clear();
    thread_->passed.clear();
    thread_->caller = kClean;
    push(code.module, code.function);
    Frame& frame = thread_->stack.back();
    frame.entry = caller;
    const auto& parameters = frame.code->arguments;
    for (uint32_t n = 0; n < parameters.size() && n < arguments.size(); ++n)
      if (arguments[n])
        for (uint32_t j = 0; j < parameters[n].second; ++j)
          frame.words[parameters[n].first + j] = arguments[n];
    for (uint32_t n = fixed; n < arguments.size() && n < passed.size(); ++n) {
      frame.variable.push_back(arguments[n]);
      frame.variablePassed.push_back(passed[n]);
    }
  }
  if (thread_->stack.empty()) {
    time_ += to - from;
    return;
  }
  Frame& frame = thread_->stack.back();
  if (code.beginsBlock && from == 0) enterBlock(code, frame);
  bool quiet = frame.words.empty() && frame.block == kClean && memory_.empty() && !code.hasVariableList;
  for (uint32_t k = from; k < to && !quiet; ++k) {
    stepTime_ = time_ + (k - from);
    step(code, k, words, frame);
  }
  if (quiet && code.steps.back().kind == StepKind::Branch)
    frame.branchTime[code.block] = ++serial_, frame.branchNode[code.block] = kClean;
  if (quiet && code.steps.back().kind == StepKind::Call) {
    thread_->arguments.clear();
    thread_->caller = kClean;
  }
  lists_.clear();
  time_ += to - from;
}

// Whether the block is executed because of the input: its latest branch tells.
void ForwardWalk::enterBlock(const SegmentCode& code, Frame& frame) {
  frame.before = frame.current;
  frame.current = code.block;
  std::span<const uint32_t> parents = frame.code->control->parents(code.block);
  frame.block = frame.entry;
  uint64_t latest = 0;
  for (uint32_t p : parents)
    if (frame.branchTime[p] > latest) {
      latest = frame.branchTime[p];
      frame.block = frame.branchNode[p];
    }
  if (!options_.control) frame.block = kClean;
}

// What the operands of a computation bring to its result.
std::vector<ForwardWalk::Touch> ForwardWalk::through(const SegmentCode& code, const Step& s, StepWords words,
                                                     const Frame& frame, uint32_t& from, Why& why) const {
  std::vector<Touch> out(s.dstWords);
  uint64_t chosen = s.address.isConstant ? s.address.constant : words[s.address.traced];
  for (uint32_t j = 0; j < s.useCount; ++j) {
    const Use& use = code.uses[s.firstUse + j];
    if (use.flow == Flow::Chosen && (chosen & 1) != use.parameter) continue;
    if (s.kind == StepKind::Phi && code.predecessors[s.firstUse + j] != frame.before) continue;
    for (uint32_t w = 0; w < use.words; ++w) {
      Touch t = word(frame, use.word + w);
      if (!t) continue;
      bool wide = use.flow == Flow::Piece || use.flow == Flow::Inside || use.flow == Flow::Around;
      bool same = (use.flow == Flow::Same || use.flow == Flow::Chosen) && s.dstWords > 1;
      uint64_t m = wide ? kAllBits : reached(use, t.mask);
      for (uint32_t d = 0; d < s.dstWords; ++d) {
        if (same && d != w) continue;
        if (!m) continue;
        out[d].mask |= m;
        out[d].node = t.node;
        if (from == kClean) from = t.node, why = use.role == Role::Condition ? Why::Control : Why::Value;
      }
    }
  }
  return out;
}

void ForwardWalk::step(const SegmentCode& code, uint32_t k, StepWords words, Frame& frame) {
  const Step& s = code.steps[k];
  auto valueOf = [&](const Place& p) { return p.isConstant ? p.constant : words[p.traced]; };
  uint32_t from = kClean;
  Why why = Why::Value;
  auto touchedAddress = [&] {
    if (!options_.addresses) return false;
    for (uint32_t j = 0; j < s.useCount; ++j) {
      const Use& use = code.uses[s.firstUse + j];
      if (use.role != Role::Address) continue;
      if (Touch t = word(frame, use.word); t) return from = t.node, why = Why::Address, true;
    }
    return false;
  };
  auto touchAll = [&](std::vector<Touch>& all, uint32_t node) {
    for (Touch& t : all) t = {kAllBits, node};
  };
  switch (s.kind) {
  case StepKind::VariableList:
    if (lists_.empty()) return;
    variableArguments(*lists_.front(), frame);
    lists_.erase(lists_.begin());
    return;
  case StepKind::Nothing:
  case StepKind::LandingPad:
    if (s.dstWords) setWords(frame, s.dst, s.dstWords, {});
    return;
  case StepKind::Compute:
  case StepKind::Phi: {
    std::vector<Touch> out = through(code, s, words, frame, from, why);
    Touch before = s.kept ? word(frame, s.dst) : Touch{};
    before.mask &= s.kept;
    uint64_t others = ~(s.kept | s.unread);
    auto set = [&] {
      for (Touch& t : out) t.mask &= others;
      if (before) out[0] = {out[0].mask | before.mask, out[0] ? out[0].node : before.node};
      setWords(frame, s.dst, s.dstWords, out);
    };
    if (~others && from != kClean && !(out[0].mask & others)) from = kClean;
    bool controlled = frame.block != kClean && from == kClean;
    if (from == kClean && !controlled) return out.assign(s.dstWords, {}), set();
    uint32_t node = include(code, k, controlled ? frame.block : from, controlled ? Why::Control : why);
    if (controlled)
      touchAll(out, node);
    else
      for (Touch& t : out) t.node = node;
    return set();
  }
  case StepKind::Load: {
    std::vector<uint64_t> masks;
    Touch t = memory(valueOf(s.address), s.bytes, &masks);
    if (s.unread) t.mask = masks[0] &= ~s.unread;
    if (t) from = t.node;
    bool place = !t && touchedAddress();
    bool controlled = !t && !place && frame.block != kClean;
    if (!t && !place && !controlled) return setWords(frame, s.dst, s.dstWords, {});
    uint32_t node = include(code, k, controlled ? frame.block : from, controlled ? Why::Control : why);
    std::vector<Touch> out(s.dstWords);
    for (uint32_t j = 0; j < s.dstWords; ++j)
      out[j] = {(place || controlled ? kAllBits : j < masks.size() ? masks[j] : 0) & ~s.unread, node};
    return setWords(frame, s.dst, s.dstWords, out);
  }
  case StepKind::Store:
  case StepKind::Fill:
  case StepKind::Copy:
  case StepKind::Update:
  case StepKind::Exchange: {
    bool sized = s.kind == StepKind::Fill || s.kind == StepKind::Copy;
    uint64_t address = valueOf(s.address), size = sized ? valueOf(s.size) : s.bytes;
    std::vector<uint64_t> masks(std::max<uint64_t>(1, (size + 7) / 8));
    if (s.kind == StepKind::Copy) {
      if (Touch t = memory(valueOf(s.source), size, &masks); t) from = t.node;
    }
    std::vector<uint64_t> old;
    bool update = s.kind == StepKind::Update || s.kind == StepKind::Exchange;
    if (update)
      if (Touch t = memory(address, size, &old); t) from = t.node;
    for (uint32_t j = 0; j < s.useCount; ++j) {
      const Use& use = code.uses[s.firstUse + j];
      if (use.role == Role::Address) continue;
      for (uint32_t w = 0; w < use.words; ++w) {
        Touch t = word(frame, use.word + w);
        t.mask &= ~s.kept;
        if (!t) continue;
        from = t.node;
        if (s.kind == StepKind::Store && use.flow == Flow::Same) {
          if (w < masks.size()) masks[w] |= t.mask;
        } else {
          std::fill(masks.begin(), masks.end(), kAllBits);
        }
      }
    }
    bool stores = s.kind != StepKind::Exchange || s.source.isConstant ||
                  words[s.source.traced] >> s.parameter % 8 * 8 & 1;
    bool whole = false;
    if (from == kClean && (touchedAddress() || frame.block != kClean)) {
      whole = true;
      if (from == kClean) from = frame.block, why = Why::Control;
    }
    if (from == kClean) {
      if (stores) cleanMemory(address, size, s.kept);
      if (s.dstWords) setWords(frame, s.dst, s.dstWords, {});
      return;
    }
    uint32_t node = include(code, k, from, why);
    if (whole || update) std::fill(masks.begin(), masks.end(), kAllBits);
    if (s.kept) masks[0] &= ~s.kept;
    if (stores) touchMemory(address, size, masks, node, s.kept);
    std::vector<Touch> out(s.dstWords);
    if (update) touchAll(out, node);
    return setWords(frame, s.dst, s.dstWords, out);
  }
  case StepKind::Branch: {
    for (uint32_t j = 0; j < s.useCount; ++j)
      if (Touch t = word(frame, code.uses[s.firstUse + j].word); t) from = t.node;
    frame.branchTime[code.block] = ++serial_;
    if (from == kClean) from = frame.block, why = Why::Control;
    frame.branchNode[code.block] = from == kClean ? kClean : include(code, k, from, why);
    return;
  }
  case StepKind::Return: {
    frame.result.clear();
    if (s.useCount) {
      const Use& use = code.uses[s.firstUse];
      for (uint32_t w = 0; w < use.words; ++w) {
        frame.result.push_back(word(frame, use.word + w));
        if (frame.result.back()) from = frame.result.back().node;
      }
    }
    bool controlled = from == kClean && frame.block != kClean && frame.block != frame.entry;
    if (from == kClean && !controlled) return;
    uint32_t node = include(code, k, controlled ? frame.block : from, controlled ? Why::Control : Why::Value);
    if (controlled && frame.result.empty()) frame.result.resize(1);
    for (Touch& t : frame.result)
      if (t || controlled) t = {controlled ? kAllBits : t.mask, node};
    return;
  }
  case StepKind::Call:
    return call(code, k, frame);
  }
}

void ForwardWalk::call(const SegmentCode& code, uint32_t k, Frame& frame) {
  const Step& s = code.steps[k];
  thread_->arguments.clear();
  thread_->passed.clear();
  thread_->fixed = uint32_t(s.parameter);
  thread_->caller = frame.block;
  thread_->callback = kClean;
  uint32_t from = kClean;
  for (uint32_t j = 1; j < s.useCount; ++j) {
    const Use& use = code.uses[s.firstUse + j];
    Touch t = use.words ? word(frame, use.word) : Touch{};
    if (t) from = t.node;
    thread_->arguments.push_back(t);
    thread_->passed.push_back(Passed(use.bytes));
  }
  const Use& callee = code.uses[s.firstUse];
  if (Touch t = callee.words ? word(frame, callee.word) : Touch{}; t && options_.control)
    thread_->caller = from = t.node;
  if (s.dstWords) setWords(frame, s.dst, s.dstWords, {}); // until it returns
  if (from == kClean && frame.block == kClean) return;
  uint32_t node =
      include(code, k, from == kClean ? frame.block : from, from == kClean ? Why::Control : Why::Value);
  for (Touch& t : thread_->arguments)
    if (t) t.node = node;
  if (thread_->caller != kClean) thread_->caller = node;
  thread_->callback = node;
}

void ForwardWalk::outsideCall(const TraceOther& o, const OutsideEffect* effect) {
  if (thread_->stack.empty()) return;
  Frame& frame = thread_->stack.back();
  const SegmentCode& site = code_.segment(o.segment);
  const Step& s = site.steps.back();
  if (s.kind != StepKind::Call) return;
  stepTime_ = time_ ? time_ - 1 : 0;
  auto seedBytes = [&](const FlowSource& source, const OutsideFlow& flow, std::vector<uint64_t>& masks) {
    bool any = false;
    for (const Seed& seed : seeds_) {
      if (!seed.call || *seed.call != stepTime_) continue;
      uint64_t from = std::max(seed.first, source.address);
      uint64_t to = std::min(seed.first + seed.size,
                             source.size == kAllInput ? kAllInput : source.address + source.size);
      if (from >= to) continue;
      any = true;
      if (!flow.isBytewise || flow.toResult) {
        std::fill(masks.begin(), masks.end(), kAllBits);
        continue;
      }
      for (uint64_t b = from - source.address; b < to - source.address && b / 8 < masks.size(); ++b)
        masks[b / 8] |= uint64_t(0xff) << b % 8 * 8;
    }
    return any;
  };
  struct Result {
    const OutsideFlow* flow;
    std::vector<uint64_t> masks;
    uint32_t from;
  };
  std::vector<Result> results;
  bool controlled = frame.block != kClean;
  static const std::vector<OutsideFlow> none;
  for (const OutsideFlow& flow : effect ? effect->flows : none) {
    if (flow.ifNoticed) continue;
    uint64_t size = flow.toResult ? 8 * std::max<uint64_t>(1, s.dstWords) : flow.size;
    Result r{&flow, std::vector<uint64_t>(std::max<uint64_t>(1, (size + 7) / 8)), kClean};
    auto all = [&](uint32_t node) {
      r.from = node;
      std::fill(r.masks.begin(), r.masks.end(), kAllBits);
    };
    for (const FlowSource& source : flow.sources) {
      if (source.kind == FlowSource::Argument && source.frame == 0 && source.argument + 1 < s.useCount) {
        const Use& use = site.uses[s.firstUse + 1 + source.argument];
        if (Touch t = use.words ? word(frame, use.word) : Touch{}; t) all(t.node);
      } else if (source.kind == FlowSource::Memory) {
        std::vector<uint64_t> masks;
        Touch t = memory(source.address, source.size, &masks);
        if (!t) continue;
        if (!flow.isBytewise || flow.toResult) {
          all(t.node);
        } else {
          r.from = t.node;
          for (size_t w = 0; w < masks.size() && w < r.masks.size(); ++w) r.masks[w] |= masks[w];
        }
      } else if (source.kind == FlowSource::Input && seedBytes(source, flow, r.masks)) {
        if (r.from == kClean) r.from = kNoConsumer;
      }
    }
    if (r.from == kClean && controlled) all(frame.block);
    results.push_back(std::move(r));
  }
  uint32_t node = kClean;
  for (Result& r : results) {
    if (r.from == kClean) {
      if (!r.flow->toResult) cleanMemory(r.flow->address, r.flow->size);
      continue;
    }
    if (node == kClean)
      node = include(site, site.count - 1, r.from == kNoConsumer ? kClean : r.from,
                     r.from == kNoConsumer ? Why::Criterion : Why::Value);
    if (r.flow->toResult) {
      std::vector<Touch> touches(s.dstWords);
      for (uint32_t w = 0; w < s.dstWords; ++w)
        touches[w] = {r.masks[std::min<size_t>(w, r.masks.size() - 1)], node};
      setWords(frame, s.dst, s.dstWords, touches);
    } else {
      touchMemory(r.flow->address, r.flow->size, r.masks, node);
    }
  }
  if (effect && !effect->isModelled) ++slice_.blackBoxes[effect->function];
}

Slice ForwardWalk::finish() {
  slice_.start = 0;
  for (uint32_t id = 0; id < counts_.size(); ++id)
    if (counts_[id].instances) slice_.instructions.emplace(id, counts_[id]);
  return std::move(slice_);
}

} // namespace faultline::depend

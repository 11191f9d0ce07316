#include "depend/instances.h"

#include "program/operands.h"

#include <algorithm>

namespace faultline::depend {

using fir::Op;

Instances::Instances(History& history) : Instances(history, Options()) {}
Instances::Instances(History& history, Options options) : history_(history), options_(options) {}

Result<Instances::WindowPointer> Instances::window(uint64_t time) {
  if (last_ && last_->start <= time && time < last_->start + options_.windowInstructions) return last_;
  uint64_t start =
      std::max(time / options_.windowInstructions * options_.windowInstructions, history_.replay().start());
  for (auto it = kept_.begin(); it != kept_.end(); ++it)
    if ((*it)->start == start) {
      kept_.splice(kept_.begin(), kept_, it);
      return last_ = kept_.front();
    }
  uint64_t end = (time / options_.windowInstructions + 1) * options_.windowInstructions;
  if (watch_ && !watch_()) {
    wasStopped_ = true;
    return errorf("the time was over before so much of the run was looked at");
  }
  FL_TRY(made, recordInstances(history_, start, end));
  ++made_;
  keptBytes_ += made->bytes();
  kept_.push_front(made);
  while (keptBytes_ > options_.memoryBytes && kept_.size() > 2) {
    keptBytes_ -= kept_.back()->bytes();
    kept_.pop_back();
  }
  return last_ = made;
}

Result<Instances::WindowPointer> Instances::windowBefore(uint64_t start) {
  if (start <= history_.replay().start()) return WindowPointer();
  return window(start - 1);
}

Result<Instances::WindowPointer> Instances::windowWriting(uint64_t start, uint64_t address, uint64_t size) {
  auto mayWrite = [&](const WindowSummary& s) {
    auto range = std::ranges::upper_bound(s.written, address, {}, [](const WrittenRange& r) {
      return r.address + r.size - 1; // the first that ends behind it
    });
    bool isLast = range != s.written.begin() && std::prev(range)->address + std::prev(range)->size > address;
    return s.callsUnknown || isLast || (range != s.written.end() && range->address < address + size);
  };
  for (const WindowSummary* s; (s = history_.summaryBefore(start)) && !mayWrite(*s);) start = s->start;
  return windowBefore(start);
}

// What was executed of a call in a window is known of the one that was active all the time, and called all
// others that were. Those around it executed nothing.
Result<Instances::WindowPointer> Instances::windowExecuting(const InstanceWindow& w, uint32_t thread,
                                                            uint32_t depth, const IsWanted& isWanted) {
  std::vector<FunctionName> stack = w.before;
  uint64_t start = w.start;
  while (thread == w.firstThread) {
    const WindowSummary* s = history_.summaryBefore(start);
    if (!s || s->threads.size() != 1 || s->threads[0].thread != thread) break;
    const ThreadSummary& t = s->threads[0];
    if (t.entered >= stack.size() || t.segments.empty()) break;
    const size_t base = stack.size() - t.entered - 1;
    if (depth > base || stack[base] != t.base) break;
    Code::Numbers numbers = history_.code().segmentsOf(t.base.module);
    auto isOne = [&](uint32_t k) {
      return k >= numbers.count || isWanted(history_.code().segment(numbers.first + k));
    };
    if (depth == base && std::ranges::any_of(t.segments, isOne)) break;
    stack.resize(base + 1);
    stack.insert(stack.end(), t.left.begin(), t.left.end());
    start = s->start;
  }
  return windowBefore(start);
}

bool Instances::isExecuted(uint64_t time) {
  auto w = window(time);
  return w && time - (*w)->start < (*w)->records.size() && (*w)->records[time - (*w)->start].id != fir::kNone;
}

Result<Executed> Instances::at(uint64_t time) {
  FL_TRY(w, window(time));
  if (time < w->start || time - w->start >= w->records.size() || w->records[time - w->start].id == fir::kNone)
    return errorf("nothing was executed at @{}", time);
  auto number = uint32_t(time - w->start);
  const InstanceRecord& r = w->records[number];
  const InstanceFrame& frame = w->frames[r.frame];
  Executed x;
  x.time = time;
  x.id = r.id;
  x.thread = frame.thread;
  x.depth = frame.depth;
  x.module = frame.module;
  x.function = frame.function;
  x.image = &history_.code().image(frame.module);
  x.local = r.id - history_.code().base(frame.module);
  x.block = history_.code().blockOf(frame.module, x.local);
  x.instruction = &x.image->instructions[x.local];
  x.value = r.value;
  if (auto it = w->wide.find(number); it != w->wide.end()) {
    x.words = it->second;
    x.keep = w;
  }
  return x;
}

const FrameEnd* Instances::frameEnd(const InstanceWindow& w, uint32_t thread, uint32_t depth) const {
  auto it = w.stacks.find(thread);
  return it == w.stacks.end() || depth >= it->second.size() ? nullptr : &it->second[depth];
}

// What `maker`, who is in the window, made of that word of the frame.
Origin Instances::madeBy(const InstanceWindow& w, Maker maker, const Place& place, uint32_t word) {
  Origin origin;
  if (maker == kMadeNowhere) return origin;
  if (maker == kMadeOutside || isGivenOutside(maker)) {
    origin.kind = Origin::Start;
    if (isGivenOutside(maker)) origin.value = w.given[maker & ~kGivenOutside];
    return origin;
  }
  RunCode& code = history_.code();
  Maker number = maker & ~kAsArgument;
  origin.time = w.start + number;
  const InstanceRecord& r = w.records[number];
  const InstanceFrame& frame = w.frames[r.frame];
  const fir::Image& image = code.image(frame.module);
  const fir::Instruction& i = image.instructions[r.id - code.base(frame.module)];
  origin.kind = Origin::Made;
  if (maker & kAsArgument) { // which one it is, the frame's function knows
    origin.kind = Origin::Argument;
    const fir::Image& callee = code.image(place.module);
    auto arguments = callee.argumentsOf(callee.functions[place.function]);
    for (uint32_t n = 0; n < arguments.size(); ++n)
      if (word >= arguments[n].word && word < arguments[n].word + callee.types[arguments[n].type].words)
        origin.part = n + 1, origin.word = word - arguments[n].word;
    return origin;
  }
  if (i.op == Op::Ret) {
    // The word is one of the call's result.
    RunCode::Where at = frame.callId == fir::kNone ? RunCode::Where{} : code.where(frame.callId);
    uint32_t dst = at ? at.module->image->instructions[at.local].dst : word;
    origin.part = word >= dst ? word - dst : 0;
  } else {
    uint32_t dst = i.op == Op::StoreVar ? fir::operandIndex(image.operandsOf(i)[0]) : i.dst;
    origin.part = word >= dst ? word - dst : 0;
  }
  return origin;
}

Result<Origin> Instances::resolveWord(WindowPointer w, Maker maker, const Place& place, uint32_t word) {
  auto defines = [word](const SegmentCode& segment) {
    return std::ranges::any_of(segment.defined,
                               [&](auto& d) { return d.first == word / 64 && d.second >> word % 64 & 1; });
  };
  while (maker == kMadeBefore) {
    FL_TRY(before, windowExecuting(*w, place.thread, place.depth, defines));
    if (!before) {
      Origin origin;
      origin.kind = Origin::Start;
      return origin;
    }
    w = before;
    const FrameEnd* frame = frameEnd(*w, place.thread, place.depth);
    if (!frame || word >= frame->words.size()) return Origin{};
    maker = frame->words[word];
  }
  return madeBy(*w, maker, place, word);
}

Result<Origin> Instances::operand(uint64_t time, uint32_t operand, uint32_t word) {
  FL_TRY(w, window(time));
  FL_TRY(x, at(time));
  const InstanceRecord& r = w->records[time - w->start];
  fir::Operand o = x.image->operandsOf(*x.instruction)[operand];
  if (fir::operandKind(o) != fir::OperandKind::Word) return Origin{};
  uint32_t index = r.firstMaker, found = fir::kNone;
  bool isPhi = x.instruction->op == Op::Phi;
  fir::forEachValue(*x.image, *x.instruction, [&](uint32_t k, uint32_t count) {
    if (isPhi) {
      if (k == operand) found = r.firstMaker + word;
      return;
    }
    if (k == operand && word < count) found = index + word;
    index += count;
  });
  if (found == fir::kNone || found >= w->makers.size()) return Origin{};
  return resolveWord(w, w->makers[found], {x.thread, x.depth, x.module, x.function},
                     fir::operandIndex(o) + word);
}

Result<Instances::Choice> Instances::choice(uint64_t phi) {
  FL_TRY(w, window(phi));
  const InstanceRecord& r = w->records[phi - w->start];
  Choice out;
  if (r.extra >= w->phis.size()) return out;
  const PhiChoice c = w->phis[r.extra];
  out.operand = c.operand;
  uint64_t time = c.edge < kLastMaker ? w->start + c.edge : kNoInstance;
  if (c.edge == kMadeBefore && c.block != fir::kNone) {
    InstanceFrame frame = w->frames[r.frame];
    FL_TRY(before, windowBefore(w->start));
    const FrameEnd* last = before ? frameEnd(*before, frame.thread, frame.depth) : nullptr;
    if (last && c.block < last->branches.size() && last->branches[c.block] < kLastMaker)
      time = before->start + last->branches[c.block];
  }
  if (time == kNoInstance) return out;
  // The block before may have ended in a plain jump: then what decided on that block.
  FL_TRY(end, at(time));
  bool isBranch = end.instruction->op == Op::CondBr || end.instruction->op == Op::Switch ||
                  end.instruction->op == Op::IndirectBr;
  if (isBranch) {
    out.edge = end.time;
  } else {
    FL_TRY(decided, control(end.time));
    out.edge = decided;
  }
  return out;
}

void Instances::addMade(const InstanceWindow& w, Maker maker, uint64_t address, uint32_t size,
                        uint32_t offset, std::vector<OriginPiece>& out) {
  OriginPiece piece{offset, size, {}};
  piece.origin.address = address;
  if (maker == kMadeOutside) {
    piece.origin.kind = Origin::Outside;
  } else if (isPassed(maker)) {
    const PassedArgument& passed = w.passed[maker & ~kPassed];
    piece.origin.kind = Origin::Argument;
    piece.origin.time = w.start + passed.call;
    piece.origin.part = passed.operand;
  } else {
    const InstanceRecord& r = w.records[maker];
    piece.origin.kind = Origin::Made;
    piece.origin.time = w.start + maker;
    RunCode::Where at = history_.code().where(r.id);
    bool isCall = at && at.module->image->instructions[at.local].op == Op::Call;
    if (!isCall && r.extra < w.accesses.size())
      piece.origin.part = uint32_t(address - w.accesses[r.extra].address);
  }
  out.push_back(piece);
}

// Bytes as they were where the window ends.
Result<void> Instances::resolveBytes(WindowPointer w, uint64_t address, uint64_t size, uint32_t offset,
                                     std::vector<OriginPiece>& out) {
  struct Open {
    WindowPointer window;
    uint64_t address;
    uint64_t size;
    uint32_t offset;
  };
  std::vector<Open> open{{w, address, size, offset}};
  while (!open.empty()) {
    Open part = open.back();
    open.pop_back();
    if (!part.window) {
      OriginPiece piece{part.offset, uint32_t(part.size), {}};
      piece.origin.kind = Origin::Initial;
      piece.origin.address = part.address;
      out.push_back(piece);
      continue;
    }
    Result<void> failed;
    part.window->memory.forEach(part.address, part.size, [&](uint64_t at, uint64_t count, Maker maker) {
      if (maker != kMadeBefore)
        return addMade(*part.window, maker, part.address + at, uint32_t(count), uint32_t(part.offset + at),
                       out);
      open.push_back({nullptr, part.address + at, count, uint32_t(part.offset + at)});
      auto before = windowWriting(part.window->start, part.address + at, count);
      if (!before)
        failed = before.error();
      else
        open.back().window = *before;
    });
    FL_CHECK(failed);
  }
  return {};
}

Result<std::vector<OriginPiece>> Instances::resolve(WindowPointer w, std::span<const MemoryPiece> pieces,
                                                    uint64_t address) {
  std::vector<OriginPiece> out;
  for (const MemoryPiece& p : pieces) {
    if (p.maker != kMadeBefore) {
      addMade(*w, p.maker, address + p.offset, p.size, p.offset, out);
      continue;
    }
    FL_TRY(before, windowWriting(w->start, address + p.offset, p.size));
    FL_CHECK(resolveBytes(before, address + p.offset, p.size, p.offset, out));
  }
  std::sort(out.begin(), out.end(),
            [](const OriginPiece& a, const OriginPiece& b) { return a.offset < b.offset; });
  return out;
}

Result<std::vector<OriginPiece>> Instances::loaded(uint64_t time) {
  FL_TRY(w, window(time));
  const InstanceRecord& r = w->records[time - w->start];
  if (r.extra >= w->accesses.size()) return std::vector<OriginPiece>();
  const MemoryAccess& access = w->accesses[r.extra];
  return resolve(w, std::span(w->pieces).subspan(access.firstPiece, access.pieceCount), access.source);
}

Result<std::optional<Instances::Access>> Instances::access(uint64_t time) {
  FL_TRY(w, window(time));
  FL_TRY(x, at(time));
  const InstanceRecord& r = w->records[time - w->start];
  switch (x.instruction->op) {
  case Op::Load:
  case Op::Store:
  case Op::Copy:
  case Op::Fill:
  case Op::AtomicRMW:
  case Op::CmpXchg:
  case Op::VaStart:
  case Op::VaCopy:
    if (r.extra >= w->accesses.size()) return std::optional<Access>();
    return std::optional(
        Access{w->accesses[r.extra].address, w->accesses[r.extra].size, w->accesses[r.extra].source});
  default:
    return std::optional<Access>();
  }
}

Result<std::shared_ptr<const OutsideEffect>> Instances::effect(uint64_t time) {
  FL_TRY(w, window(time));
  FL_TRY(x, at(time));
  const InstanceRecord& r = w->records[time - w->start];
  std::shared_ptr<const OutsideEffect> found;
  if (x.instruction->op != Op::Call || r.extra >= w->effects.size()) return found;
  if (w->effects[r.extra].effect.time == time)
    found = std::shared_ptr<const OutsideEffect>(w, &w->effects[r.extra].effect);
  return found;
}

Result<std::vector<OriginPiece>> Instances::effectSource(uint64_t time, uint32_t flow, uint32_t source) {
  FL_TRY(w, window(time));
  const OutsideInstance& call = w->effects[w->records[time - w->start].extra];
  size_t number = source;
  for (uint32_t k = 0; k < flow; ++k) number += call.effect.flows[k].sources.size();
  return resolve(w, call.pieces[number], call.effect.flows[flow].sources[source].address);
}

Result<uint64_t> Instances::frameCall(WindowPointer w, uint32_t frame) {
  const InstanceFrame* info = &w->frames[frame];
  auto isNone = [](const SegmentCode&) { return false; };
  while (info->call == kMadeBefore) {
    FL_TRY(before,
           info->isSeen ? windowBefore(w->start) : windowExecuting(*w, info->thread, info->depth, isNone));
    if (!before) return kNoInstance;
    w = before;
    if (!info->isSeen) { // the frame itself is older: ask for the same one there
      const FrameEnd* end = frameEnd(*w, info->thread, info->depth);
      if (!end) return kNoInstance;
      info = &w->frames[end->frame];
      continue;
    }
    // It began in the window, and the call that made it before: the caller was in that call.
    if (info->depth == 0) return kNoInstance;
    const FrameEnd* caller = frameEnd(*w, info->thread, info->depth - 1);
    if (!caller || caller->calling >= kLastMaker) return kNoInstance;
    return w->start + caller->calling;
  }
  return info->call < kLastMaker ? w->start + info->call : kNoInstance;
}

Result<uint64_t> Instances::caller(uint64_t time) {
  FL_TRY(w, window(time));
  return frameCall(w, w->records[time - w->start].frame);
}

Result<uint64_t> Instances::control(uint64_t time) {
  FL_TRY(w, window(time));
  FL_TRY(x, at(time));
  Maker maker = w->records[time - w->start].control;
  if (maker < kLastMaker) return w->start + maker;
  if (maker == kMadeNowhere) return kNoInstance;
  const FunctionCode& code = history_.code().function(x.module, x.function);
  uint32_t frame = w->records[time - w->start].frame;
  auto isParent = [&](const SegmentCode& segment) {
    auto parents = code.control->parents(x.block);
    return std::ranges::find(parents, segment.block) != parents.end();
  };
  for (;;) {
    if (w->frames[frame].isSeen) return frameCall(w, frame);
    FL_TRY(before, windowExecuting(*w, x.thread, x.depth, isParent));
    if (!before) return kNoInstance;
    w = before;
    const FrameEnd* end = frameEnd(*w, x.thread, x.depth);
    if (!end) return kNoInstance;
    Maker found = kMadeBefore;
    for (uint32_t parent : code.control->parents(x.block))
      if (Maker last = parent < end->branches.size() ? end->branches[parent] : kMadeBefore;
          last < kLastMaker && (found == kMadeBefore || last > found))
        found = last;
    if (found != kMadeBefore) return w->start + found;
    frame = end->frame;
  }
}

Result<uint64_t> Instances::underWay(uint64_t time, uint32_t thread, size_t depth) {
  FL_TRY(w, time > history_.replay().start() ? window(time - 1) : window(time));
  // The window may go on behind `time`: then the innermost frame is that of the last instance of the thread.
  uint64_t last = std::min<uint64_t>(time, w->start + w->records.size());
  bool atEnd = time >= w->end;
  if (atEnd) {
    auto it = w->stacks.find(thread);
    if (it == w->stacks.end() || depth >= it->second.size()) return kNoInstance;
    const FrameEnd& frame = it->second[it->second.size() - 1 - depth];
    if (frame.current < kLastMaker) return w->start + frame.current;
    FL_TRY(before, windowBefore(w->start));
    while (before) {
      const FrameEnd* same = frameEnd(*before, thread, uint32_t(it->second.size() - 1 - depth));
      if (!same) return kNoInstance;
      if (same->current < kLastMaker) return before->start + same->current;
      FL_TRY(next, windowExecuting(*before, thread, uint32_t(it->second.size() - 1 - depth),
                                   [](const SegmentCode&) { return true; }));
      before = next;
    }
    return kNoInstance;
  }
  uint64_t at = kNoInstance;
  for (uint64_t t = last; t-- > w->start && at == kNoInstance;) {
    const InstanceRecord& r = w->records[t - w->start];
    if (r.id != fir::kNone && w->frames[r.frame].thread == thread) at = t;
  }
  // The instruction that is about to be executed is the innermost frame's, and tells its depth.
  if (isExecuted(time)) at = time;
  if (at == kNoInstance) return kNoInstance;
  for (size_t k = 0; k < depth && at != kNoInstance; ++k) {
    FL_TRY(call, caller(at));
    at = call;
  }
  return at;
}

Result<Origin> Instances::word(uint64_t time, uint32_t thread, size_t depth, uint32_t word) {
  FL_TRY(w, window(time > history_.replay().start() ? time - 1 : time));
  if (time < w->end) { // stop just before it
    FL_TRY(part, recordInstances(history_, w->start, time));
    w = part;
  }
  auto it = w->stacks.find(thread);
  if (it == w->stacks.end() || depth >= it->second.size()) return Origin{};
  auto level = uint32_t(it->second.size() - 1 - depth);
  const FrameEnd& frame = it->second[level];
  if (word >= frame.words.size()) return Origin{};
  const InstanceFrame& info = w->frames[frame.frame];
  return resolveWord(w, frame.words[word], {thread, level, info.module, info.function}, word);
}

Result<std::vector<OriginPiece>> Instances::memory(uint64_t time, uint64_t address, uint64_t size) {
  FL_TRY(w, window(time > history_.replay().start() ? time - 1 : time));
  if (time < w->end) {
    FL_TRY(part, recordInstances(history_, w->start, time));
    w = part;
  }
  std::vector<OriginPiece> out;
  FL_CHECK(resolveBytes(w, address, size, 0, out));
  std::sort(out.begin(), out.end(),
            [](const OriginPiece& a, const OriginPiece& b) { return a.offset < b.offset; });
  return out;
}

Result<void> Instances::branches(uint64_t from, uint64_t to,
                                 const std::function<bool(uint64_t, uint32_t, uint32_t)>& visit) {
  while (to > from) {
    FL_TRY(w, window(to - 1));
    auto end = std::lower_bound(w->branches.begin(), w->branches.end(), to - w->start);
    for (auto it = end; it != w->branches.begin();) {
      uint64_t time = w->start + *--it;
      if (time < from) return {};
      const InstanceRecord& r = w->records[*it];
      if (!visit(time, r.id, w->frames[r.frame].depth)) return {};
    }
    to = w->start;
  }
  return {};
}

Result<void> Instances::writes(uint64_t from, uint64_t to,
                               const std::function<bool(uint64_t, uint32_t)>& visit) {
  while (to > from) {
    FL_TRY(w, window(to - 1));
    auto end = std::lower_bound(w->writes.begin(), w->writes.end(), to - w->start);
    for (auto it = end; it != w->writes.begin();) {
      uint64_t time = w->start + *--it;
      if (time < from || !visit(time, w->records[*it].id)) return {};
    }
    to = w->start;
  }
  return {};
}

} // namespace faultline::depend

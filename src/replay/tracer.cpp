#include "replay/tracer.h"

#include "replay/handler_macros.h"
#include "replay/machine.h"

namespace faultline::replay {

namespace {

FL_HANDLER noteSegment(FL_HANDLER_PARAMETERS) {
  const DecodedFunction& f = *m->frame->function;
  auto index = uint32_t(ip - f.plain.data());
  m->tracer->note(f, index, w);
  [[clang::musttail]] return f.traceEnds[index].original(FL_PASS);
}

} // namespace

Handler traceHandler() { return noteSegment; }

const Tracer::Numbering& Tracer::numbering(const LoadedModule& module) {
  while (modules_.size() <= module.number) modules_.push_back(nullptr);
  auto& slot = modules_[module.number];
  if (slot) return *slot;
  // Modules are loaded in order of their numbers, and each is seen before the next one is loaded.
  uint32_t base = 0;
  for (auto& other : modules_)
    if (other) base = std::max(base, other->base + uint32_t(other->segments.all().size()));
  slot = std::make_unique<Numbering>(Numbering{base, fir::Segments(*module.image)});
  return *slot;
}

uint32_t Tracer::segmentBase(const LoadedModule& module) { return numbering(module).base; }
const fir::Segments& Tracer::segments(const LoadedModule& module) { return numbering(module).segments; }
uint32_t Tracer::segmentAt(const DecodedFunction& f, uint32_t index) {
  const Numbering& n = numbering(*f.module);
  return n.base + n.segments.of(f.localId(index));
}

void Tracer::attach(DecodedFunction& f) {
  const Numbering& n = numbering(*f.module);
  const fir::Image& image = *f.module->image;
  if (f.traceEnds.empty()) {
    f.traceEnds.resize(f.instructionCount());
    for (uint32_t k = 0; k < f.instructionCount();) {
      uint32_t number = n.segments.of(f.localId(k));
      const fir::Segment& segment = n.segments[number];
      TraceEnd& end = f.traceEnds[k + segment.count - 1];
      end.event = makeEvent(TraceEvent::Segment, n.base + number);
      end.firstWord = uint32_t(f.traceWords.size());
      for (uint32_t j = 0; j < segment.count; ++j)
        traceWords(image, f.instruction(k + j), [&](uint32_t word) { f.traceWords.push_back(word); });
      end.wordCount = uint32_t(f.traceWords.size()) - end.firstWord;
      end.original = f.plain[k + segment.count - 1].handler;
      k += segment.count;
    }
  }
  for (uint32_t k = 0; k < f.instructionCount(); ++k)
    if (f.traceEnds[k].original) f.plain[k].handler = traceHandler();
}

void Tracer::detach(DecodedFunction& f) {
  for (uint32_t k = 0; k < f.traceEnds.size(); ++k)
    if (f.traceEnds[k].original) f.plain[k].handler = f.traceEnds[k].original;
}

void Tracer::begin(uint64_t time, const Frame* top, uint32_t position, bool inCode) {
  trace_ = Trace{};
  trace_.start = time;
  trace_.events.reserve(expectedEvents_);
  trace_.words.reserve(expectedWords_);
  pending_.clear();
  startFrame_ = nullptr;
  if (!top || !inCode) return;
  const fir::Segments& all = segments(*top->function->module);
  uint32_t local = top->function->localId(position);
  if (all[all.of(local)].first == local) return;
  startFrame_ = top;
  startFunction_ = top->function;
  startPosition_ = position;
}

Trace Tracer::take(uint64_t time) {
  trace_.end = time;
  if (trace_.events.size() > 100) {
    expectedEvents_ = trace_.events.size() + trace_.events.size() / 8;
    expectedWords_ = trace_.words.size() + trace_.words.size() / 8;
  }
  return std::move(trace_);
}

void Tracer::note(const DecodedFunction& f, uint32_t index, const uint64_t* w) {
  const TraceEnd& end = f.traceEnds[index];
  if (startFrame_) [[unlikely]] {
    // Where the trace began only the rest of a segment was executed.
    uint32_t from = startPosition_;
    bool isIt = startFunction_ == &f && segmentAt(f, from) == eventNumber(end.event);
    if (isIt) {
      startFrame_ = nullptr;
      return addPart(f, from, index + 1, w);
    }
  }
  trace_.events.push_back(end.event);
  if (!end.wordCount) return;
  size_t before = trace_.words.size();
  trace_.words.resize(before + end.wordCount);
  uint64_t* out = trace_.words.data() + before;
  const uint32_t* from = f.traceWords.data() + end.firstWord;
  for (uint32_t k = 0; k < end.wordCount; ++k) out[k] = w[from[k]];
}

void Tracer::addPart(const DecodedFunction& f, uint32_t from, uint32_t to, const uint64_t* w) {
  const fir::Segment& segment = segments(*f.module)[segments(*f.module).of(f.localId(from))];
  uint32_t first = segment.first - f.localId(0);
  add({.kind = TraceOther::Part, .segment = segmentAt(f, from), .from = from - first, .count = to - from});
  for (uint32_t k = from; k < to; ++k)
    traceWords(*f.module->image, f.instruction(k), [&](uint32_t word) { trace_.words.push_back(w[word]); });
}

void Tracer::add(TraceOther other) {
  trace_.events.push_back(makeEvent(TraceEvent::Other, uint32_t(trace_.others.size())));
  trace_.others.push_back(other);
}

void Tracer::onEnter(const DecodedFunction& f, bool isSignal) {
  add({.kind = TraceOther::Enter, .from = isSignal, .module = f.module->number, .function = f.number});
}
void Tracer::onReturn(const CallSite& site) {
  trace_.events.push_back(makeEvent(TraceEvent::Return, segmentAt(*site.function, site.index)));
}
void Tracer::onLeave() { add({.kind = TraceOther::Leave}); }

void Tracer::onStop(const Frame& frame, const uint64_t* w, uint32_t position) {
  const DecodedFunction& f = *frame.function;
  if (position >= f.instructionCount()) return;
  const fir::Segments& all = segments(*f.module);
  uint32_t first = all[all.of(f.localId(position))].first - f.localId(0);
  if (startFrame_ && startFunction_ == &f && segmentAt(f, startPosition_) == segmentAt(f, position)) {
    first = startPosition_;
    startFrame_ = nullptr;
  }
  if (first < position) addPart(f, first, position, w);
}

void Tracer::onUnwind(const Frame& frame) {
  add({.kind = TraceOther::Unwound,
       .module = frame.function->module->number,
       .function = frame.function->number});
}
void Tracer::onLand(const CallSite& site) {
  add({.kind = TraceOther::Land, .segment = segmentAt(*site.function, site.index)});
}
void Tracer::onJumped(const CallSite& site) {
  add({.kind = TraceOther::Jumped, .segment = segmentAt(*site.function, site.index)});
}
void Tracer::onSwitch(uint32_t from, uint32_t to) {
  add({.kind = TraceOther::Switch, .from = from, .count = to});
}
void Tracer::onNoticed(const DecodedFunction& f, uint32_t index, uint64_t address, uint64_t size) {
  for (const Area& a : variableAreas_)
    if (address - a.address < a.size) return;
  uint32_t segment = segmentAt(f, index);
  uint32_t first = segments(*f.module)[segment - segmentBase(*f.module)].first - f.localId(0);
  add({.kind = TraceOther::OutsideWrite,
       .segment = segment,
       .from = index - first,
       .address = address,
       .size = size});
}

// Machine code, not the program, puts arguments there: what a load of them notices is no outside write.
void Tracer::onVariableArguments(uint64_t list, const uint64_t (&content)[3]) {
  constexpr uint64_t kSaved = 176, kStack = 512;
  constexpr size_t kKept = 64;
  if (variableAreas_.size() >= 2 * kKept)
    variableAreas_.erase(variableAreas_.begin(), variableAreas_.end() - kKept);
  variableAreas_.push_back({content[2], kSaved});
  variableAreas_.push_back({content[1], kStack});
  add({.kind = TraceOther::VariableArguments,
       .from = uint32_t(content[0]),
       .count = uint32_t(content[0] >> 32),
       .address = content[2],
       .size = content[1],
       .number = list});
  if (listener_)
    listener_->onVariableArguments(content[2], uint32_t(content[0]), uint32_t(content[0] >> 32), content[1]);
}

void Tracer::onOutsideCall(const OutsideCall& call, uint32_t thread, size_t depth) {
  pending_.push_back({thread, depth, listener_ && call.site.info ? listener_->onOutsideCall(call) : 0});
}
void Tracer::onOutsideWrite(uint64_t address, uint64_t size) {
  if (listener_) listener_->onOutsideWrite(address, size);
}
void Tracer::onOutsideReturn(const OutsideCall& call, uint32_t thread, size_t depth,
                             std::span<const uint64_t> result, bool returned) {
  uint64_t number = kNoCall;
  while (!pending_.empty()) {
    // Calls further in that did not return are gone with this one.
    auto it = std::find_if(pending_.rbegin(), pending_.rend(),
                           [&](const Pending& p) { return p.thread == thread; });
    if (it == pending_.rend() || it->depth < depth) break;
    bool isIt = it->depth == depth;
    if (isIt) number = it->number;
    pending_.erase(std::next(it).base());
    if (isIt) break;
  }
  if (!call.site.info) number = kNoCall;
  if (listener_ && call.site.info) number = listener_->onOutsideReturn(call, number, result, returned);
  add({.kind = TraceOther::Outside,
       .segment = segmentAt(*call.site.function, call.site.index),
       .from = returned,
       .number = number});
}

} // namespace faultline::replay

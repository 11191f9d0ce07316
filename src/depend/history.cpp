#include "depend/history.h"

#include <algorithm>

namespace faultline::depend {

using replay::Time;

RunCode::Where RunCode::where(uint32_t id) {
  const replay::LoadedModule* module = program_.moduleOf(id);
  if (!module) return {};
  const fir::Segments& segments = numbering_.segments(*module);
  const fir::Segment& segment = segments[segments.of(id - module->base)];
  return {module, segment.function, id - module->base, segment.block};
}

uint32_t RunCode::blockOf(uint32_t module, uint32_t local) {
  if (module >= segments_.size()) segments_.resize(module + 1);
  if (!segments_[module]) segments_[module] = &numbering_.segments(*program_.modules()[module]);
  const fir::Segments& segments = *segments_[module];
  return segments[segments.of(local)].block;
}

const SegmentCode& RunCode::segmentOf(uint32_t id) {
  const replay::LoadedModule* module = program_.moduleOf(id);
  return segment(numbering_.segmentBase(*module) + numbering_.segments(*module).of(id - module->base));
}

std::unique_ptr<SegmentCode> RunCode::makeSegment(uint32_t number) {
  for (const auto& module : program_.modules()) {
    uint32_t base = numbering_.segmentBase(*module);
    const fir::Segments& segments = numbering_.segments(*module);
    if (number < base || number - base >= segments.all().size()) continue;
    ModuleCode code{module->image, &segments, base, module->base, module->constants};
    return decodeSegment(code, module->number, segments[number - base]);
  }
  return std::make_unique<SegmentCode>(); // of a module that is gone: it cannot be, in a trace of this run
}

std::unique_ptr<FunctionCode> RunCode::makeFunction(uint32_t module, uint32_t number) {
  return decodeFunction(*program_.modules()[module]->image, module, number);
}

Code::Numbers RunCode::segmentsOf(uint32_t module) {
  if (module >= program_.modules().size()) return {};
  const replay::LoadedModule& loaded = *program_.modules()[module];
  return {numbering_.segmentBase(loaded), uint32_t(numbering_.segments(loaded).all().size())};
}

bool RunCode::hasFunction(uint32_t module, uint32_t number) {
  return module < program_.modules().size() && number < program_.modules()[module]->image->functions.size();
}

History::History(replay::Replay& replay, const CallModels& models, HistoryOptions options)
    : replay_(replay), models_(models), options_(std::move(options)), numbering_(nullptr),
      code_(replay.program(), numbering_), summarizer_(code_), ends_(options_.windowInstructions) {
  if (!options_.side) return;
  summaries_.load(*options_.side, options_.windowInstructions);
  ends_.load(*options_.side);
}

// That it cannot be written costs the next process time, and is no reason to complain.
History::~History() {
  if (!options_.side || traced_ < options_.keepFrom) return;
  (void)summaries_.write(*options_.side, options_.windowInstructions);
  (void)ends_.write(*options_.side);
}

std::shared_ptr<const Window> History::kept(Time start, Time end) {
  for (auto it = kept_.begin(); it != kept_.end(); ++it)
    if (it->start == start && it->end == end) {
      kept_.splice(kept_.begin(), kept_, it);
      return kept_.front().window;
    }
  return nullptr;
}

void History::keep(Time start, Time end, std::shared_ptr<const Window> window) {
  keptBytes_ += window->trace.bytes();
  kept_.push_front({start, end, std::move(window)});
  // A walk over the whole run is often followed by another one from the same end, which soon comes to what
  // the first one asked for first: so what goes is neither that nor what was traced just now, but what is in
  // between.
  size_t latest = 2 * options_.windowsTogether;
  while (keptBytes_ > options_.memoryBytes && kept_.size() > latest) {
    auto middle = std::next(kept_.begin(), ptrdiff_t(latest));
    keptBytes_ -= middle->window->trace.bytes();
    kept_.erase(middle);
  }
}

Result<void> History::trace(Time from, Time to) {
  FL_CHECK(replay_.seek(from));
  const uint64_t size = options_.windowInstructions;
  std::shared_ptr<Window> made;
  auto begin = [&] {
    made = std::make_shared<Window>();
    made->calls = std::make_unique<OutsideCalls>(models_);
    made->epoch = replay_.current().epoch;
    numbering_.setListener(made->calls.get());
  };
  begin();
  Time start = from;
  auto nextEnd = [&] { return std::min(to, (start / size + 1) * size); };
  auto done = replay_.traceParts(numbering_, nextEnd(), [&](replay::Trace part) -> Time {
    made->trace = std::move(part);
    made->thread = replay_.thread();
    traced_ += made->trace.end - made->trace.start;
    Time end = nextEnd();
    if (!summaries_.find(start, end)) summaries_.add(start, end, summarizer_.summarize(*made));
    keep(start, end, std::move(made));
    start = end;
    begin();
    return start < to ? nextEnd() : start;
  });
  numbering_.setListener(nullptr);
  return done;
}

Result<void> History::observe(Time from, Time to, replay::Observer& observer,
                              replay::TraceListener& listener) {
  FL_CHECK(replay_.seek(from));
  numbering_.setListener(&listener);
  auto done = replay_.observe(observer, to, &numbering_);
  numbering_.setListener(nullptr);
  return done;
}

Result<std::shared_ptr<const Window>> History::window(Time start, Time end, Time from, Time to) {
  if (auto found = kept(start, end)) return found;
  FL_CHECK(trace(from, to));
  auto made = kept(start, end);
  if (!made) return errorf("the run ends before instruction @{}", start);
  return made;
}

bool History::isToStop(uint64_t instructions) {
  if (watch_ && !watch_(instructions)) wasStopped_ = true;
  return wasStopped_;
}

// What is traced together with the window at `start`: from a state on that the replay has, if one is near
// enough, since it would have to run there first.
Time History::batchStart(Time start, uint64_t together) const {
  const uint64_t size = options_.windowInstructions;
  const Time first = replay_.start();
  auto windowsBefore = [&](uint64_t count) {
    return start / size > count ? std::max(first, (start / size - count) * size) : first;
  };
  Time usual = windowsBefore(together - 1);
  if (together == 1 || together < options_.windowsTogether) return usual;
  Time state = std::max(first, (replay_.stateBefore(start) + size - 1) / size * size);
  return state >= windowsBefore(2 * together - 1) && state <= start ? state : usual;
}

Result<void> History::backwards(Time t, const Visit& visit, const PassOver& passOver) {
  const uint64_t size = options_.windowInstructions;
  const Time first = replay_.start(); // a recording may begin later than the run
  uint64_t together = 1;
  for (Time end = t; end > first;) {
    Time start = std::max(first, (end - 1) / size * size);
    const WindowSummary* summary = passOver ? summaries_.find(start, end) : nullptr;
    if (summary && passOver(*summary)) {
      passedOver_ += end - start;
      together = 1;
    } else {
      // Where nothing was passed over for a while, nothing will be.
      together = summary ? std::min(together * 2, options_.windowsTogether) : options_.windowsTogether;
      FL_TRY(made, window(start, end, batchStart(start, together), end));
      if (!visit(*made)) return {};
    }
    if (isToStop(end - start)) return {};
    end = start;
  }
  return {};
}

const WindowSummary* History::summaryBefore(Time end) const {
  if (end <= replay_.start()) return nullptr;
  return summaries_.find(
      std::max(replay_.start(), (end - 1) / options_.windowInstructions * options_.windowInstructions), end);
}

Result<void> History::forwards(Time t, Time end, const Visit& visit) {
  const uint64_t size = options_.windowInstructions;
  for (Time start = std::max(t, replay_.start()); start < end;) {
    Time next = std::min(end, (start / size + 1) * size);
    FL_TRY(made, window(start, next, start, std::min(end, (start / size + options_.windowsTogether) * size)));
    if (!visit(*made) || isToStop(next - start)) return {};
    if (made->trace.end < next) return {}; // the run is over
    start = next;
  }
  return {};
}

} // namespace faultline::depend

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

History::History(replay::Replay& replay, const CallModels& models, HistoryOptions options)
    : replay_(replay), models_(models), options_(options), numbering_(nullptr),
      code_(replay.program(), numbering_) {}

Result<std::shared_ptr<const Window>> History::window(Time start, Time end) {
  for (auto it = kept_.begin(); it != kept_.end(); ++it)
    if (it->start == start && it->end == end) {
      kept_.splice(kept_.begin(), kept_, it);
      return kept_.front().window;
    }
  FL_CHECK(replay_.seek(start));
  auto made = std::make_shared<Window>();
  made->calls = std::make_unique<OutsideCalls>(models_);
  numbering_.setListener(made->calls.get());
  auto trace = replay_.trace(numbering_, end);
  numbering_.setListener(nullptr);
  if (!trace) return trace.error();
  made->trace = std::move(*trace);
  traced_ += made->trace.end - made->trace.start;
  keptBytes_ += made->trace.bytes();
  kept_.push_front({start, end, made});
  while (keptBytes_ > options_.memoryBytes && kept_.size() > 1) {
    keptBytes_ -= kept_.back().window->trace.bytes();
    kept_.pop_back();
  }
  return std::shared_ptr<const Window>(made);
}

bool History::isToStop(uint64_t instructions) {
  if (watch_ && !watch_(instructions)) wasStopped_ = true;
  return wasStopped_;
}

Result<void> History::backwards(Time t, const std::function<bool(const Window&)>& visit) {
  const uint64_t size = options_.windowInstructions;
  const Time first = replay_.start(); // a recording may begin later than the run
  for (Time end = t; end > first;) {
    Time start = std::max(first, (end - 1) / size * size);
    FL_TRY(made, window(start, end));
    if (!visit(*made) || isToStop(end - start)) return {};
    end = start;
  }
  return {};
}

Result<void> History::forwards(Time t, Time end, const std::function<bool(const Window&)>& visit) {
  const uint64_t size = options_.windowInstructions;
  for (Time start = std::max(t, replay_.start()); start < end;) {
    Time next = std::min(end, (start / size + 1) * size);
    FL_TRY(made, window(start, next));
    if (!visit(*made) || isToStop(next - start)) return {};
    if (made->trace.end < next) return {}; // the run is over
    start = next;
  }
  return {};
}

} // namespace faultline::depend

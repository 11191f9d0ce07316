#include "replay/replay.h"

#include "replay/checkpoints.h"
#include "replay/verify.h"

namespace faultline::replay {

namespace {

class EngineMemory : public MemoryView {
public:
  explicit EngineMemory(Engine& engine) : engine_(engine) {}
  bool read(uint64_t address, std::span<uint8_t> out) const override {
    Memory& memory = engine_.memory();
    bool all = true;
    while (!out.empty()) { // page by page
      size_t size = std::min<size_t>(out.size(), kPageSize - address % kPageSize);
      bool known = memory.isPresent(address) && memory.read(address, out.data(), size);
      if (!known) std::memset(out.data(), 0, size);
      all &= known;
      out = out.subspan(size);
      address += size;
    }
    return all;
  }

private:
  Engine& engine_;
};

class EngineSymbols : public SymbolView {
public:
  explicit EngineSymbols(const Engine& engine) : engine_(engine) {}
  size_t moduleCount() const override { return engine_.program().modules().size(); }
  const fir::Image& image(size_t module) const override {
    return *engine_.program().modules()[module]->image;
  }
  uint64_t address(size_t module, uint32_t symbol) const override {
    const std::vector<uint64_t>& addresses = engine_.program().modules()[module]->addresses;
    return symbol < addresses.size() ? addresses[symbol] : 0;
  }

private:
  const Engine& engine_;
};

} // namespace

struct Replay::Impl {
  Impl(Program program, LogReader log, const ReplayOptions& options)
      : checkpoints(options), engine(std::move(program), std::move(log), options), memoryView(engine),
        symbolView(engine) {}
  ~Impl() { checkpoints.keep(engine); }

  // `run` goes on until the time it is given, or to where it wants to be; `enough` is asked in between.
  template <class Run, class Enough> Result<Engine::Stop> inPieces(Time t, Run run, Enough enough) {
    for (;;) {
      if (engine.steps() >= checkpoints.next()) checkpoints.add(engine);
      Time next = std::min(t, checkpoints.next()), before = engine.steps();
      // A stop that is not exact comes up to a function's length later: not if that might be beyond t.
      auto ran = run(next, t - next <= engine.program().longestFunction() + 2);
      executed += engine.steps() - before;
      FL_TRY(stop, std::move(ran));
      if (stop == Engine::Stop::Ended) checkpoints.addEnd(engine);
      if (stop != Engine::Stop::Limit || (next == t && engine.steps() >= t) || enough()) return stop;
    }
  }
  Result<void> forward(Time t) {
    auto stop =
        inPieces(t, [&](Time next, bool exact) { return engine.run(next, exact); }, [] { return false; });
    if (!stop) return stop.error();
    return {};
  }

  Result<void> enter(const recording::StartState& from) {
    FL_TRY(root, from.root());
    PageReader pages(from.pages, [&](uint32_t block) { return from.block(block); });
    FL_TRY(state, engine.decode(root, pages));
    FL_CHECK(engine.restore(state));
    start = engine.steps();
    startEpoch = engine.epoch();
    return {};
  }
  Error isBeforeStart() const {
    return errorf("the recording begins at instruction @{}: it has only the end of the run", start);
  }

  Checkpoints checkpoints;
  Time start = 0;
  uint64_t startEpoch = 0;
  uint64_t executed = 0;
  Engine engine;
  EngineMemory memoryView;
  EngineSymbols symbolView;
};

Replay::Replay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Replay::Replay(Replay&&) noexcept = default;
Replay& Replay::operator=(Replay&&) noexcept = default;
Replay::~Replay() = default;

Result<Replay> Replay::open(std::vector<fir::Image> images, LogReader log, ReplayOptions options) {
  auto impl = std::make_unique<Impl>(Program(std::move(images)), std::move(log), options);
  if (options.start) FL_CHECK(impl->enter(*options.start));
  impl->checkpoints.add(impl->engine); // the start
  return Replay(std::move(impl));
}

Result<Ending> Replay::runToEnd() {
  FL_CHECK(impl_->checkpoints.approach(impl_->engine, kNever));
  FL_CHECK(impl_->forward(kNever));
  return ending();
}

Result<Ending> Replay::runToEnd(OutsideListener& listener) {
  FL_CHECK(seek(start()));
  impl_->engine.setListener(&listener);
  auto done = impl_->forward(kNever);
  impl_->engine.setListener(nullptr);
  if (!done) return done.error();
  return ending();
}

Result<void> Replay::seek(Time t) {
  if (t < impl_->start) return impl_->isBeforeStart();
  FL_CHECK(impl_->checkpoints.approach(impl_->engine, t));
  if (atEnd() && t >= now()) return {};
  return impl_->forward(t);
}

Result<bool> Replay::runToInstance(uint64_t epoch, uint64_t globalId) {
  if (epoch < impl_->startEpoch) return impl_->isBeforeStart();
  FL_CHECK(impl_->checkpoints.approachEpoch(impl_->engine, epoch));
  // What does not come in its epoch does not come.
  FL_TRY(stop,
         impl_->inPieces(
             kNever, [&](Time next, bool) { return impl_->engine.runToInstance(epoch, globalId, next); },
             [&] { return impl_->engine.epoch() > epoch; }));
  return stop == Engine::Stop::Break;
}

Result<void> Replay::observe(Observer& observer, Time t, Tracer* tracer) {
  Engine& engine = impl_->engine;
  engine.setObserver(&observer);
  if (tracer) engine.setTracer(tracer);
  auto stop = engine.run(t);
  if (tracer) {
    engine.setTracer(nullptr);
    (void)tracer->take(engine.steps());
  }
  engine.setObserver(nullptr);
  if (!stop) return stop.error();
  return {};
}

Result<Trace> Replay::trace(Tracer& tracer, Time t) {
  impl_->engine.setTracer(&tracer);
  auto stop = impl_->engine.run(t);
  impl_->engine.setTracer(nullptr);
  if (!stop) return stop.error();
  return tracer.take(impl_->engine.steps());
}

Result<void> Replay::traceParts(Tracer& tracer, Time end, const std::function<Time(Trace)>& take) {
  Engine& engine = impl_->engine;
  Engine::Stop stop = Engine::Stop::Limit;
  engine.setTracer(&tracer);
  while (stop != Engine::Stop::Ended) {
    auto ran = engine.run(end);
    if (!ran) {
      engine.setTracer(nullptr);
      return ran.error();
    }
    stop = *ran;
    engine.endTrace();
    Time next = take(tracer.take(engine.steps()));
    engine.beginTrace();
    if (next <= end) break;
    end = next;
  }
  engine.setTracer(nullptr);
  tracer.take(engine.steps()); // of nothing
  return {};
}

Result<VerifyReport> Replay::verify() {
  // What another process left is no proof.
  impl_->checkpoints.forgetFile();
  FL_CHECK(seek(start()));
  uint64_t before = start() ? impl_->engine.recordsTaken() : 0;
  FL_TRY(report, verifyRun(*this));
  report.records -= before;
  return report;
}

Time Replay::start() const { return impl_->start; }
Time Replay::now() const { return impl_->engine.current().time; }
bool Replay::atEnd() const { return impl_->engine.ending().kind != Ending::None; }
Instance Replay::current() const { return impl_->engine.current(); }
const Ending& Replay::ending() const { return impl_->engine.ending(); }
std::optional<HandledFault> Replay::handledFault() const {
  return atEnd() ? impl_->engine.handledFault() : std::nullopt;
}
std::optional<Time> Replay::mainReturn() const {
  Time t = impl_->engine.mainReturn();
  return t == kNever ? std::nullopt : std::optional(t);
}
const std::optional<Divergence>& Replay::divergence() const { return impl_->engine.divergence(); }
uint32_t Replay::thread() const { return impl_->engine.runningThread(); }
const Program& Replay::program() const { return impl_->engine.program(); }
Time Replay::stateBefore(Time t) const { return impl_->checkpoints.lastBefore(t); }
size_t Replay::checkpoints() const { return impl_->checkpoints.count(); }
uint64_t Replay::executed() const { return impl_->executed; }
Engine& Replay::engine() { return impl_->engine; }

std::vector<uint32_t> Replay::threads() const {
  std::vector<uint32_t> numbers;
  for (const Thread* t : impl_->engine.threads()) numbers.push_back(t->number);
  return numbers;
}

std::vector<FrameView> Replay::frames() const { return frames(thread()); }

std::vector<FrameView> Replay::frames(uint32_t number) const {
  std::vector<FrameView> views;
  for (const Thread* t : impl_->engine.threads()) {
    if (t->number != number) continue;
    for (size_t k = t->depth; k-- > 0;) {
      const Frame& f = t->frames.data[k];
      bool top = k + 1 == t->depth;
      uint32_t index = t->position;
      if (top ? t->place == Place::Outside : t->frames.data[k + 1].kind <= Frame::FromOutside)
        index = f.site ? f.site->index : 0;
      else if (!top)
        index = t->frames.data[k + 1].resume;
      views.push_back({f.function->module->image,
                       f.function->number,
                       f.function->localId(index),
                       {t->words.data + f.words, f.function->words},
                       f.base,
                       f.topBefore,
                       f.function->module->number,
                       f.kind != Frame::Called,
                       f.entryEpoch});
    }
  }
  return views;
}

const MemoryView& Replay::memoryView() const { return impl_->memoryView; }
const SymbolView& Replay::symbolView() const { return impl_->symbolView; }

} // namespace faultline::replay

#include "replay/replay.h"

#include "replay/checkpoint.h"
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

// Checkpoints lie `interval` apart. When there are too many, or their memory is, every other one goes and
// the interval doubles, so that a run of any length keeps a bounded number.
struct Replay::Impl {
  Impl(Program program, LogReader log, const ReplayOptions& options)
      : options(options), interval(std::max<uint64_t>(options.checkpointInterval, 1)),
        engine(std::move(program), std::move(log), options), memoryView(engine), symbolView(engine) {}

  Result<void> forward(Time t) {
    for (;;) {
      if (engine.steps() >= nextCheckpoint()) checkpoint();
      Time next = std::min(t, nextCheckpoint());
      FL_TRY(stop, engine.run(next, next == t));
      if (stop == Engine::Stop::Ended || (next == t && engine.steps() >= t)) return {};
    }
  }
  Time nextCheckpoint() const { return checkpoints.empty() ? 0 : checkpoints.rbegin()->first + interval; }
  void checkpoint() {
    const Engine::State* before = checkpoints.empty() ? nullptr : &checkpoints.rbegin()->second;
    checkpoints.emplace(engine.steps(), engine.save(before));
    while (checkpoints.size() > 2 && (checkpoints.size() > options.checkpointCount ||
                                      engine.memory().bytesInUse() > options.checkpointBytes)) {
      size_t before = checkpoints.size();
      thinOut();
      if (checkpoints.size() == before) break;
    }
  }
  void thinOut() {
    interval *= 2;
    Time last = 0; // the first one stays
    for (auto it = std::next(checkpoints.begin()); it != checkpoints.end();) {
      if (it->first - last < interval && std::next(it) != checkpoints.end()) {
        it = checkpoints.erase(it);
      } else {
        last = it->first;
        ++it;
      }
    }
  }
  // The last one not after t, if it is of any use.
  Result<void> approach(Time t) {
    auto it = checkpoints.upper_bound(t);
    if (it == checkpoints.begin()) return {};
    --it;
    bool ended = engine.ending().kind != Ending::None;
    if (t >= engine.steps() && (ended || it->first <= engine.steps())) return {};
    return engine.restore(it->second);
  }

  ReplayOptions options;
  uint64_t interval;
  std::map<Time, Engine::State> checkpoints;
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
  impl->checkpoint(); // the start
  return Replay(std::move(impl));
}

Result<Ending> Replay::runToEnd() {
  FL_CHECK(impl_->forward(kNever));
  return ending();
}

Result<Ending> Replay::runToEnd(OutsideListener& listener) {
  FL_CHECK(seek(0));
  impl_->engine.setListener(&listener);
  auto done = impl_->forward(kNever);
  impl_->engine.setListener(nullptr);
  if (!done) return done.error();
  return ending();
}

Result<void> Replay::seek(Time t) {
  FL_CHECK(impl_->approach(t));
  if (atEnd() && t >= now()) return {};
  return impl_->forward(t);
}

Result<bool> Replay::runToInstance(uint64_t epoch, uint64_t globalId) {
  FL_TRY(stop, impl_->engine.runToInstance(epoch, globalId));
  return stop == Engine::Stop::Break;
}

Result<void> Replay::observe(Observer& observer, Time t) {
  impl_->engine.setObserver(&observer);
  auto stop = impl_->engine.run(t);
  impl_->engine.setObserver(nullptr);
  if (!stop) return stop.error();
  return {};
}

Result<VerifyReport> Replay::verify() { return verifyRun(*this); }

Time Replay::now() const { return impl_->engine.current().time; }
bool Replay::atEnd() const { return impl_->engine.ending().kind != Ending::None; }
Instance Replay::current() const { return impl_->engine.current(); }
const Ending& Replay::ending() const { return impl_->engine.ending(); }
const std::optional<Divergence>& Replay::divergence() const { return impl_->engine.divergence(); }
uint32_t Replay::thread() const { return impl_->engine.runningThread(); }
const Program& Replay::program() const { return impl_->engine.program(); }
size_t Replay::checkpoints() const { return impl_->checkpoints.size(); }
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
                       f.kind != Frame::Called});
    }
  }
  return views;
}

const MemoryView& Replay::memoryView() const { return impl_->memoryView; }
const SymbolView& Replay::symbolView() const { return impl_->symbolView; }

} // namespace faultline::replay

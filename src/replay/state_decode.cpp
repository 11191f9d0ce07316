// Bytes as a State (see state_encode.cpp). The bytes are not believed: every number is checked against the
// program and the other numbers before it becomes a pointer or a size, so that a damaged state is refused, or
// at worst replays another run.
#include "base/bytes.h"
#include "replay/checkpoint.h"
#include "replay/page_store.h"
#include "replay/state_format.h"

#include <algorithm>

namespace faultline::replay {

class StateDecoder {
public:
  StateDecoder(Engine& engine, std::span<const uint8_t> bytes, PageReader& pages)
      : e_(engine), in_(bytes), pages_(pages) {}

  Result<Engine::State> run() {
    size_t modules = e_.program_.modules().size();
    std::optional<Error> before = e_.error_;
    auto state = decode();
    e_.program_.use(modules);
    e_.error_ = before;
    return state;
  }

private:
  Result<Engine::State> decode() {
    if (in_.take<uint32_t>() != kStateVersion) return errorf("the state has another version");
    Engine::State s;
    s.steps = in_.take<uint64_t>();
    s.epoch = in_.take<uint64_t>();
    s.running = in_.take<uint32_t>();
    s.lastEpoch = in_.take<uint64_t>();
    s.recordsTaken = in_.take<uint64_t>();
    s.mainReturn = in_.take<uint64_t>();
    s.log.chunk = in_.take<uint32_t>();
    s.log.offset = in_.take<uint32_t>();
    s.log.epochBase = in_.take<uint64_t>();
    FL_CHECK(takeEnding(s.ending));
    if (in_.take<uint8_t>()) {
      HandledFault& fault = s.handled.emplace();
      fault.time = in_.take<uint64_t>();
      fault.epoch = in_.take<uint64_t>();
      fault.thread = in_.take<uint32_t>();
      fault.depth = in_.take<uint64_t>();
      FL_CHECK(takeEnding(fault.how));
    }
    FL_CHECK(takeModules(s));
    FL_TRY(cells, takeStream());
    FL_CHECK(takeMemory(s));
    FL_CHECK(takeThreads(s));
    if (!in_.ok() || in_.left()) return errorf("the state has not the size that it says");
    // Last: each function that is made ready may add cells.
    FL_CHECK(placeCells(cells, s));
    return s;
  }

  // Bytes in all that streams may have, since a few page numbers can stand for much.
  Result<std::vector<uint8_t>> takeStream() {
    auto size = in_.take<uint64_t>();
    if (size > in_.left() * (kPageSize / sizeof(uint32_t)) || size > room_)
      return errorf("the state has a part of impossible size");
    room_ -= size;
    std::vector<uint8_t> bytes;
    bytes.reserve(size);
    while (bytes.size() < size) {
      FL_TRY(page, pages_.page(in_.take<uint32_t>()));
      bytes.insert(bytes.end(), page, page + std::min<uint64_t>(size - bytes.size(), kPageSize));
    }
    return bytes;
  }

  template <class T> Result<std::vector<T>> takeValues() {
    FL_TRY(bytes, takeStream());
    if (bytes.size() % sizeof(T)) return errorf("the state has a part of impossible size");
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  Result<void> takeEnding(Ending& e) {
    auto kind = in_.take<uint8_t>();
    e.signal = in_.take<uint8_t>();
    auto flags = in_.take<uint8_t>();
    if (kind > Ending::LogEnded || flags > 15) return errorf("the state has an impossible ending");
    e.kind = Ending::Kind(kind);
    e.write = flags & 1, e.outside = flags & 2, e.smashed = flags & 4, e.exact = flags & 8;
    e.status = in_.take<uint32_t>();
    e.code = in_.take<uint32_t>();
    e.address = in_.take<uint64_t>();
    e.pc = in_.take<uint64_t>();
    return {};
  }

  Result<void> takeModules(Engine::State& s) {
    s.modules = in_.take<uint32_t>();
    if (s.modules > in_.left()) return errorf("the state has too many objects");
    for (size_t k = 0; k < s.modules; ++k) {
      auto hash = in_.take<uint64_t>();
      auto base = in_.take<uint32_t>();
      FL_TRY(addresses, takeValues<uint64_t>());
      if (!in_.ok()) return errorf("the state is cut off");
      FL_CHECK(e_.program_.announce(k, hash, base, std::move(addresses)));
    }
    // Functions are made ready with the program as it then was.
    e_.program_.use(s.modules);
    return {};
  }

  Result<void> takeMemory(Engine::State& s) {
    FL_TRY(addresses, takeValues<uint64_t>());
    FL_TRY(numbers, takeValues<uint32_t>());
    if (addresses.size() != numbers.size()) return errorf("the state's memory has no table");
    if (addresses.size() * kPageSize > e_.m_.memory.limit())
      return errorf("the state needs more than {} MiB of memory", e_.m_.memory.limit() >> 20);
    for (size_t k = 0; k < addresses.size(); ++k)
      if (addresses[k] >= kAddressLimit || addresses[k] % kPageSize ||
          (k && addresses[k] <= addresses[k - 1]))
        return errorf("the state has memory at {:#x}, where none can be", addresses[k]);
    // In order of numbers, so that each block is unpacked once.
    std::vector<uint32_t> order(numbers);
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    for (uint32_t number : order) FL_CHECK(pages_.shared(number, e_.m_.memory));
    std::vector<Memory::PlacedPage> placed;
    placed.reserve(addresses.size());
    for (size_t k = 0; k < addresses.size(); ++k) {
      FL_TRY(page, pages_.shared(numbers[k], e_.m_.memory));
      placed.push_back({addresses[k], page});
    }
    s.memory = e_.m_.memory.assemble(placed);
    return {};
  }

  Result<DecodedFunction*> function(uint32_t module, uint32_t number) {
    auto modules = e_.program_.modules();
    if (module >= modules.size() || number >= modules[module]->functions.size())
      return errorf("the state names function {} of object {}, which does not exist", number, module);
    DecodedFunction* f = e_.functionFor({modules[module].get(), number});
    if (!e_.prepare(*f)) return errorf("the state names a function that cannot run: {}", f->error);
    return f;
  }

  // The call at an index of plain code; plain code's own comes first.
  const CallSite* siteAt(const DecodedFunction& f, uint32_t index) {
    auto [known, added] = sites_.try_emplace({&f, index}, nullptr);
    if (!added) return known->second;
    for (const CallSite& site : f.calls)
      if (site.index == index) return known->second = &site;
    return nullptr;
  }

  Result<void> takeThreads(Engine::State& s) {
    auto count = in_.take<uint32_t>();
    if (count > in_.left()) return errorf("the state has too many threads");
    s.threads.resize(count);
    for (uint32_t k = 0; k < count; ++k) {
      auto known = in_.take<uint8_t>();
      if (known > 1) return errorf("the state has an impossible thread");
      s.threads[k].known = known;
      if (known) FL_CHECK(takeThread(k, s.epoch, s.threads[k]));
    }
    if (s.running >= count || !s.threads[s.running].known)
      return errorf("the state's running thread does not exist");
    return {};
  }

  Result<void> takeThread(uint32_t number, uint64_t epoch, ThreadState& t) {
    t.number = in_.take<uint32_t>();
    auto place = in_.take<uint8_t>();
    t.position = in_.take<uint32_t>();
    t.frameTop = in_.take<uint64_t>();
    t.landException = in_.take<uint64_t>();
    t.landSelector = in_.take<uint64_t>();
    FL_TRY(records, takeValues<FrameRecord>());
    FL_TRY(words, takeValues<uint64_t>());
    if (t.number != number || place > uint8_t(Place::Code))
      return errorf("the state has an impossible thread");
    t.place = Place(place);
    std::vector<Frame> frames;
    uint64_t wordCount = 0;
    for (const FrameRecord& r : records) {
      FL_TRY(frame, frameOf(r, frames, wordCount, epoch));
      frames.push_back(frame);
      wordCount += frame.function->words;
    }
    if (words.size() != wordCount ||
        wordCount + (frames.size() + 1) * sizeof(Frame) / 8 + kArgumentRoom > e_.options_.stackWordsLimit)
      return errorf("the state has a stack of impossible size");
    if (t.place != Place::Outside &&
        (frames.empty() || t.position >= frames.back().function->instructionCount()))
      return errorf("the state has a thread at an impossible place");
    t.depth = frames.size();
    t.frames = cutStack(frames.data(), frames.size() * sizeof(Frame));
    t.words = cutStack(words.data(), words.size() * 8);
    t.frameBytes = frames.size() * sizeof(Frame);
    t.wordBytes = words.size() * 8;
    return takeJumps(frames, t);
  }

  Result<Frame> frameOf(const FrameRecord& r, const std::vector<Frame>& below, uint64_t words,
                        uint64_t epoch) {
    FL_TRY(f, function(r.module, r.function));
    Frame frame{
        f, nullptr, words, r.base, r.topBefore, r.entryEpoch, fir::kNone, r.resume, Frame::Kind(r.kind)};
    if (r.edge < f->fir->blockCount) frame.edge = r.edge;
    if (r.site != fir::kNone) {
      frame.site = siteAt(*f, r.site);
      if (!frame.site) return errorf("the state has a frame that waits for a call that does not exist");
    }
    Error wrong = errorf("the state has a frame that cannot be where it is");
    if (r.kind > Frame::SignalAtFault || r.entryEpoch > epoch) return wrong;
    if (r.kind == Frame::FromOutside) return frame;
    if (below.empty()) return wrong;
    const Frame& caller = below.back();
    if (r.kind == Frame::Called)
      return caller.site && caller.site->info && caller.site->fastResume ? Result<Frame>(frame) : wrong;
    return r.resume < caller.function->instructionCount() ? Result<Frame>(frame) : wrong;
  }

  Result<void> takeJumps(const std::vector<Frame>& frames, ThreadState& t) {
    auto count = in_.take<uint32_t>();
    if (count > in_.left()) return errorf("the state has too many jumps");
    for (uint32_t k = 0; k < count; ++k) {
      auto depth = in_.take<uint32_t>();
      auto index = in_.take<uint32_t>();
      auto buffer = in_.take<uint64_t>();
      const CallSite* site =
          depth && depth <= frames.size() ? siteAt(*frames[depth - 1].function, index) : nullptr;
      if (!site || site->kind != fir::CallKind::SetJmp) return errorf("the state has an impossible jump");
      t.jumps.push_back({depth, frames[depth - 1].entryEpoch, site, buffer});
    }
    return {};
  }

  Result<void> placeCells(const std::vector<uint8_t>& bytes, Engine::State& s) {
    e_.program_.use(s.modules);
    ByteReader cells(bytes);
    std::vector<std::pair<uint32_t, uint64_t>> values;
    while (cells.left() >= kCellRecordSize) {
      auto module = cells.take<uint32_t>(), number = cells.take<uint32_t>(), index = cells.take<uint32_t>();
      FL_TRY(f, function(module, number));
      auto cell = f->cells.find(index);
      if (cell == f->cells.end()) return errorf("the state has a cell of an instruction that has none");
      values.push_back({cell->second, cells.take<uint64_t>()});
    }
    if (cells.left()) return errorf("the state has a part of impossible size");
    s.cells.resize(e_.m_.cells.size());
    for (auto [cell, value] : values) s.cells[cell] = value;
    return {};
  }

  Engine& e_;
  ByteReader in_;
  PageReader& pages_;
  std::map<std::pair<const DecodedFunction*, uint32_t>, const CallSite*> sites_; // deep stacks repeat them
  uint64_t room_ = e_.options_.stackWordsLimit * 8;
};

Result<Engine::State> Engine::decode(std::span<const uint8_t> bytes, PageReader& pages) {
  return StateDecoder(*this, bytes, pages).run();
}

} // namespace faultline::replay

// A State as bytes, so that another process can go on from it. Pointers become numbers: of modules, functions
// and call instructions. What is large (memory, stacks, symbol addresses) goes into pages, which states
// share. docs/formats.md has the layout; state_decode.cpp is the other direction.
#include "base/bytes.h"
#include "replay/checkpoint.h"
#include "replay/page_store.h"
#include "replay/state_format.h"

namespace faultline::replay {
namespace {

void putStream(ByteWriter& out, std::span<const uint8_t> bytes, PageWriter& pages) {
  out.put(uint64_t(bytes.size()));
  for (size_t at = 0; at < bytes.size(); at += kPageSize)
    out.put(pages.add(bytes.subspan(at, std::min(bytes.size() - at, kPageSize))));
}

template <class T> std::vector<T> joined(const std::vector<StackPiece>& pieces) {
  std::vector<uint8_t> bytes;
  for (const StackPiece& p : pieces) bytes.insert(bytes.end(), p.bytes->begin(), p.bytes->end());
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(static_cast<void*>(out.data()), bytes.data(), out.size() * sizeof(T));
  return out;
}

template <class T> std::span<const uint8_t> bytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

void putEnding(ByteWriter& out, const Ending& e) {
  out.put(uint8_t(e.kind));
  out.put(e.signal);
  out.put(uint8_t(e.write | e.outside << 1 | e.smashed << 2 | e.exact << 3));
  out.put(e.status);
  out.put(e.code);
  out.put(e.address);
  out.put(e.pc);
}

void putHandled(ByteWriter& out, const std::optional<HandledFault>& fault) {
  out.put(uint8_t(fault.has_value()));
  if (!fault) return;
  out.put(fault->time);
  out.put(fault->epoch);
  out.put(fault->thread);
  out.put(fault->depth);
  putEnding(out, fault->how);
}

void putMemory(ByteWriter& out, const Memory::Snapshot& memory, PageWriter& pages) {
  std::vector<uint64_t> addresses;
  std::vector<uint32_t> numbers;
  memory.forEachPage([&](uint64_t address, const uint8_t* bytes) {
    addresses.push_back(address);
    numbers.push_back(pages.addLasting(bytes));
  });
  putStream(out, bytesOf(addresses), pages);
  putStream(out, bytesOf(numbers), pages);
}

FrameRecord recordOf(const Frame& f) {
  FrameRecord r{};
  r.module = f.function->module->number;
  r.function = f.function->number;
  r.site = f.site ? f.site->index : fir::kNone;
  r.kind = f.kind;
  bool isSignal = f.kind == Frame::SignalAtEpoch || f.kind == Frame::SignalAtFault;
  r.resume = isSignal ? f.resume : 0; // fast code does not fill in what it does not need
  r.edge = f.edge < f.function->fir->blockCount ? f.edge : fir::kNone;
  r.base = f.base;
  r.topBefore = f.topBefore;
  r.entryEpoch = f.entryEpoch;
  return r;
}

void putThread(ByteWriter& out, const ThreadState& t, PageWriter& pages) {
  out.put(t.number);
  out.put(uint8_t(t.place));
  out.put(t.position);
  out.put(t.frameTop);
  out.put(t.landException);
  out.put(t.landSelector);
  auto frames = joined<Frame>(t.frames);
  std::vector<FrameRecord> records;
  for (const Frame& f : frames) records.push_back(recordOf(f));
  putStream(out, bytesOf(records), pages);
  putStream(out, bytesOf(joined<uint64_t>(t.words)), pages);
  std::vector<JumpTarget> live;
  for (const JumpTarget& j : t.jumps)
    if (j.depth <= frames.size() && frames[j.depth - 1].entryEpoch == j.entryEpoch) live.push_back(j);
  out.put(uint32_t(live.size()));
  for (const JumpTarget& j : live) {
    out.put(uint32_t(j.depth));
    out.put(j.site->index);
    out.put(j.buffer);
  }
}

} // namespace

std::vector<uint8_t> Engine::encode(const State& s, PageWriter& pages) const {
  ByteWriter out;
  out.put(kStateVersion);
  out.put(s.steps);
  out.put(s.epoch);
  out.put(s.running);
  out.put(s.lastEpoch);
  out.put(s.recordsTaken);
  out.put(s.mainReturn);
  out.put(s.log.chunk);
  out.put(s.log.offset);
  out.put(s.log.epochBase);
  putEnding(out, s.ending);
  putHandled(out, s.handled);
  out.put(uint32_t(s.modules));
  ByteWriter cells;
  for (size_t k = 0; k < s.modules; ++k) {
    const LoadedModule& module = program_.module(k);
    out.put(module.image->hash);
    out.put(module.base);
    putStream(out, bytesOf(module.addresses), pages);
    for (auto& f : module.functions) {
      if (!f) continue;
      for (auto [index, cell] : f->cells) {
        if (cell >= s.cells.size() || s.cells[cell] == 0) continue;
        cells.put(uint32_t(k));
        cells.put(f->number);
        cells.put(index);
        cells.put(s.cells[cell]);
      }
    }
  }
  putStream(out, cells.bytes(), pages);
  putMemory(out, s.memory, pages);
  out.put(uint32_t(s.threads.size()));
  for (const ThreadState& t : s.threads) {
    out.put(uint8_t(t.known));
    if (t.known) putThread(out, t, pages);
  }
  return out.take();
}

} // namespace faultline::replay

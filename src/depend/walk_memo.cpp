#include "depend/walk_memo.h"

namespace faultline::depend {

namespace {

constexpr uint64_t kMostMemoBytes = 96 << 20;

uint64_t mixed(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

uint64_t hashOf(const CallWants& c) {
  uint64_t h = mixed(c.isPending, c.control);
  for (const CallWants::Argument& a : c.arguments)
    h = mixed(mixed(h, uint64_t(a.number) << 32 | a.word), a.mask ^ uint64_t(a.who) << 32);
  return h;
}

} // namespace

KnownFrame* WalkMemo::frame(const FrameWants& wants) {
  uint64_t hash = wants.hash();
  for (auto [it, end] = frameOf_.equal_range(hash); it != end; ++it)
    if (it->second->wants.isSame(wants)) return it->second;
  if (bytes_ >= kMostMemoBytes) return nullptr;
  bytes_ += sizeof(KnownFrame) + wants.bytes();
  KnownFrame& made = frames_.emplace_back(uint32_t(frames_.size() + 1), wants);
  const FrameWants& w = made.wants;
  made.isIdle =
      w.count() == 0 && !w.isWaiting() && w.edge == kNobody && w.phis.empty() && w.resultWanter == kNobody;
  frameOf_.emplace(hash, &made);
  return &made;
}

const KnownCall* WalkMemo::call(CallWants&& wants) {
  uint64_t hash = hashOf(wants);
  for (auto [it, end] = callOf_.equal_range(hash); it != end; ++it)
    if (it->second->wants == wants) return it->second;
  if (bytes_ >= kMostMemoBytes) return nullptr;
  bytes_ += sizeof(KnownCall) + wants.arguments.size() * sizeof(CallWants::Argument);
  KnownCall& made = calls_.emplace_back(uint32_t(calls_.size() + 1), std::move(wants));
  callOf_.emplace(hash, &made);
  return &made;
}

Piece* WalkMemo::add(const PieceKey& key, Piece piece) {
  if (bytes_ >= kMostMemoBytes) return nullptr;
  bytes_ += sizeof(Piece) + 3 * sizeof(Slot) + piece.wants.size() * sizeof(MemoryWant) +
            piece.included.size() * sizeof(uint32_t);
  if (pieces_.size() * 2 >= table_.size()) grow();
  Piece* made = &pieces_.emplace_back(std::move(piece));
  size_t at = slotOf(key);
  while (table_[at].piece) at = (at + 1) & (table_.size() - 1);
  table_[at] = {key, made};
  return made;
}

void WalkMemo::grow() {
  std::vector<Slot> old(table_.size() * 2);
  old.swap(table_);
  for (const Slot& slot : old) {
    if (!slot.piece) continue;
    size_t at = slotOf(slot.key);
    while (table_[at].piece) at = (at + 1) & (table_.size() - 1);
    table_[at] = slot;
  }
}

} // namespace faultline::depend

// Remembers what pieces of code make of what is wanted of a frame. Once a backward walk gives instances no
// nodes of their own any more, a loop asks the same of the same code again and again:
//
//   wanted of main: s, i     s += a[i]    wanted: s, i, a     wants memory at a + 4i; 3 instances
//
// A frame whose wants are known is a pointer to them, and a piece of a segment is a step from one to the
// next; only memory is looked at each time.
#pragma once

#include "depend/frame_wants.h"

#include <deque>
#include <optional>

namespace faultline::depend {

// What the function that the walk has left wants of its call.
struct KnownCall {
  uint32_t number = 0;
  CallWants wants;
};

// Never changes; two that are equal are the same.
struct KnownFrame {
  uint32_t number = 0;
  FrameWants wants;
  bool isIdle = false; // no code changes it, but by what it writes to memory
  bool isLeaveKnown = false;
  const KnownCall* leave = nullptr; // where the function begins; null: nothing is wanted of its call
};

struct MemoryWant {
  Place address;
  uint32_t bytes = 0;
  uint64_t masks[2] = {};
  Wanter who = kNobody;
};

// What steps of a segment do, from one write to memory (or the segment's end) to the next.
struct Piece {
  KnownFrame* next = nullptr;    // null: it depends on more than what is wanted
  KnownFrame* entered = nullptr; // a return: the frame of the function that returned
  std::vector<MemoryWant> wants = {};
  std::vector<uint32_t> included = {}; // ids of the instances that it takes in
  uint64_t times = 0;                  // that it was used
};

struct PieceKey {
  uint32_t frame = 0, call = 0; // numbers; call 0: none
  uint32_t segment = 0, step = 0;
  uint64_t with = 0; // a write: the bits that are wanted of it; a return: the function
  bool operator==(const PieceKey&) const = default;
};

class WalkMemo {
public:
  // Null: there is no more room.
  KnownFrame* frame(const FrameWants& wants);
  const KnownCall* call(CallWants&& wants);
  Piece* find(const PieceKey& key) {
    ++asked;
    for (size_t at = slotOf(key);; at = (at + 1) & (table_.size() - 1)) {
      if (table_[at].piece && !(table_[at].key == key)) continue;
      return table_[at].piece;
    }
  }
  Piece* add(const PieceKey& key, Piece piece);
  std::deque<Piece>& pieces() { return pieces_; }

  uint64_t asked = 0, missed = 0;

private:
  struct Slot {
    PieceKey key;
    Piece* piece = nullptr;
  };
  size_t slotOf(const PieceKey& k) const {
    uint64_t h = (uint64_t(k.frame) << 32 | k.segment) * 0x9e3779b97f4a7c15u;
    h ^= (uint64_t(k.step) << 32 | k.call) * 0xc2b2ae3d27d4eb4fu;
    h ^= k.with * 0x165667b19e3779f9u;
    return (h ^ h >> 29 ^ h >> 47) & (table_.size() - 1);
  }
  void grow();

  std::deque<KnownFrame> frames_;
  std::unordered_multimap<uint64_t, KnownFrame*> frameOf_; // by hash
  std::deque<KnownCall> calls_;
  std::unordered_multimap<uint64_t, const KnownCall*> callOf_;
  std::deque<Piece> pieces_;
  std::vector<Slot> table_ = std::vector<Slot>(1 << 12);
  uint64_t bytes_ = 0;
};

// A frame on the walk's stack: its wants, or known ones.
class WalkFrame {
public:
  explicit WalkFrame(const FunctionCode& code) : own_(std::in_place, code) {}
  explicit WalkFrame(KnownFrame* known) : known_(known) {}
  const FrameWants& wants() const { return known_ ? known_->wants : *own_; }
  FrameWants& change() {
    if (known_) {
      own_.emplace(known_->wants);
      known_ = nullptr;
    }
    return *own_;
  }
  KnownFrame* known() const { return known_; }
  void know(KnownFrame* frame) {
    known_ = frame;
    own_.reset();
  }

private:
  KnownFrame* known_ = nullptr;
  std::optional<FrameWants> own_;
};

} // namespace faultline::depend

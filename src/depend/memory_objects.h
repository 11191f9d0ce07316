// The objects that a run has made so far: blocks of the heap, variables of frames, globals. A pointer's
// *provenance* names the object that it was derived from; it goes on naming that one when the object is gone
// and another lies at the same address.
//
//   p = malloc(8);  q = p + 8;  free(p);  r = malloc(8)      p, q: object 1, freed; r: object 2, alive
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace faultline::depend {

// 0: not known. The number of an object and its generation; or one of the kinds below.
using Provenance = uint64_t;
inline constexpr Provenance kNoObject = 0;
// Made of pointers into several objects, such as their distance: what it leads to nobody can tell.
inline constexpr Provenance kManyObjects = ~uint64_t(0);
// Nobody has given the value: the low bits are the number of who read it.
inline constexpr Provenance kUndefinedTag = uint64_t(1) << 62;
inline bool isObject(Provenance p) { return p != kNoObject && p < kUndefinedTag; }
inline bool isUndefined(Provenance p) { return p >= kUndefinedTag && p != kManyObjects; }

struct MemoryObject {
  enum Kind : uint8_t { Heap, Local, Global };
  enum State : uint8_t {
    Alive,
    Freed,
    Moved,   // by realloc
    Left,    // the frame is gone
    Unknown, // outside code has done something with it
  };
  uint64_t start = 0;
  uint64_t reach = 0; // its size while it is alive, else 0: for the quick check
  uint32_t generation = 0;
  Kind kind = Heap;
  State state = Alive;
  bool isForeign = false; // outside code that nobody knows has had its address
  uint64_t size = 0;
  uint64_t madeAt = 0, endedAt = 0;     // time
  uint32_t madeBy = ~0u, endedBy = ~0u; // global id of the instruction; ~0: nobody
};

class MemoryObjects {
public:
  MemoryObjects() { all_.emplace_back(); }

  Provenance make(const MemoryObject& object);
  // Blocks of the heap, of which no two alive overlap: one that lay there is gone, and nobody saw it go.
  Provenance makeBlock(uint64_t start, uint64_t size, uint32_t id, uint64_t time);
  void end(Provenance p, MemoryObject::State state, uint32_t id, uint64_t time);
  void resize(Provenance p, uint64_t size);
  // By realloc, where it is: it was this call that asked for the size that it has now.
  void resize(Provenance p, uint64_t size, uint32_t id, uint64_t time);

  // True: the object is alive, and all these bytes lie in it.
  bool has(Provenance p, uint64_t address, uint64_t bytes) const {
    const MemoryObject& o = all_[uint32_t(p)];
    uint64_t offset = address - o.start;
    return o.generation == uint32_t(p >> 32) && offset < o.reach && bytes <= o.reach - offset;
  }
  // Null: it ended so long ago that nothing else is known of it.
  const MemoryObject* find(Provenance p) const { return const_cast<MemoryObjects*>(this)->find(p); }
  MemoryObject* find(Provenance p) {
    MemoryObject& o = all_[uint32_t(p)];
    return o.generation == uint32_t(p >> 32) ? &o : nullptr;
  }
  // The block of the heap that is alive and begins, or lies, there.
  Provenance blockAt(uint64_t start) const;
  Provenance blockAround(uint64_t address) const;
  template <class Visit> void forEachBlock(Visit&& visit) const {
    for (auto& [start, p] : blocks_) visit(all_[uint32_t(p)]);
  }

private:
  static constexpr size_t kRemembered = 200'000; // that are gone
  std::vector<MemoryObject> all_;
  std::deque<uint32_t> gone_;
  std::map<uint64_t, Provenance> blocks_; // alive, by start
};

} // namespace faultline::depend

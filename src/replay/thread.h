// A thread of the replayed program while another one runs, and its stacks always.
#pragma once

#include "replay/machine.h"

#include <cstdlib>
#include <new>

namespace faultline::replay {

// Grows by moving; what lies in it is plain data.
template <class T> struct GrowingArray {
  T* data = nullptr;
  size_t capacity = 0;
  GrowingArray() = default;
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;
  ~GrowingArray() { std::free(data); }
  void reserve(size_t count) {
    if (count <= capacity) return;
    size_t wanted = capacity ? capacity : 256;
    while (wanted < count) wanted *= 2;
    void* moved = std::realloc(static_cast<void*>(data), wanted * sizeof(T));
    if (!moved) throw std::bad_alloc();
    data = static_cast<T*>(moved);
    capacity = wanted;
  }
};

enum class Place : uint8_t { Outside, EpochPoint, Code };

// A setjmp that was executed; dead once its frame is gone.
struct JumpTarget {
  size_t depth; // of its frame
  uint64_t entryEpoch;
  const CallSite* site;
  uint64_t buffer;
};

struct Thread {
  uint32_t number = 0;
  Place place = Place::Outside;
  uint32_t position = 0; // EpochPoint, Code: index in the plain code of the top frame's function
  size_t depth = 0;      // frames
  uint64_t frameTop = 0;
  uint64_t landException = 0, landSelector = 0;
  GrowingArray<Frame> frames;
  GrowingArray<uint64_t> words;
  std::vector<JumpTarget> jumps;

  // Words in use.
  size_t wordCount() const {
    if (!depth) return 0;
    const Frame& f = frames.data[depth - 1];
    return f.words + f.function->words;
  }
};

// Room that code may write to behind the top frame before a call is checked: arguments of a frame of at most
// this many words.
inline constexpr uint32_t kArgumentRoom = 4096;

} // namespace faultline::replay

// The memory that a part of a run wrote, word by word (8 bytes): cheap to add to, and given as a bounded
// number of ranges, which are rounded up until they are few enough.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace faultline::depend {

struct WrittenRange {
  uint64_t address = 0, size = 0;
  bool operator==(const WrittenRange&) const = default;
};

class WrittenMemory {
public:
  void add(uint64_t address, uint64_t size) {
    uint64_t first = address / 8, last = (address + size - 1) / 8;
    if (first == last && size != 0) [[likely]] {
      mark(first);
      return;
    }
    addRange(address, size);
  }
  // Ascending and disjoint, at most `most` of them. Forgets everything.
  std::vector<WrittenRange> take(size_t most);

private:
  static constexpr unsigned kWords = 512; // of a page
  using Page = std::array<uint64_t, kWords / 64>;
  void mark(uint64_t word) {
    if (word / kWords != lastNumber_) find(word / kWords);
    (*last_)[word % kWords / 64] |= uint64_t(1) << word % 64;
  }
  void find(uint64_t number);
  void addRange(uint64_t address, uint64_t size);

  std::unordered_map<uint64_t, Page> pages_;
  uint64_t lastNumber_ = ~uint64_t(0);
  Page* last_ = nullptr;
  std::vector<WrittenRange> large_;
};

} // namespace faultline::depend

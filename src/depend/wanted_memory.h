// The bits of memory whose definition a backward walk still looks for, each with who wants it. Most stores of
// a run hit nothing: asking is one lookup in a small table.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace faultline::depend {

// Who wants something: a node, and why (slice.h).
using Wanter = uint32_t;
inline constexpr Wanter kNobody = ~Wanter(0);

class WantedMemory {
public:
  WantedMemory() { forget(); }

  // Bit k of the masks is bit k of the bytes from `address` on; at most `size` bytes. What someone wants
  // already stays with that one.
  void want(uint64_t address, uint64_t size, std::span<const uint64_t> masks, Wanter who);
  void wantAll(uint64_t address, uint64_t size, Wanter who);
  // True if any bit of them is wanted.
  bool isWanted(uint64_t address, uint64_t size) const;
  // Takes the wanted bits of these bytes out; masks are resized to hold them. kNobody: there were none.
  // Those in `kept`, of the first 8 bytes, stay wanted.
  Wanter take(uint64_t address, uint64_t size, std::vector<uint64_t>& masks, uint64_t kept = 0);

  bool empty() const { return live_ == 0; }
  // Of all words of which some bit is wanted.
  void forEach(const std::function<void(uint64_t address, uint64_t mask, Wanter who)>& visit) const;
  // Told when a word (8 bytes) becomes wanted, and when it no longer is.
  std::function<void(Wanter who, bool wanted)> watch = nullptr;

private:
  static constexpr unsigned kShift = 12;
  static constexpr unsigned kWords = 1u << (kShift - 3);
  static constexpr unsigned kEntries = 256;
  struct Page {
    std::array<uint64_t, kWords> mask{};
    std::array<Wanter, kWords> who{};
    uint32_t live = 0;
  };
  struct Entry {
    uint64_t number;
    Page* page;
  };
  void forget() { table_.fill({~uint64_t(0), nullptr}); }
  Page* find(uint64_t number) const {
    Entry& e = table_[number % kEntries];
    if (e.number == number) return e.page;
    auto it = pages_.find(number);
    e = {number, it == pages_.end() ? nullptr : it->second.get()};
    return e.page;
  }
  Page& make(uint64_t number);
  void add(uint64_t word, uint64_t mask, Wanter who); // word: address / 8
  uint64_t remove(uint64_t word, uint64_t mask, Wanter& who);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  mutable std::array<Entry, kEntries> table_;
  uint64_t live_ = 0;
};

} // namespace faultline::depend

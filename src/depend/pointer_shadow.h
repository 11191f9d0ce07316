// What is known of memory besides its bytes: which object the pointer in each aligned word was derived from,
// and which bytes nobody has written since they became part of an object. What was never told of is written
// and holds no pointer.
#pragma once

#include "depend/memory_objects.h"

#include <array>
#include <memory>
#include <unordered_map>

namespace faultline::depend {

class PointerShadow {
public:
  struct Word {
    Provenance from = kNoObject;
    uint64_t undefined = 0; // bits
  };
  // At most 8 bytes.
  Word load(uint64_t address, uint64_t size) {
    uint64_t offset = address % kPage, slot = offset / 8, within = offset % 8;
    if (within + size > 8) [[unlikely]]
      return loadSlowly(address, size);
    const Page* page = find(address);
    if (!page) return {};
    uint8_t bits = uint8_t(page->undefined[slot] >> within) & uint8_t((1u << size) - 1);
    return {size == 8 ? page->from[slot] : kNoObject, bits ? spread(bits) : 0};
  }
  void store(uint64_t address, uint64_t size, Word word);

  void define(uint64_t address, uint64_t size, bool keepsPointers = false);
  void undefine(uint64_t address, uint64_t size);
  void copy(uint64_t to, uint64_t from, uint64_t size);
  // The first byte of these that nobody has written.
  std::optional<uint64_t> firstUndefined(uint64_t address, uint64_t size);
  // visit(from) for each pointer there; it may change it.
  template <class Visit> void forEachPointer(uint64_t address, uint64_t size, Visit&& visit) {
    for (uint64_t at = (address + 7) / 8 * 8; at + 8 <= address + size; at += 8) {
      Page* page = find(at);
      if (!page) {
        at = at / kPage * kPage + kPage - 8;
        continue;
      }
      Provenance& from = page->from[at % kPage / 8];
      if (page->undefined[at % kPage / 8]) from = kNoObject; // of what lay there before
      if (from != kNoObject) visit(from);
    }
  }
  uint64_t bytes() const { return pages_.size() * sizeof(Page); }

private:
  static constexpr uint64_t kPage = 4096;
  struct Page {
    std::array<Provenance, kPage / 8> from;
    std::array<uint8_t, kPage / 8> undefined;
  };
  static constexpr size_t kEntries = 512;
  struct Entry {
    uint64_t number = ~uint64_t(0);
    Page* page = nullptr;
  };
  Page* find(uint64_t address) {
    Entry& e = recent_[address / kPage % kEntries];
    if (e.number == address / kPage) [[likely]]
      return e.page;
    return findSlowly(address);
  }
  Page* findSlowly(uint64_t address);
  Page& make(uint64_t address);
  Word loadSlowly(uint64_t address, uint64_t size);
  static uint64_t spread(uint8_t bits); // a byte of ones for each bit

  std::array<Entry, kEntries> recent_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

} // namespace faultline::depend

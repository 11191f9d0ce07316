#include "depend/pointer_shadow.h"

#include <algorithm>
#include <cstring>

namespace faultline::depend {

PointerShadow::Page* PointerShadow::findSlowly(uint64_t address) {
  auto it = pages_.find(address / kPage);
  Page* page = it == pages_.end() ? nullptr : it->second.get();
  recent_[address / kPage % kEntries] = {address / kPage, page};
  return page;
}

PointerShadow::Page& PointerShadow::make(uint64_t address) {
  if (Page* page = find(address)) return *page;
  auto& page = pages_[address / kPage];
  page = std::make_unique<Page>(); // zeros: written, no pointer
  recent_[address / kPage % kEntries] = {address / kPage, page.get()};
  return *page;
}

uint64_t PointerShadow::spread(uint8_t bits) {
  uint64_t mask = 0;
  for (unsigned k = 0; k < 8; ++k)
    if (bits >> k & 1) mask |= uint64_t(0xff) << 8 * k;
  return mask;
}

PointerShadow::Word PointerShadow::loadSlowly(uint64_t address, uint64_t size) {
  Word word;
  for (uint64_t k = 0; k < size && k < 8; ++k) {
    const Page* page = find(address + k);
    uint64_t offset = (address + k) % kPage;
    if (page && page->undefined[offset / 8] >> offset % 8 & 1) word.undefined |= uint64_t(0xff) << 8 * k;
  }
  return word;
}

// A byte of which only some bits were given counts as written: those of a bit-field stand together.
void PointerShadow::store(uint64_t address, uint64_t size, Word word) {
  uint64_t offset = address % kPage, within = offset % 8;
  if (within + size > 8) {
    uint64_t first = 8 - within;
    store(address, first, {kNoObject, word.undefined});
    return store(address + first, size - first, {kNoObject, word.undefined >> 8 * first});
  }
  Page* page = find(address);
  bool isPlain = word.undefined == 0 && (word.from == kNoObject || size < 8);
  if (!page) {
    if (isPlain) return;
    page = &make(address);
  }
  uint8_t bits = 0;
  if (word.undefined) [[unlikely]]
    for (uint64_t k = 0; k < size; ++k)
      if ((word.undefined >> 8 * k & 0xff) == 0xff) bits |= uint8_t(1u << k);
  uint8_t mine = uint8_t(((1u << size) - 1) << within);
  uint8_t& undefined = page->undefined[offset / 8];
  undefined = uint8_t((undefined & ~mine) | uint8_t(bits << within));
  page->from[offset / 8] = size == 8 ? word.from : kNoObject;
}

// Bits of the bytes b..end of the slot that b lies in.
static uint8_t slotBits(uint64_t b, uint64_t end) {
  uint64_t to = std::min(end - b / 8 * 8, uint64_t(8));
  return uint8_t(((1u << to) - 1) & ~((1u << b % 8) - 1));
}

void PointerShadow::define(uint64_t address, uint64_t size, bool keepsPointers) {
  for (uint64_t at = address, end = address + size; at < end;) {
    uint64_t next = std::min(end, at / kPage * kPage + kPage);
    if (Page* page = find(at))
      for (uint64_t b = at; b < next; b = (b / 8 + 1) * 8) {
        page->undefined[b % kPage / 8] &= uint8_t(~slotBits(b, next));
        if (!keepsPointers) page->from[b % kPage / 8] = kNoObject;
      }
    at = next;
  }
}

void PointerShadow::undefine(uint64_t address, uint64_t size) {
  for (uint64_t at = address, end = address + size; at < end;) {
    uint64_t next = std::min(end, at / kPage * kPage + kPage);
    Page& page = make(at);
    uint64_t first = (at + 7) / 8 * 8, last = next / 8 * 8; // of whole slots
    if (first > at) page.undefined[at % kPage / 8] |= slotBits(at, next);
    if (last > first) std::memset(&page.undefined[first % kPage / 8], 0xff, (last - first) / 8);
    if (next > last && last >= first) page.undefined[last % kPage / 8] |= slotBits(last, next);
    at = next;
  }
}

void PointerShadow::copy(uint64_t to, uint64_t from, uint64_t size) {
  if (to == from || size == 0) return;
  bool sameAlignment = to % 8 == from % 8;
  auto word = [&](uint64_t offset, uint64_t bytes) { store(to + offset, bytes, load(from + offset, bytes)); };
  // Where the two overlap, in the order that keeps what is still to be read.
  bool backwards = to > from && to - from < size;
  uint64_t head = sameAlignment ? std::min(size, (8 - to % 8) % 8) : 0;
  uint64_t whole = (size - head) / 8, tail = size - head - whole * 8;
  auto bytes = [&](uint64_t offset, uint64_t count) {
    for (uint64_t k = 0; k < count; ++k) word(backwards ? offset + count - 1 - k : offset + k, 1);
  };
  if (backwards) {
    bytes(head + whole * 8, tail);
    for (uint64_t k = whole; k-- > 0;) word(head + k * 8, 8);
    bytes(0, head);
  } else {
    bytes(0, head);
    for (uint64_t k = 0; k < whole; ++k) word(head + k * 8, 8);
    bytes(head + whole * 8, tail);
  }
}

std::optional<uint64_t> PointerShadow::firstUndefined(uint64_t address, uint64_t size) {
  for (uint64_t at = address, end = address + size; at < end;) {
    const Page* page = find(at);
    if (!page) {
      at = at / kPage * kPage + kPage;
      continue;
    }
    if (page->undefined[at % kPage / 8] >> at % 8 & 1) return at;
    ++at;
  }
  return std::nullopt;
}

} // namespace faultline::depend

#include "depend/wanted_memory.h"

#include "depend/bits.h"

#include <algorithm>

namespace faultline::depend {

namespace {

// Of the words (8 bytes) that `size` bytes at `address` lie in: visit(word, bits of it, shift), where bit 0
// of the first byte is bit `shift` of the first word, and `shift` counts on from word to word.
template <class Visit> void forEachWord(uint64_t address, uint64_t size, Visit&& visit) {
  if (size == 0) return;
  uint64_t end = address + size;
  for (uint64_t word = address / 8; word * 8 < end; ++word) {
    uint64_t from = std::max(address, word * 8) - word * 8, to = std::min(end, word * 8 + 8) - word * 8;
    if (!visit(word, lowBits(to * 8) & ~lowBits(from * 8), word * 8 - address)) return;
  }
}

} // namespace

WantedMemory::Page& WantedMemory::make(uint64_t number) {
  auto& slot = pages_[number];
  if (!slot) {
    slot = std::make_unique<Page>();
    table_[number % kEntries] = {number, slot.get()};
  }
  return *slot;
}

void WantedMemory::add(uint64_t word, uint64_t mask, Wanter who) {
  Page* known = find(word / kWords);
  Page& page = known ? *known : make(word / kWords);
  uint64_t& have = page.mask[word % kWords];
  if (!have) {
    page.who[word % kWords] = who;
    ++page.live;
    ++live_;
    if (watch) watch(who, true);
  }
  have |= mask;
}

uint64_t WantedMemory::remove(uint64_t word, uint64_t mask, Wanter& who) {
  Page* page = find(word / kWords);
  if (!page) return 0;
  uint64_t& have = page->mask[word % kWords];
  uint64_t taken = have & mask;
  if (!taken) return 0;
  if (who == kNobody) who = page->who[word % kWords];
  have &= ~mask;
  if (have) return taken;
  if (watch) watch(page->who[word % kWords], false);
  --live_;
  if (--page->live == 0) {
    table_[word / kWords % kEntries] = {~uint64_t(0), nullptr};
    pages_.erase(word / kWords);
  }
  return taken;
}

void WantedMemory::want(uint64_t address, uint64_t size, std::span<const uint64_t> masks, Wanter who) {
  forEachWord(address, size, [&](uint64_t word, uint64_t bits, uint64_t shift) {
    // The word's bit 0 is bit `shift` * 8 of the masks; for the first word that may lie before their start.
    auto at = int64_t(shift) * 8;
    uint64_t mask = 0;
    for (int64_t k = at < 0 ? 0 : at / 64; k < int64_t(masks.size()) && k * 64 < at + 64; ++k) {
      int64_t by = k * 64 - at;
      mask |= by >= 0 ? (by < 64 ? masks[size_t(k)] << by : 0) : masks[size_t(k)] >> -by;
    }
    if (mask & bits) add(word, mask & bits, who);
    return true;
  });
}

void WantedMemory::wantAll(uint64_t address, uint64_t size, Wanter who) {
  forEachWord(address, size, [&](uint64_t word, uint64_t bits, uint64_t) {
    add(word, bits, who);
    return true;
  });
}

bool WantedMemory::isWanted(uint64_t address, uint64_t size) const {
  if (size == 0) return false;
  if (address / 8 == (address + size - 1) / 8) { // the usual case
    const Page* page = find(address / 8 / kWords);
    return page && (page->mask[address / 8 % kWords] >> (address % 8 * 8) & lowBits(size * 8));
  }
  if (size > pages_.size() * uint64_t(1 << kShift) * 4) { // huge: ask the pages instead
    for (auto& [number, page] : pages_) {
      uint64_t from = number << kShift;
      if (from + (1 << kShift) <= address || from >= address + size) continue;
      uint64_t first = std::max(address, from), last = std::min(address + size, from + (1 << kShift));
      if (isWanted(first, last - first)) return true;
    }
    return false;
  }
  bool found = false;
  forEachWord(address, size, [&](uint64_t word, uint64_t bits, uint64_t) {
    const Page* page = find(word / kWords);
    found = page && (page->mask[word % kWords] & bits);
    return !found;
  });
  return found;
}

Wanter WantedMemory::take(uint64_t address, uint64_t size, std::vector<uint64_t>& masks, uint64_t kept) {
  Wanter who = kNobody;
  masks.assign(std::max<uint64_t>(1, (size + 7) / 8), 0);
  forEachWord(address, size, [&](uint64_t word, uint64_t bits, uint64_t shift) {
    auto at = int64_t(shift) * 8;
    if (kept) bits &= ~(at < 0 ? kept << -at : at < 64 ? kept >> at : 0);
    uint64_t taken = remove(word, bits, who);
    if (!taken) return true;
    if (at < 0) {
      masks[0] |= taken >> -at;
      return true;
    }
    masks[size_t(at) / 64] |= taken << at % 64;
    if (at % 64 && size_t(at) / 64 + 1 < masks.size()) masks[size_t(at) / 64 + 1] |= taken >> (64 - at % 64);
    return true;
  });
  return who;
}

void WantedMemory::forEach(const std::function<void(uint64_t, uint64_t, Wanter)>& visit) const {
  std::vector<uint64_t> numbers;
  for (auto& [number, page] : pages_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  for (uint64_t number : numbers) {
    const Page& page = *pages_.at(number);
    for (uint32_t k = 0; k < kWords; ++k)
      if (page.mask[k]) visit((number << kShift) + k * 8, page.mask[k], page.who[k]);
  }
}

} // namespace faultline::depend

#include "depend/written_memory.h"

#include <algorithm>
#include <bit>

namespace faultline::depend {

namespace {

constexpr uint64_t kLarge = 4096; // bytes from which on a range is kept as one

uint64_t lastOf(const WrittenRange& r) { return r.address + r.size - 1; }

// In order; ranges that are closer than `gap` become one.
void join(std::vector<WrittenRange>& ranges, uint64_t gap) {
  size_t kept = 0;
  for (const WrittenRange& r : ranges) {
    WrittenRange* before = kept ? &ranges[kept - 1] : nullptr;
    if (before && (r.address <= lastOf(*before) || r.address - lastOf(*before) - 1 < gap))
      before->size = std::max(lastOf(*before), lastOf(r)) - before->address + 1;
    else
      ranges[kept++] = r;
  }
  ranges.resize(kept);
}

} // namespace

void WrittenMemory::find(uint64_t number) {
  lastNumber_ = number;
  last_ = &pages_[number]; // references into the map stay when it grows
}

void WrittenMemory::addRange(uint64_t address, uint64_t size) {
  if (size == 0) return;
  size = std::min(size, ~uint64_t(0) - address);
  if (size == 0) return;
  if (size >= kLarge) {
    large_.push_back({address, size});
    return;
  }
  for (uint64_t word = address / 8; word <= (address + size - 1) / 8; ++word) mark(word);
}

std::vector<WrittenRange> WrittenMemory::take(size_t most) {
  std::vector<WrittenRange> ranges = std::move(large_);
  for (auto& [number, page] : pages_)
    for (unsigned k = 0; k < page.size(); ++k)
      for (uint64_t bits = page[k]; bits;) {
        unsigned from = unsigned(std::countr_zero(bits)), count = unsigned(std::countr_one(bits >> from));
        ranges.push_back({(number * kWords + k * 64 + from) * 8, count * 8});
        bits &= from + count < 64 ? ~uint64_t(0) << (from + count) : 0;
      }
  std::sort(ranges.begin(), ranges.end(), [](auto& a, auto& b) { return a.address < b.address; });
  uint64_t gap = 1;
  for (join(ranges, gap); ranges.size() > most; join(ranges, gap)) gap *= 4;
  if (!ranges.empty()) { // no range goes around the end of memory
    WrittenRange& last = ranges.back();
    last.size = std::min(last.size, ~uint64_t(0) - last.address);
  }
  pages_.clear();
  large_.clear();
  lastNumber_ = ~uint64_t(0);
  last_ = nullptr;
  return ranges;
}

} // namespace faultline::depend

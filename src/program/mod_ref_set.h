// A set of small numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace faultline::fir {

class DynamicBitset {
public:
  void insert(uint32_t k) {
    if (k / 64 >= words_.size()) words_.resize(k / 64 + 1);
    words_[k / 64] |= uint64_t(1) << (k % 64);
  }
  bool contains(uint32_t k) const { return k / 64 < words_.size() && (words_[k / 64] >> (k % 64) & 1); }
  // True if it has grown.
  bool insert(const DynamicBitset& other) {
    if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
    bool grown = false;
    for (size_t k = 0; k < other.words_.size(); ++k) {
      grown |= (other.words_[k] & ~words_[k]) != 0;
      words_[k] |= other.words_[k];
    }
    return grown;
  }
  bool intersects(const DynamicBitset& other) const {
    for (size_t k = 0; k < words_.size() && k < other.words_.size(); ++k)
      if (words_[k] & other.words_[k]) return true;
    return false;
  }
  size_t count() const {
    size_t n = 0;
    for (uint64_t w : words_) n += size_t(__builtin_popcountll(w));
    return n;
  }
  template <class Visit> void forEach(Visit&& visit) const {
    for (size_t k = 0; k < words_.size(); ++k)
      for (uint64_t w = words_[k]; w; w &= w - 1) visit(uint32_t(k * 64 + size_t(__builtin_ctzll(w))));
  }

private:
  std::vector<uint64_t> words_;
};

} // namespace faultline::fir

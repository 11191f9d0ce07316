// Numbers as little-endian bytes, and back. The reader never reads beyond its end: what is not there is 0,
// and ok() says so, once for all that was read.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace faultline {

class ByteWriter {
public:
  template <class T> void put(T value) {
    static_assert(std::is_integral_v<T>);
    auto* at = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), at, at + sizeof value);
  }
  void put(std::span<const uint8_t> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  std::vector<uint8_t> take() { return std::move(bytes_); }
  std::span<const uint8_t> bytes() const { return bytes_; }

private:
  std::vector<uint8_t> bytes_;
};

class ByteReader {
public:
  explicit ByteReader(std::span<const uint8_t> bytes) : rest_(bytes) {}
  template <class T> T take() {
    static_assert(std::is_integral_v<T>);
    T value = 0;
    std::span<const uint8_t> from = take(sizeof value);
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  // Empty if there are not so many.
  std::span<const uint8_t> take(uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    std::span<const uint8_t> part = rest_.first(size);
    rest_ = rest_.subspan(size);
    return part;
  }
  size_t left() const { return rest_.size(); }
  bool ok() const { return ok_; }

private:
  std::span<const uint8_t> rest_;
  bool ok_ = true;
};

} // namespace faultline

#include "depend/packed_file.h"

#include <xxhash.h>
#include <zstd.h>

namespace faultline::depend {

namespace {
constexpr uint64_t kMostUnpacked = uint64_t(1) << 30;
} // namespace

void putNumber(ByteWriter& out, uint64_t n) {
  for (; n >= 0x80; n >>= 7) out.put(uint8_t(n | 0x80));
  out.put(uint8_t(n));
}

uint64_t takeNumber(ByteReader& in) {
  uint64_t n = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    auto byte = in.take<uint8_t>();
    n |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  return n;
}

bool takeCount(ByteReader& in, uint64_t& count) {
  count = takeNumber(in);
  return in.ok() && count <= in.left();
}

// A hash, then the content, packed.
std::optional<std::vector<uint8_t>> readPacked(const recording::SideFiles& side, const char* name) {
  auto file = side.open(name);
  if (!file || file->size() < 8) return std::nullopt;
  std::vector<uint8_t> bytes(file->size());
  if (!file->read(0, bytes)) return std::nullopt;
  ByteReader whole(bytes);
  auto hash = whole.take<uint64_t>();
  std::span<const uint8_t> packed = whole.take(whole.left());
  if (XXH3_64bits(packed.data(), packed.size()) != hash) return std::nullopt;
  auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size > kMostUnpacked) return std::nullopt; // ZSTD's errors are larger still
  std::vector<uint8_t> content(size);
  if (ZSTD_decompress(content.data(), size, packed.data(), packed.size()) != size) return std::nullopt;
  return content;
}

Result<void> writePacked(const recording::SideFiles& side, const char* name,
                         std::span<const uint8_t> content) {
  std::vector<uint8_t> packed(ZSTD_compressBound(content.size()));
  size_t size = ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 1);
  if (ZSTD_isError(size)) return errorf("cannot pack {}", name);
  packed.resize(size);
  FL_TRY(file, side.create(name));
  ByteWriter hash;
  hash.put(uint64_t(XXH3_64bits(packed.data(), packed.size())));
  FL_CHECK(file.put(hash.bytes()));
  FL_CHECK(file.put(packed));
  return file.commit();
}

} // namespace faultline::depend

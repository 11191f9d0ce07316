#include "replay/page_store.h"

#include <algorithm>
#include <xxhash.h>
#include <zstd.h>

namespace faultline::replay {

constexpr int kLevel = 1;
constexpr size_t kBlockBytes = kPagesPerBlock * kPageSize;

struct PageWriter::Compressor {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ~Compressor() { ZSTD_freeCCtx(context); }
};

PageWriter::PageWriter(Take take) : take_(std::move(take)), compressor_(std::make_unique<Compressor>()) {
  block_.reserve(kBlockBytes);
  packed_.resize(ZSTD_compressBound(kBlockBytes));
}
PageWriter::~PageWriter() = default;

uint32_t PageWriter::add(std::span<const uint8_t> bytes) {
  uint8_t page[kPageSize] = {};
  std::memcpy(page, bytes.data(), std::min<size_t>(bytes.size(), kPageSize));
  XXH128_hash_t hash = XXH3_128bits(page, kPageSize);
  auto [it, added] = byContent_.try_emplace({hash.high64, hash.low64}, count_);
  if (!added) return it->second;
  ++count_;
  block_.insert(block_.end(), page, page + kPageSize);
  if (block_.size() == kBlockBytes) flush();
  return it->second;
}

uint32_t PageWriter::addLasting(const uint8_t* page) {
  if (auto it = byPlace_.find(page); it != byPlace_.end()) return it->second;
  uint32_t number = add({page, kPageSize});
  byPlace_.emplace(page, number);
  return number;
}

void PageWriter::flush() {
  if (!error_ && !block_.empty()) {
    size_t size = ZSTD_compressCCtx(compressor_->context, packed_.data(), packed_.size(), block_.data(),
                                    block_.size(), kLevel);
    assert(!ZSTD_isError(size)); // the room suffices
    packedBytes_ += size;
    if (auto taken = take_(uint32_t(block_.size() / kPageSize), {packed_.data(), size}); !taken)
      error_ = taken.error();
  }
  block_.clear();
}

Result<void> PageWriter::finish() {
  flush();
  if (error_) return *error_;
  return {};
}

Result<const uint8_t*> PageReader::page(uint32_t number) {
  if (number >= pages_) return errorf("there are {} pages; there is no page {}", pages_, number);
  uint32_t wanted = number / kPagesPerBlock;
  if (wanted != blockNumber_) {
    blockNumber_ = ~0u;
    FL_TRY(packed, load_(wanted));
    block_.resize(std::min(pages_ - wanted * kPagesPerBlock, kPagesPerBlock) * kPageSize);
    size_t got = ZSTD_decompress(block_.data(), block_.size(), packed.data(), packed.size());
    if (ZSTD_isError(got) || got != block_.size()) return errorf("block {} cannot be unpacked", wanted);
    blockNumber_ = wanted;
  }
  return block_.data() + number % kPagesPerBlock * kPageSize;
}

Result<const Memory::SharedPage*> PageReader::shared(uint32_t number, Memory& memory) {
  if (auto it = shared_.find(number); it != shared_.end()) return &it->second;
  FL_TRY(bytes, page(number));
  return &shared_.emplace(number, memory.makePage(bytes)).first->second;
}

} // namespace faultline::replay

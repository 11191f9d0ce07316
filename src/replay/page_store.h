// Pages of encoded states, numbered from 0, each content only once, packed in blocks. States of one run have
// most of their pages in common, so many of them take little more room than one.
#pragma once

#include "base/result.h"
#include "replay/memory.h"

#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

namespace faultline::replay {

inline constexpr uint32_t kPagesPerBlock = 64;

class PageWriter {
public:
  // Takes the blocks as they get full: kPagesPerBlock pages, the last one perhaps fewer; packed by zstd.
  using Take = std::function<Result<void>(uint32_t pages, std::span<const uint8_t> packed)>;
  explicit PageWriter(Take take);
  ~PageWriter();

  // At most kPageSize bytes; what is missing is 0. Returns the page's number.
  uint32_t add(std::span<const uint8_t> bytes);
  // A whole page that stays where it is, and as it is, while the writer lives: the second time costs nothing.
  uint32_t addLasting(const uint8_t* page);
  // Hands over the last block. An error of `take` is kept until here.
  Result<void> finish();

  uint64_t rawBytes() const { return uint64_t(count_) * kPageSize; }
  uint64_t packedBytes() const { return packedBytes_; }
  bool failed() const { return error_.has_value(); }

private:
  void flush();
  Take take_;
  std::vector<uint8_t> block_, packed_;
  struct Compressor;
  std::unique_ptr<Compressor> compressor_;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> byContent_; // 128 bits of hash
  std::unordered_map<const uint8_t*, uint32_t> byPlace_;
  uint32_t count_ = 0;
  uint64_t packedBytes_ = 0;
  std::optional<Error> error_;
};

class PageReader {
public:
  // Gives block k as it was packed, known to be whole.
  using Load = std::function<Result<std::vector<uint8_t>>(uint32_t block)>;
  // `pages`: in all.
  PageReader(uint32_t pages, Load load) : pages_(pages), load_(std::move(load)) {}

  // kPageSize bytes, valid until the next call.
  Result<const uint8_t*> page(uint32_t number);
  // The page as one of this memory, the same one each time.
  Result<const Memory::SharedPage*> shared(uint32_t number, Memory& memory);
  uint32_t pageCount() const { return pages_; }

private:
  uint32_t pages_;
  Load load_;
  uint32_t blockNumber_ = ~0u;
  std::vector<uint8_t> block_;
  std::unordered_map<uint32_t, Memory::SharedPage> shared_;
};

} // namespace faultline::replay

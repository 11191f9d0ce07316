// Where a LogReader takes the log from: the Log chunks of a file, or buffers made by a test.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace faultline::recording {

// A chunk is one log buffer (abi/log.h): whole records, epochs counted from 0.
using LogBytes = std::shared_ptr<const std::vector<uint8_t>>;

class LogSource {
public:
  virtual ~LogSource() = default;
  virtual uint32_t chunkCount() const = 0;
  // Of the first record in the chunk that carries one; 0 if none does.
  virtual uint64_t firstEpoch(uint32_t chunk) const = 0;
  // May be called from several threads at once.
  virtual Result<LogBytes> load(uint32_t chunk) const = 0;
};

class MemoryLog : public LogSource {
public:
  explicit MemoryLog(std::vector<std::vector<uint8_t>> chunks, std::vector<uint64_t> firstEpochs = {})
      : firstEpochs_(std::move(firstEpochs)) {
    for (auto& chunk : chunks)
      chunks_.push_back(std::make_shared<const std::vector<uint8_t>>(std::move(chunk)));
    firstEpochs_.resize(chunks_.size());
  }
  uint32_t chunkCount() const override { return uint32_t(chunks_.size()); }
  uint64_t firstEpoch(uint32_t chunk) const override { return firstEpochs_.at(chunk); }
  Result<LogBytes> load(uint32_t chunk) const override { return chunks_.at(chunk); }

private:
  std::vector<LogBytes> chunks_;
  std::vector<uint64_t> firstEpochs_;
};

} // namespace faultline::recording

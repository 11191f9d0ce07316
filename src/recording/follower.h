// What `--last` needs and this layer cannot do: someone who replays a run while it is recorded, and tells the
// state at a place of its log, so that the log before it can be thrown away.
#pragma once

#include "recording/log_source.h"
#include "recording/writer.h"

#include <atomic>
#include <functional>

namespace faultline::recording {

struct MadeState {
  uint32_t firstChunk = 0; // of the log: replay goes on at its start
  uint64_t time = 0;       // instructions executed before
  std::vector<PackedChunk> chunks;
  uint64_t bytes() const {
    uint64_t total = 0;
    for (const PackedChunk& chunk : chunks) total += sizeof(ChunkHeader) + chunk.stored.size();
    return total;
  }
};

class Follower {
public:
  virtual ~Follower() = default;
  // Replays up to where this chunk of the log begins, or soon after. Chunks must not fall from call to call.
  // Gives up when `stop` is set.
  virtual Result<MadeState> stateAt(uint32_t chunk, const std::atomic<bool>& stop) = 0;
};

// Of a log that still grows, but has its first chunk.
using MakeFollower = std::function<Result<std::unique_ptr<Follower>>(std::shared_ptr<const LogSource> log)>;

} // namespace faultline::recording

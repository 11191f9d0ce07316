// The encoded form of a State, for the two files that write and read it.
#pragma once

#include <cstdint>

namespace faultline::replay {

inline constexpr uint32_t kStateVersion = 2;

struct FrameRecord {
  uint32_t module, function;
  uint32_t site; // index of the call it waits for, or kNone
  uint32_t kind;
  uint32_t resume;
  uint32_t edge;
  uint64_t base, topBefore, entryEpoch;
};
static_assert(sizeof(FrameRecord) == 48);

inline constexpr uint32_t kCellRecordSize = 20; // module, function, index: u32; value: u64

} // namespace faultline::replay

// What this layer keeps beside a recording: numbers in few bytes, packed, with a hash over all of it. A file
// that is not whole is the same as none.
#pragma once

#include "base/bytes.h"
#include "recording/side_files.h"

namespace faultline::depend {

// In groups of seven bits, the lowest first: most are small.
void putNumber(ByteWriter& out, uint64_t n);
uint64_t takeNumber(ByteReader& in);
inline uint32_t takeSmall(ByteReader& in) { return uint32_t(takeNumber(in)); }
// How many follow. Each takes a byte at least: more than there are bytes left there cannot be.
bool takeCount(ByteReader& in, uint64_t& count);

std::optional<std::vector<uint8_t>> readPacked(const recording::SideFiles& side, const char* name);
Result<void> writePacked(const recording::SideFiles& side, const char* name,
                         std::span<const uint8_t> content);

} // namespace faultline::depend

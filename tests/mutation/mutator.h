// Makes damaged files out of good ones. The same seed gives the same damage, so a number names a mutant.
//
// Bytes alone would almost never get past the checksums of a recording. So most mutants of one are made
// further in: its chunks are taken apart, or its log is unpacked and its records are changed one by one, and
// then everything is packed again with checksums that are right.
#pragma once

#include "recording/format.h"
#include "recording/log_record.h"

#include <random>
#include <string>
#include <vector>

namespace faultline::test {

using Bytes = std::vector<uint8_t>;
using Random = std::mt19937_64;

// Below `n`; 0 if n is 0.
inline uint64_t below(Random& random, uint64_t n) { return n ? random() % n : 0; }
// Numbers that find the edges of things.
uint64_t oddNumber(Random& random);

// Flips, overwrites, cuts, repeats or removes some bytes.
std::string damageBytes(Bytes& bytes, Random& random);

struct Chunk {
  recording::ChunkKind kind;
  uint64_t rawSize = 0;
  Bytes stored;
};
// The chunks of a recording as far as they can be told apart, checksums or not.
std::vector<Chunk> chunksOf(const Bytes& file);
// A recording of them with right sequence numbers and checksums.
Bytes recordingOf(const std::vector<Chunk>& chunks);
// Of a Log chunk: what was packed. Empty if it cannot be unpacked.
Bytes unpackLog(const Chunk& chunk);
Chunk packLog(uint64_t firstEpoch, const Bytes& raw);

// A record of the log with its epoch as a number, so that changing one does not move all later ones.
struct RawRecord {
  uint8_t tag = 0;
  bool hasEpoch = false;
  uint64_t epoch = 0;
  Bytes rest; // behind the epoch
};
std::vector<RawRecord> recordsOf(const Bytes& log);
Bytes logOf(const std::vector<RawRecord>& records);

struct Mutant {
  Bytes bytes;
  std::string how; // it was made
};
Mutant mutateRecording(const Bytes& good, uint64_t seed);
// A FIR file: its header, or its arrays, mostly by a little.
Mutant mutateImage(const Bytes& good, uint64_t seed);
// An ELF file: its headers, its section table, or one of its sections of ours.
Mutant mutateProgram(const Bytes& good, uint64_t seed);

} // namespace faultline::test

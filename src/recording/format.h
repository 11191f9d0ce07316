// The recording file, as bytes: a fixed header, then chunks, each with its own checksum, so that a file cut
// off anywhere is good up to its last whole chunk. Everything is little-endian; docs/formats.md has the tour.
#pragma once

#include <cstdint>

namespace faultline::recording {

inline constexpr char kMagic[8] = {'F', 'L', 'T', 'R', 'E', 'C', 0, 1};
inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kChunkMagic = 0x4b4e4843; // "CHNK"

// No chunk is larger than this when unpacked; a larger declared size is damage, not a reason to allocate.
inline constexpr uint64_t kMaxRawSize = 64ull << 20;
// What zstd can make of kMaxRawSize at worst, and a chunk's own prefix.
inline constexpr uint64_t kMaxStoredSize = kMaxRawSize + (kMaxRawSize >> 7) + 4096;

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t flags;
};
static_assert(sizeof(FileHeader) == 16);

// Flag of a file that has a State, from which on there is a log.
inline constexpr uint32_t kStartsLate = 1;

enum class ChunkKind : uint32_t {
  Meta = 1,   // JSON: what was run and how
  Input = 2,  // zstd: standard input, in pieces
  Log = 3,    // LogPrefix, zstd: the used part of one log buffer
  Output = 4, // OutputPrefix, zstd: what the program wrote
  End = 5,    // JSON: how it ended
  Object = 6, // JSON: a shared object that the program opened, and the variant that ran in its place
  State = 7,  // StatePrefix, zstd: what replay starts from, if the beginning of the run was not kept
  File = 9,   // FilePrefix, zstd: a path, and what stood there before the run changed it
  Pages = 8,  // PagesPrefix, zstd: memory of that state, kPagesPerBlock pages at a time (replay/page_store.h)
};

struct ChunkHeader {
  uint32_t magic;
  ChunkKind kind;
  uint64_t sequence;   // 0, 1, 2, ... over the whole file
  uint64_t rawSize;    // of the content, unpacked, without prefix
  uint64_t storedSize; // of the bytes that follow
  uint64_t hash;       // XXH3 64 of this header up to here, seeded into that of the stored bytes
};
static_assert(sizeof(ChunkHeader) == 40);

struct LogPrefix {
  uint64_t firstEpoch; // of the first record in it that carries one; 0 if there is none
};

struct StatePrefix {
  uint64_t time; // instructions executed before it
  uint64_t epoch;
  uint32_t pages; // in all Pages chunks
  uint32_t reserved;
};

struct PagesPrefix {
  uint32_t pages;
  uint32_t reserved;
};

struct FilePrefix {
  uint32_t kind; // KeptFile::Kind
  uint32_t mode;
  int64_t modified;  // nanoseconds since 1970
  uint32_t pathSize; // bytes of the content that are the path
  uint32_t reserved;
};

struct OutputPrefix {
  uint32_t stream; // 1 standard output, 2 standard error
  uint32_t reserved;
};

} // namespace faultline::recording

// Writes a recording file chunk by chunk. It grows under a temporary name beside the final one; commit()
// renames it, and without commit() nothing is left behind. When the disk is full, or the size limit is
// reached, the file is cut back to its last whole chunk and takes no more (stopped() says why); the End chunk
// is still attempted, since its room is kept free.
#pragma once

#include "base/result.h"
#include "recording/format.h"
#include "recording/input.h"
#include "recording/kept_file.h"
#include "recording/meta.h"

#include <fcntl.h>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace faultline::recording {

// Packs the content of a chunk: prefix as it stands, then zstd. Without state, so that workers can do it.
struct PackedChunk {
  ChunkKind kind;
  uint64_t rawSize = 0;
  std::vector<uint8_t> stored;
};
PackedChunk packMeta(const Meta& meta);
PackedChunk packInput(std::string_view bytes);
PackedChunk packLog(uint64_t firstEpoch, std::string_view bytes);
PackedChunk packOutput(uint32_t stream, std::string_view bytes);
PackedChunk packObject(const LoadedObject& object);
PackedChunk packFile(const KeptFile& file);
PackedChunk packEnd(const End& end);
PackedChunk packState(const StatePrefix& prefix, std::span<const uint8_t> root);
PackedChunk packPages(uint32_t pages, std::span<const uint8_t> packed); // by zstd already

class Writer {
public:
  static Result<Writer> create(const std::filesystem::path& path, uint64_t sizeLimit = 0, uint32_t flags = 0);
  Writer(Writer&& other) noexcept;
  Writer& operator=(Writer&&) = delete;
  ~Writer();

  // False: not stored, see stopped(). After that, chunks other than End are turned away.
  bool add(const PackedChunk& chunk);
  Result<void> commit();

  // The file as it grows, to read from; stays good whatever becomes of it.
  FileDescriptor duplicate() const { return FileDescriptor(fcntl(fd_, F_DUPFD_CLOEXEC, 0)); }
  // Whether a chunk stays within the limit.
  bool fits(const PackedChunk& chunk) const;
  // Stored bytes, from where they lie in the file. False: they cannot be read.
  bool readBack(uint64_t offset, std::vector<uint8_t>& bytes) const;
  uint64_t size() const { return size_; }
  uint64_t limit() const { return limit_; }
  const std::string& stopped() const { return stopped_; }

private:
  Writer(std::filesystem::path path, std::filesystem::path temporary, int fd, uint64_t limit)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd), limit_(limit) {}
  bool put(const void* bytes, size_t size);
  void stop(std::string why);

  std::filesystem::path path_;
  std::filesystem::path temporary_; // empty once committed or moved from
  int fd_;
  uint64_t limit_;
  uint64_t size_ = 0;
  uint64_t sequence_ = 0;
  std::string stopped_;
};

} // namespace faultline::recording

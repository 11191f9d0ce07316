#include "recording/writer.h"

#include "recording/leftover.h"

#include "base/text.h"
#include "recording/side_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

namespace faultline::recording {
namespace {

constexpr int kLevel = 1;
// Kept free under a size limit, so that the file can still say how the run ended.
constexpr uint64_t kEndReserve = 16 << 10;

PackedChunk pack(ChunkKind kind, const void* prefix, size_t prefixSize, std::string_view bytes) {
  assert(bytes.size() <= kMaxRawSize);
  PackedChunk chunk{kind, bytes.size(), {}};
  chunk.stored.resize(prefixSize + ZSTD_compressBound(bytes.size()));
  if (prefixSize > 0) std::memcpy(chunk.stored.data(), prefix, prefixSize);
  size_t packed = ZSTD_compress(chunk.stored.data() + prefixSize, chunk.stored.size() - prefixSize,
                                bytes.data(), bytes.size(), kLevel);
  assert(!ZSTD_isError(packed)); // the bound is large enough and there is no other reason
  chunk.stored.resize(prefixSize + packed);
  return chunk;
}

PackedChunk plain(ChunkKind kind, const std::string& text) {
  return {kind, text.size(), std::vector<uint8_t>(text.begin(), text.end())};
}

} // namespace

PackedChunk packMeta(const Meta& meta) { return plain(ChunkKind::Meta, toJson(meta)); }
PackedChunk packObject(const LoadedObject& object) { return plain(ChunkKind::Object, toJson(object)); }
PackedChunk packEnd(const End& end) { return plain(ChunkKind::End, toJson(end)); }
PackedChunk packInput(std::string_view bytes) { return pack(ChunkKind::Input, nullptr, 0, bytes); }

PackedChunk packLog(uint64_t firstEpoch, std::string_view bytes) {
  LogPrefix prefix{firstEpoch};
  return pack(ChunkKind::Log, &prefix, sizeof prefix, bytes);
}

PackedChunk packOutput(uint32_t stream, std::string_view bytes) {
  OutputPrefix prefix{stream, 0};
  return pack(ChunkKind::Output, &prefix, sizeof prefix, bytes);
}

PackedChunk packFile(const KeptFile& file) {
  FilePrefix prefix{file.kind, file.mode, file.modified, uint32_t(file.path.size()), 0};
  return pack(ChunkKind::File, &prefix, sizeof prefix, file.path + file.bytes);
}

PackedChunk packState(const StatePrefix& prefix, std::span<const uint8_t> root) {
  return pack(ChunkKind::State, &prefix, sizeof prefix,
              {reinterpret_cast<const char*>(root.data()), root.size()});
}

PackedChunk packPages(uint32_t pages, std::span<const uint8_t> packed) {
  PagesPrefix prefix{pages, 0};
  PackedChunk chunk{ChunkKind::Pages, uint64_t(pages) * 4096, {}};
  chunk.stored.resize(sizeof prefix + packed.size());
  std::memcpy(chunk.stored.data(), &prefix, sizeof prefix);
  std::memcpy(chunk.stored.data() + sizeof prefix, packed.data(), packed.size());
  return chunk;
}

Result<Writer> Writer::create(const std::filesystem::path& path, uint64_t sizeLimit, uint32_t flags) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return errorf("cannot write {}: it is a folder; name a file in it", path.string());
  std::string temporary = path.string() + ".part-XXXXXX";
  int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return errorf("cannot write {}: {}", path.string(), std::strerror(errno));
  markGrowing(fd);
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  Writer writer(path, temporary, fd, sizeLimit);
  FileHeader header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.flags = flags;
  if (!writer.put(&header, sizeof header))
    return errorf("cannot write {}: {}", path.string(), std::strerror(errno));
  return writer;
}

Writer::Writer(Writer&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::move(other.temporary_)), fd_(other.fd_),
      limit_(other.limit_), size_(other.size_), sequence_(other.sequence_), stopped_(other.stopped_) {
  other.temporary_.clear();
  other.fd_ = -1;
}

Writer::~Writer() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

bool Writer::put(const void* bytes, size_t size) {
  auto* at = static_cast<const char*>(bytes);
  uint64_t offset = size_;
  for (size_t left = size; left > 0;) {
    ssize_t written = pwrite(fd_, at, left, off_t(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      return false;
    }
    at += written, left -= size_t(written), offset += uint64_t(written);
  }
  size_ = offset;
  return true;
}

bool Writer::fits(const PackedChunk& chunk) const {
  return limit_ == 0 || size_ + sizeof(ChunkHeader) + chunk.stored.size() + kEndReserve <= limit_;
}

bool Writer::readBack(uint64_t offset, std::vector<uint8_t>& bytes) const {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t got = pread(fd_, bytes.data() + done, bytes.size() - done, off_t(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += size_t(got);
  }
  return true;
}

bool Writer::add(const PackedChunk& chunk) {
  bool counts =
      chunk.kind != ChunkKind::End && chunk.kind != ChunkKind::Meta && chunk.kind != ChunkKind::Object;
  if (counts) {
    if (stopped_.empty() && !fits(chunk))
      stop(fmt::format("the size limit of {} was reached", humanSize(limit_)));
    if (!stopped_.empty()) return false;
  }
  ChunkHeader header{kChunkMagic, chunk.kind, sequence_, chunk.rawSize, chunk.stored.size(), 0};
  uint64_t seed = XXH3_64bits(&header, offsetof(ChunkHeader, hash));
  header.hash = XXH3_64bits_withSeed(chunk.stored.data(), chunk.stored.size(), seed);
  uint64_t before = size_;
  if (put(&header, sizeof header) && put(chunk.stored.data(), chunk.stored.size())) {
    ++sequence_;
    return true;
  }
  std::string why = std::strerror(errno);
  size_ = before;
  stop("writing the recording failed: " + why);
  return false;
}

void Writer::stop(std::string why) {
  if (stopped_.empty()) stopped_ = std::move(why);
  // What lies behind the last whole chunk is not worth a complaint by the reader. If this fails too, the
  // checksum tells.
  if (ftruncate(fd_, off_t(size_)) != 0) return;
}

Result<void> Writer::commit() {
  int closed = close(fd_);
  fd_ = -1;
  removeSideFiles(path_); // of a recording that had this name
  if (closed != 0 || rename(temporary_.c_str(), path_.c_str()) != 0)
    return errorf("cannot write {}: {}", path_.string(), std::strerror(errno));
  temporary_.clear();
  return {};
}

} // namespace faultline::recording

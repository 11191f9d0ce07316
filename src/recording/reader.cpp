#include "recording/reader.h"

#include "base/text.h"
#include "recording/log_decode.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

namespace faultline::recording {

// pread rather than a mapping: a file that another program cuts while we read is an error, not a SIGBUS.
class Recording::File {
public:
  File(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  ~File() { close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& name() const { return name_; }
  int fd() const { return fd_; }

  bool read(uint64_t offset, void* to, size_t size) const {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
      ssize_t got = pread(fd_, at, size, off_t(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got, offset += uint64_t(got), size -= size_t(got);
    }
    return true;
  }

  // The stored bytes, with the checksum checked again: the file may have changed since it was opened.
  Result<std::vector<uint8_t>> stored(const Place& place) const {
    std::vector<uint8_t> bytes(place.storedSize);
    if (!read(place.offset, bytes.data(), bytes.size()) ||
        XXH3_64bits_withSeed(bytes.data(), bytes.size(), place.seed) != place.hash)
      return errorf("{} changed while it was read", name_);
    return bytes;
  }

  template <class Bytes> Result<Bytes> unpacked(const Place& place, size_t prefix) const {
    FL_TRY(bytes, stored(place));
    const uint8_t* packed = bytes.data() + prefix;
    size_t packedSize = bytes.size() - prefix;
    Bytes raw(place.rawSize, {});
    size_t got = ZSTD_decompress(raw.data(), raw.size(), packed, packedSize);
    if (ZSTD_isError(got) || got != raw.size())
      return errorf("{} has a chunk that cannot be unpacked", name_);
    return raw;
  }

private:
  int fd_;
  std::string name_;
};

namespace {

class FileLog : public LogSource {
public:
  FileLog(std::shared_ptr<const Recording::File> file, std::vector<Recording::Place> places)
      : file_(std::move(file)), places_(std::move(places)) {}
  uint32_t chunkCount() const override { return uint32_t(places_.size()); }
  uint64_t firstEpoch(uint32_t chunk) const override { return places_.at(chunk).tag; }
  Result<LogBytes> load(uint32_t chunk) const override {
    FL_TRY(bytes, file_->unpacked<std::vector<uint8_t>>(places_.at(chunk), sizeof(LogPrefix)));
    return LogBytes(std::make_shared<const std::vector<uint8_t>>(std::move(bytes)));
  }

private:
  std::shared_ptr<const Recording::File> file_;
  std::vector<Recording::Place> places_;
};

class FileStart : public StartState {
public:
  FileStart(std::shared_ptr<const Recording::File> file, const StatePrefix& prefix, Recording::Place root,
            std::vector<Recording::Place> blocks)
      : file_(std::move(file)), root_(root), blocks_(std::move(blocks)) {
    time = prefix.time;
    epoch = prefix.epoch;
    pages = prefix.pages;
  }
  Result<std::vector<uint8_t>> root() const override {
    return file_->unpacked<std::vector<uint8_t>>(root_, sizeof(StatePrefix));
  }
  Result<std::vector<uint8_t>> block(uint32_t number) const override {
    if (number >= blocks_.size())
      return errorf("{} is cut off within the state it begins with", file_->name());
    FL_TRY(bytes, file_->stored(blocks_[number]));
    bytes.erase(bytes.begin(), bytes.begin() + sizeof(PagesPrefix));
    return bytes;
  }

private:
  std::shared_ptr<const Recording::File> file_;
  Recording::Place root_;
  std::vector<Recording::Place> blocks_;
};

// Of one stream in memory: a few bytes of zstd can stand for very many.
constexpr uint64_t kMostJoined = uint64_t(1) << 30;

size_t prefixSize(ChunkKind kind) {
  if (kind == ChunkKind::Log) return sizeof(LogPrefix);
  if (kind == ChunkKind::Output) return sizeof(OutputPrefix);
  if (kind == ChunkKind::State) return sizeof(StatePrefix);
  if (kind == ChunkKind::Pages) return sizeof(PagesPrefix);
  if (kind == ChunkKind::File) return sizeof(FilePrefix);
  return 0;
}

// What is wrong with the header, or null.
const char* headerFault(const ChunkHeader& header, uint64_t sequence) {
  if (header.magic != kChunkMagic) return "it does not begin as a chunk does";
  if (header.sequence != sequence) return "it is out of order";
  if (header.rawSize > kMaxRawSize || header.storedSize > kMaxStoredSize) return "its size cannot be right";
  if (header.storedSize < prefixSize(header.kind)) return "it is too short";
  return nullptr;
}

const char* contentFault(const ChunkHeader& header, const std::vector<uint8_t>& stored) {
  if (header.kind == ChunkKind::Meta || header.kind == ChunkKind::End || header.kind == ChunkKind::Object)
    return stored.size() == header.rawSize ? nullptr : "its sizes differ";
  if (header.kind != ChunkKind::Log && header.kind != ChunkKind::Input && header.kind != ChunkKind::Output &&
      header.kind != ChunkKind::State && header.kind != ChunkKind::Pages && header.kind != ChunkKind::File)
    return nullptr; // of a later version: skipped
  size_t prefix = prefixSize(header.kind);
  // The declared size is believed only where zstd's own frame says the same, so that it bounds what is
  // allocated by what the file can really hold.
  auto size = ZSTD_getFrameContentSize(stored.data() + prefix, stored.size() - prefix);
  return size == header.rawSize ? nullptr : "its packed size differs from the one declared";
}

} // namespace

Result<Recording> Recording::open(const std::filesystem::path& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errorf("cannot read {}: {}", path.string(), std::strerror(errno));
  Recording recording;
  recording.file_ = std::make_shared<const File>(fd, path.string());
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    return errorf("{} is not a regular file", path.string());
  recording.fileSize_ = uint64_t(status.st_size);
  FL_CHECK(recording.scan());
  return recording;
}

Result<void> Recording::scan() {
  FileHeader file;
  if (!file_->read(0, &file, sizeof file) || std::memcmp(file.magic, kMagic, sizeof kMagic) != 0)
    return errorf("{} is not a recording", file_->name());
  if (file.version != kVersion || (file.flags & ~kStartsLate) != 0)
    return errorf("{} was made by another version of Faultline (format {}, this one reads {}); record again",
                  file_->name(), file.version, kVersion);
  uint64_t offset = sizeof file, sequence = 0;
  const char* fault = nullptr;
  while (offset < fileSize_ && !end_) {
    ChunkHeader header;
    std::vector<uint8_t> stored;
    uint64_t room = fileSize_ - offset;
    if (room < sizeof header || !file_->read(offset, &header, sizeof header))
      fault = "the file ends within it";
    else if (!(fault = headerFault(header, sequence)) && room - sizeof header < header.storedSize)
      fault = "the file ends within it";
    if (fault) break;
    Place place{offset + sizeof header,
                header.storedSize,
                header.rawSize,
                header.hash,
                XXH3_64bits(&header, offsetof(ChunkHeader, hash)),
                0};
    auto read = file_->stored(place);
    if (!read) fault = "its checksum is wrong";
    if (fault || (fault = contentFault(header, *read))) break;
    FL_CHECK(takeChunk(header, place, *read));
    identity_ = XXH3_64bits_withSeed(&header, sizeof header, identity_);
    offset = place.offset + place.storedSize;
    ++sequence;
  }
  if (!hasMeta_)
    return errorf("{} has no usable part: it was cut off or damaged at its start", file_->name());
  if ((file.flags & kStartsLate) && !state_)
    return errorf("{} was cut off within the state that it begins with: record again", file_->name());
  if (fault)
    caveats_.push_back(fmt::format("the recording is cut off after chunk {}: the next one is damaged, {}",
                                   sequence - 1, fault));
  else if (!end_)
    caveats_.push_back(fmt::format(
        "the recording is cut off after chunk {}: the recorder did not come to its end", sequence - 1));
  else if (offset < fileSize_)
    caveats_.push_back("the recording is followed by bytes that do not belong to it");
  if (end_) caveats_.insert(caveats_.end(), end_->caveats.begin(), end_->caveats.end());
  return {};
}

Result<void> Recording::takeChunk(const ChunkHeader& header, const Place& place,
                                  const std::vector<uint8_t>& stored) {
  Place tagged = place;
  std::string_view text(reinterpret_cast<const char*>(stored.data()), stored.size());
  switch (header.kind) {
  case ChunkKind::Meta: {
    FL_TRY(meta, metaFromJson(text));
    meta_ = std::move(meta);
    hasMeta_ = true;
    break;
  }
  case ChunkKind::End: {
    FL_TRY(end, endFromJson(text));
    end_ = std::move(end);
    break;
  }
  case ChunkKind::Object: {
    FL_TRY(object, objectFromJson(text));
    objects_.push_back(std::move(object));
    break;
  }
  case ChunkKind::Log:
    std::memcpy(&tagged.tag, stored.data(), sizeof tagged.tag);
    logs_.push_back(tagged);
    break;
  case ChunkKind::Input:
    inputs_.push_back(tagged);
    break;
  case ChunkKind::State:
    std::memcpy(&statePrefix_, stored.data(), sizeof statePrefix_);
    state_ = tagged;
    break;
  case ChunkKind::File:
    files_.push_back(tagged);
    break;
  case ChunkKind::Pages:
    pages_.push_back(tagged);
    break;
  case ChunkKind::Output: {
    OutputPrefix prefix;
    std::memcpy(&prefix, stored.data(), sizeof prefix);
    tagged.tag = prefix.stream;
    outputs_.push_back(tagged);
    break;
  }
  }
  return {};
}

std::shared_ptr<const LogSource> Recording::log() const { return std::make_shared<FileLog>(file_, logs_); }

std::shared_ptr<const StartState> Recording::start() const {
  if (!state_) return nullptr;
  return std::make_shared<FileStart>(file_, statePrefix_, *state_, pages_);
}

uint64_t Recording::lastEpoch() const { return end_ ? end_->epoch : recording::lastEpoch(*log()); }

uint64_t Recording::logRawBytes() const {
  uint64_t total = 0;
  for (const Place& place : logs_) total += place.rawSize;
  return total;
}

Result<std::string> Recording::join(const std::vector<Place>& places, size_t prefix,
                                    std::optional<uint64_t> tag) const {
  std::string all;
  for (const Place& place : places) {
    if (tag && place.tag != *tag) continue;
    if (place.rawSize > kMostJoined - all.size())
      return errorf("{} holds more than {} of one stream", file_->name(), humanSize(kMostJoined));
    FL_TRY(piece, file_->unpacked<std::string>(place, prefix));
    all += piece;
  }
  return all;
}

Result<std::shared_ptr<const KeptFiles>> Recording::files() const {
  auto out = std::make_shared<KeptFiles>();
  for (const Place& place : files_) {
    FilePrefix prefix;
    FL_TRY(raw, file_->unpacked<std::string>(place, sizeof prefix));
    if (!file_->read(place.offset, &prefix, sizeof prefix) || prefix.pathSize > raw.size() ||
        prefix.pathSize == 0 || prefix.kind > KeptFile::Link || !raw.starts_with('/'))
      return errorf("{} has a file that cannot be read", file_->name());
    out->push_back({raw.substr(0, prefix.pathSize), KeptFile::Kind(prefix.kind), prefix.mode, prefix.modified,
                    raw.substr(prefix.pathSize)});
  }
  std::ranges::sort(*out, {}, &KeptFile::path);
  return std::shared_ptr<const KeptFiles>(std::move(out));
}

Result<std::string> Recording::input() const { return join(inputs_, 0, std::nullopt); }
Result<std::string> Recording::output(uint32_t stream) const {
  return join(outputs_, sizeof(OutputPrefix), stream);
}

} // namespace faultline::recording

// Opens a recording and checks it: every chunk's checksum, order and size. A damaged or cut-off file is read
// up to its last good chunk, and caveats() says what is missing; open() fails only when nothing can be used.
//
//   FL_TRY(recording, Recording::open("run.flt"));
//   FL_TRY(log, LogReader::open(recording.log()));
#pragma once

#include "base/result.h"
#include "recording/format.h"
#include "recording/kept_file.h"
#include "recording/log_source.h"
#include "recording/meta.h"

#include <filesystem>
#include <optional>

namespace faultline::recording {

// What a recording begins with that has only the end of its run.
class StartState {
public:
  virtual ~StartState() = default;
  uint64_t time = 0; // instructions executed before
  uint64_t epoch = 0;
  uint32_t pages = 0;
  virtual Result<std::vector<uint8_t>> root() const = 0;
  // Packed by zstd.
  virtual Result<std::vector<uint8_t>> block(uint32_t number) const = 0;
};

class Recording {
public:
  static Result<Recording> open(const std::filesystem::path& path);

  const Meta& meta() const { return meta_; }
  // Missing when the recorder was cut off.
  const std::optional<End>& end() const { return end_; }
  const std::vector<LoadedObject>& objects() const { return objects_; }
  std::shared_ptr<const LogSource> log() const;
  // Null: the recording has the run from its start.
  std::shared_ptr<const StartState> start() const;
  // Epoch in which the run ended. Where the file does not say it, that of the last record of the log: replay
  // needs a bound in any case.
  uint64_t lastEpoch() const;
  // Standard input of the run, if it was captured.
  Result<std::string> input() const;
  // What the program wrote to stream 1 or 2, if it was captured.
  Result<std::string> output(uint32_t stream) const;
  // What the run changed, as it was before.
  Result<std::shared_ptr<const KeptFiles>> files() const;
  const std::vector<std::string>& caveats() const { return caveats_; }

  uint64_t logChunks() const { return logs_.size(); }
  uint64_t logRawBytes() const;
  uint64_t fileSize() const { return fileSize_; }
  // Names the content: equal for equal files, for what is kept beside them (side_files.h).
  uint64_t identity() const { return identity_; }

  // One chunk in the file, known to be whole.
  struct Place {
    uint64_t offset; // of the stored bytes
    uint64_t storedSize;
    uint64_t rawSize;
    uint64_t hash;
    uint64_t seed;
    uint64_t tag; // first epoch, or stream number
  };
  class File;

private:
  Recording() = default;
  Result<void> scan();
  Result<void> takeChunk(const ChunkHeader& header, const Place& place, const std::vector<uint8_t>& stored);
  Result<std::string> join(const std::vector<Place>& places, size_t prefix,
                           std::optional<uint64_t> tag) const;

  std::shared_ptr<const File> file_;
  uint64_t fileSize_ = 0;
  uint64_t identity_ = 0;
  Meta meta_;
  bool hasMeta_ = false;
  std::optional<End> end_;
  std::vector<LoadedObject> objects_;
  std::vector<Place> logs_, inputs_, outputs_, pages_, files_;
  std::optional<Place> state_;
  StatePrefix statePrefix_{};
  std::vector<std::string> caveats_;
};

} // namespace faultline::recording

// The log as a forward stream of records over all its chunks. The next chunk is unpacked in the background
// while this one is read. A position can be kept and gone back to; it costs at most unpacking one chunk.
//
//   FL_TRY(log, LogReader::open(recording.log()));
//   while (const Record* r = log.peek()) { ...; log.pop(); }
//   if (!log.damage().empty()) ...   // ended early, and why
#pragma once

#include "recording/log_decode.h"
#include "recording/log_source.h"

#include <future>
#include <optional>
#include <string>

namespace faultline::recording {

class LogReader {
public:
  // Restores the reader to just before a record.
  struct Position {
    uint32_t chunk = 0;
    uint32_t offset = 0;
    uint64_t epochBase = 0;
    friend bool operator==(const Position&, const Position&) = default;
  };

  static Result<LogReader> open(std::shared_ptr<const LogSource> source);
  LogReader(LogReader&&) = default;
  LogReader& operator=(LogReader&&) = default;

  // The record at hand, or null at the end (or at damage). Stays valid until the next pop or seek.
  const Record* peek() const { return present_ ? &record_ : nullptr; }
  void pop() {
    if (present_) advance();
  }

  // Of the record at hand.
  Position position() const { return position_; }
  Result<void> seek(const Position& position);
  // Goes to the start of the last chunk whose first epoch is not above `epoch`.
  Result<void> seekEpoch(uint64_t epoch);

  uint64_t recordsRead() const { return recordsRead_; }
  // Why the stream ended before its end; empty if it did not.
  const std::string& damage() const { return damage_; }

private:
  explicit LogReader(std::shared_ptr<const LogSource> source) : source_(std::move(source)) {}

  void advance();
  bool nextChunk();
  Result<void> enter(uint32_t chunk);
  void readAhead(uint32_t chunk);
  void stop(std::string why);

  std::shared_ptr<const LogSource> source_;
  LogBytes bytes_;
  const uint8_t* at_ = nullptr; // behind the record at hand
  const uint8_t* end_ = nullptr;
  uint64_t epoch_ = 0;
  Record record_;
  bool present_ = false;
  Position position_;
  uint64_t recordsRead_ = 0;
  std::string damage_;
  uint32_t aheadChunk_ = 0;
  std::future<Result<LogBytes>> ahead_;
};

} // namespace faultline::recording

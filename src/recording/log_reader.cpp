#include "recording/log_reader.h"

namespace faultline::recording {

Result<LogReader> LogReader::open(std::shared_ptr<const LogSource> source) {
  LogReader reader(std::move(source));
  if (reader.source_->chunkCount() > 0) FL_CHECK(reader.seek({}));
  return reader;
}

void LogReader::advance() {
  for (;;) {
    position_.offset = uint32_t(at_ - bytes_->data());
    position_.epochBase = epoch_;
    switch (decodeRecord(at_, end_, epoch_, record_)) {
    case Decoded::Record:
      present_ = true;
      ++recordsRead_;
      return;
    case Decoded::Damaged:
      stop(fmt::format("the log is damaged in chunk {} at offset {}", position_.chunk, position_.offset));
      return;
    case Decoded::EndOfChunk:
      if (!nextChunk()) return;
    }
  }
}

bool LogReader::nextChunk() {
  if (position_.chunk + 1 >= source_->chunkCount()) {
    present_ = false;
    return false;
  }
  auto entered = enter(position_.chunk + 1);
  if (!entered) stop(entered.error().message);
  return bool(entered);
}

Result<void> LogReader::enter(uint32_t chunk) {
  // A future that is given up waits for its thread, so a chunk at hand is kept for a seek that wants it.
  std::optional<Result<LogBytes>> loaded;
  if (ahead_.valid() && aheadChunk_ == chunk) loaded = ahead_.get();
  if (!loaded) loaded = source_->load(chunk);
  if (!*loaded) return loaded->error();
  bytes_ = **loaded;
  at_ = bytes_->data();
  end_ = at_ + bytes_->size();
  epoch_ = 0;
  position_ = {chunk, 0, 0};
  readAhead(chunk + 1);
  return {};
}

void LogReader::readAhead(uint32_t chunk) {
  if (chunk >= source_->chunkCount() || (ahead_.valid() && aheadChunk_ == chunk)) return;
  aheadChunk_ = chunk;
  ahead_ = std::async(std::launch::async, [source = source_, chunk] { return source->load(chunk); });
}

Result<void> LogReader::seek(const Position& position) {
  if (position.chunk >= source_->chunkCount())
    return errorf("the log has {} chunks; there is no chunk {}", source_->chunkCount(), position.chunk);
  if (!bytes_ || position_.chunk != position.chunk) FL_CHECK(enter(position.chunk));
  if (position.offset > bytes_->size())
    return errorf("chunk {} of the log has {} bytes; there is no offset {}", position.chunk, bytes_->size(),
                  position.offset);
  at_ = bytes_->data() + position.offset;
  epoch_ = position.epochBase;
  damage_.clear();
  present_ = false;
  advance();
  return {};
}

Result<void> LogReader::seekEpoch(uint64_t epoch) {
  uint32_t chunk = 0;
  for (uint32_t i = 1; i < source_->chunkCount(); ++i) {
    uint64_t first = source_->firstEpoch(i);
    if (first > epoch) break;
    if (first != 0) chunk = i;
  }
  if (source_->chunkCount() == 0) return {};
  return seek({chunk, 0, 0});
}

void LogReader::stop(std::string why) {
  damage_ = std::move(why);
  present_ = false;
}

} // namespace faultline::recording

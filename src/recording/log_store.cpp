#include "recording/log_store.h"

#include <cerrno>

namespace faultline::recording {

void LogStore::stored(const PackedChunk& chunk, uint64_t end) {
  std::lock_guard guard(mutex_);
  if (closed_) return;
  places_.push_back({chunk.rawSize, end - chunk.stored.size(), chunk.stored.size()});
  changed_.notify_all();
}

void LogStore::close() {
  std::lock_guard guard(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool LogStore::load(const Place& place, PackedChunk& chunk) const {
  chunk = {ChunkKind::Log, place.rawSize, std::vector<uint8_t>(place.storedSize)};
  for (size_t done = 0; done < chunk.stored.size();) {
    ssize_t got = pread(file_.get(), chunk.stored.data() + done, chunk.stored.size() - done,
                        off_t(place.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += size_t(got);
  }
  return true;
}

bool LogStore::read(uint32_t own, const std::function<void(const PackedChunk&)>& take) {
  if (parent_ && !parent_->read(before_, take)) return false;
  std::vector<Place> places;
  {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return closed_ || places_.size() >= own; });
    if (places_.size() < own) return false;
    places.assign(places_.begin(), places_.begin() + own);
  }
  PackedChunk chunk;
  for (const Place& place : places) {
    if (!load(place, chunk)) return false;
    take(chunk);
  }
  return true;
}

bool LogStore::readAll(const std::function<void(const PackedChunk&)>& take) {
  size_t own;
  {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return closed_; });
    own = places_.size();
  }
  return read(uint32_t(own), take);
}

} // namespace faultline::recording

#include "recording/last_window.h"

#include "base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <zstd.h>

namespace faultline::recording {
namespace {

// What the program reads and prints must leave room for the log.
constexpr uint64_t kInputPart = 4, kOutputPart = 8;
// A buffer of log that cannot be packed.
constexpr uint64_t kLargestLog = 1'100'000;

} // namespace

// The log as it is in the file at present, by the numbers that its chunks had in the run.
class LastWindow::Source : public LogSource {
public:
  explicit Source(const LastWindow& window) : window_(window) {}
  uint32_t chunkCount() const override { return window_.logCount_.load(std::memory_order_acquire); }
  uint64_t firstEpoch(uint32_t) const override { return 0; } // nobody who follows goes by it
  Result<LogBytes> load(uint32_t chunk) const override { return window_.loadLog(chunk); }

private:
  const LastWindow& window_;
};

LastWindow::LastWindow(Setting setting, Writer writer) : setting_(std::move(setting)) {
  writer_.emplace(std::move(writer));
  store(setting_.meta);
}

LastWindow::~LastWindow() { finish(); }

void LastWindow::finish() {
  stop_ = true;
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LastWindow::store(const PackedChunk& chunk) {
  if (!writer_->add(chunk)) return;
  entries_.push_back({chunk.kind, chunk.rawSize, writer_->size() - chunk.stored.size(), chunk.stored.size()});
  if (chunk.kind == ChunkKind::Log) logCount_.fetch_add(1, std::memory_order_release);
}

uint64_t LastWindow::bytesOf(ChunkKind kind) const {
  uint64_t total = 0;
  for (const Entry& e : entries_)
    if (e.kind == kind) total += e.bytes();
  return total;
}

uint64_t LastWindow::room() const {
  uint64_t other = writer_->size() - bytesOf(ChunkKind::Log) - bytesOf(ChunkKind::Output);
  other += setting_.size / kOutputPart;
  return setting_.size > other ? setting_.size - other : 0;
}

void LastWindow::add(const PackedChunk& chunk) {
  Lock lock(mutex_);
  uint64_t bytes = sizeof(ChunkHeader) + chunk.stored.size();
  switch (chunk.kind) {
  case ChunkKind::Log:
    return addLog(lock, chunk);
  case ChunkKind::Input:
    droppedInput_ |= bytesOf(ChunkKind::Input) + bytes > setting_.size / kInputPart;
    if (!droppedInput_) store(chunk);
    return;
  case ChunkKind::Output:
    if (!writer_->fits(chunk) && !dropOldOutput()) droppedOutput_ = true;
    if (writer_->fits(chunk))
      store(chunk);
    else
      droppedOutput_ = true;
    return;
  default:
    return store(chunk);
  }
}

void LastWindow::addLog(Lock& lock, const PackedChunk& chunk) {
  while (failure_.empty() && !writer_->fits(chunk) && !stop_) {
    if (dropOldOutput()) continue;
    if (!makeRoom(lock, chunk)) break;
  }
  store(chunk);
  bool half = bytesOf(ChunkKind::Log) > room() / 2;
  if (half && !wanted_ && !made_ && failure_.empty() && !stop_) request(logCount_ - 1);
}

// The last chunks that fill no more than half of the room.
uint32_t LastWindow::targetFor(uint64_t room) const {
  uint32_t target = logCount_;
  uint64_t kept = 0;
  for (size_t k = entries_.size(); k-- > 0;) {
    if (entries_[k].kind != ChunkKind::Log) continue;
    kept += entries_[k].bytes();
    if (kept > room / 2 && target < logCount_) break;
    --target;
  }
  return target;
}

// False: there is none to be made, and failure_ says why.
bool LastWindow::makeRoom(Lock& lock, const PackedChunk& chunk) {
  if (!wanted_ && !made_) request(targetFor(room()));
  changed_.wait(lock, [&] { return made_ || stop_; });
  if (!made_) return false;
  Result<MadeState> made = std::move(*made_);
  made_.reset();
  if (!made) return giveUp("the run could not be followed: " + made.error().message), false;
  uint64_t fixed =
      writer_->size() - bytesOf(ChunkKind::Log) - bytesOf(ChunkKind::State) - bytesOf(ChunkKind::Pages);
  uint64_t other = fixed + made->bytes();
  if (other + 3 * kLargestLog > setting_.size) {
    giveUp(fmt::format("the state of the program alone takes {}: give --last at least {}",
                       humanSize(made->bytes()), humanSize((other + 3 * kLargestLog) * 2)));
    return false;
  }
  uint64_t kept = 0;
  uint32_t number = firstLog_;
  for (const Entry& e : entries_)
    if (e.kind == ChunkKind::Log && number++ >= made->firstChunk) kept += e.bytes();
  uint64_t left = setting_.size - other;
  if (kept + chunk.stored.size() + kLargestLog / 8 > left) { // the state is larger than the last one was
    uint32_t later = targetFor(left);
    if (later <= made->firstChunk) return giveUp("the log grows too quickly for so small a file"), false;
    request(later);
    return true;
  }
  return rewrite(&*made);
}

bool LastWindow::dropOldOutput() {
  if (bytesOf(ChunkKind::Output) <= setting_.size / kOutputPart) return false;
  droppedOutput_ = true;
  return rewrite(nullptr);
}

bool LastWindow::load(const Entry& entry, PackedChunk& chunk) const {
  chunk = {entry.kind, entry.rawSize, std::vector<uint8_t>(entry.storedSize)};
  return writer_->readBack(entry.offset, chunk.stored);
}

bool LastWindow::copy(const Entry& entry, Writer& to) const {
  PackedChunk chunk;
  return load(entry, chunk) && to.add(chunk);
}

// The file anew: from this state on, or from the one it has, and with the last part of the output.
bool LastWindow::rewrite(const MadeState* state) {
  bool late = state || startTime_ > 0;
  uint32_t flags = late ? kStartsLate : 0;
  auto made = Writer::create(setting_.path, writer_->limit(), flags);
  if (!made) return giveUp(made.error().message), false;
  Writer& fresh = *made;
  std::vector<Entry> entries;
  auto note = [&](bool stored, ChunkKind kind, uint64_t rawSize, uint64_t size) {
    if (stored) entries.push_back({kind, rawSize, fresh.size() - size, size});
    return stored;
  };
  uint64_t outputs = bytesOf(ChunkKind::Output);
  uint32_t number = firstLog_, first = state ? state->firstChunk : firstLog_;
  bool whole = true;
  for (const Entry& e : entries_) {
    if (e.kind == ChunkKind::Log && number++ < first) continue;
    if (state && (e.kind == ChunkKind::State || e.kind == ChunkKind::Pages)) continue;
    if (e.kind == ChunkKind::Output && outputs > setting_.size / kOutputPart) {
      outputs -= e.bytes();
      continue;
    }
    whole = whole && note(copy(e, fresh), e.kind, e.rawSize, e.storedSize);
    if (e.kind == ChunkKind::Meta && state)
      for (const PackedChunk& c : state->chunks)
        whole = whole && note(fresh.add(c), c.kind, c.rawSize, c.stored.size());
  }
  if (!whole) {
    giveUp(fresh.stopped().empty() ? "it could not be read back" : fresh.stopped());
    return false;
  }
  writer_.emplace(std::move(fresh));
  entries_ = std::move(entries);
  firstLog_ = first;
  if (state) startTime_ = state->time;
  return true;
}

void LastWindow::giveUp(std::string why) {
  if (failure_.empty()) failure_ = std::move(why);
}

std::vector<std::string> LastWindow::caveats() const {
  std::vector<std::string> out;
  if (!failure_.empty())
    out.push_back(fmt::format("--last: the end of the run is missing, since {}", failure_));
  if (droppedInput_)
    out.push_back(fmt::format("only the first {} of standard input were kept, packed",
                              humanSize(setting_.size / kInputPart)));
  if (droppedOutput_)
    out.push_back(fmt::format("only the last {} of what the program printed were kept, packed",
                              humanSize(setting_.size / kOutputPart)));
  return out;
}

Result<LogBytes> LastWindow::loadLog(uint32_t chunk) const {
  PackedChunk packed;
  {
    std::lock_guard guard(mutex_);
    uint32_t number = firstLog_;
    const Entry* found = nullptr;
    for (const Entry& e : entries_)
      if (e.kind == ChunkKind::Log && number++ == chunk) found = &e;
    if (!found || !load(*found, packed)) return errorf("chunk {} of the log cannot be read back", chunk);
  }
  std::vector<uint8_t> raw(packed.rawSize);
  size_t got = ZSTD_decompress(raw.data(), raw.size(), packed.stored.data() + sizeof(LogPrefix),
                               packed.stored.size() - sizeof(LogPrefix));
  if (ZSTD_isError(got) || got != raw.size()) return errorf("chunk {} of the log cannot be unpacked", chunk);
  return LogBytes(std::make_shared<const std::vector<uint8_t>>(std::move(raw)));
}

void LastWindow::request(uint32_t chunk) {
  wanted_ = chunk;
  if (!thread_.joinable()) thread_ = std::thread([this] { follow(); });
  changed_.notify_all();
}

void LastWindow::follow() {
  std::unique_ptr<Follower> follower;
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return wanted_ || stop_; });
    if (stop_) break;
    uint32_t chunk = *wanted_;
    lock.unlock();
    std::optional<Error> failed;
    if (!follower) {
      auto made = setting_.follower(std::make_shared<Source>(*this));
      if (made)
        follower = std::move(*made);
      else
        failed = made.error();
    }
    Result<MadeState> state = failed ? Result<MadeState>(*failed) : follower->stateAt(chunk, stop_);
    lock.lock();
    wanted_.reset();
    made_ = std::move(state);
    changed_.notify_all();
  }
  lock.unlock(); // what the follower reads in the background must come to its end
  follower.reset();
}

} // namespace faultline::recording

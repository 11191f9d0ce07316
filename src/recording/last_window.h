// The file of a run of which only the end is to be kept, within a size. While all fits, it is as any other.
// When the log fills half of the room, a follower replays the run up to there, in the background; when the
// room is full, the file is written anew: [the state there, the log from there on].
//
//   log:   0 1 2 3 | 4 5 6 7        full: 0..3 become a state
//   file:  state 4 | 4 5 6 7 | 8 9 ...
//
// Who adds to the log waits if the follower is not there yet: the program is slowed down, the bound holds.
// Can be used from several threads at once; only what is added to the log waits.
#pragma once

#include "recording/follower.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace faultline::recording {

class LastWindow {
public:
  struct Setting {
    std::filesystem::path path;
    uint64_t size = 0;  // of the file
    uint64_t limit = 0; // as Writer::create
    PackedChunk meta;
    MakeFollower follower;
  };
  static constexpr uint64_t kLeastSize = 4'000'000; // some buffers of log, and a state
  // `writer` has nothing in it yet.
  LastWindow(Setting setting, Writer writer);
  ~LastWindow();
  LastWindow(const LastWindow&) = delete;
  LastWindow& operator=(const LastWindow&) = delete;

  void add(const PackedChunk& chunk);
  // The log is complete: nothing more is thrown away.
  void finish();
  // After finish().
  Writer& writer() { return *writer_; }
  std::vector<std::string> caveats() const;
  uint64_t startTime() const { return startTime_; }

private:
  struct Entry { // a chunk in the file
    ChunkKind kind;
    uint64_t rawSize, offset, storedSize;
    uint64_t bytes() const { return sizeof(ChunkHeader) + storedSize; }
  };
  class Source;
  using Lock = std::unique_lock<std::mutex>;

  void store(const PackedChunk& chunk);
  void addLog(Lock& lock, const PackedChunk& chunk);
  bool makeRoom(Lock& lock, const PackedChunk& chunk);
  bool dropOldOutput();
  bool rewrite(const MadeState* state);
  bool copy(const Entry& entry, Writer& to) const;
  bool load(const Entry& entry, PackedChunk& chunk) const;
  void request(uint32_t chunk);
  uint32_t targetFor(uint64_t room) const;
  uint64_t bytesOf(ChunkKind kind) const;
  uint64_t room() const; // for the log
  void giveUp(std::string why);
  void follow();
  Result<LogBytes> loadLog(uint32_t chunk) const;

  Setting setting_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Writer> writer_;
  std::vector<Entry> entries_;
  uint32_t firstLog_ = 0; // number of the first chunk of the log that is in the file
  std::atomic<uint32_t> logCount_ = 0;
  uint64_t startTime_ = 0;
  bool droppedInput_ = false, droppedOutput_ = false;
  std::string failure_;

  // Between those who add and the follower.
  std::optional<uint32_t> wanted_; // chunk whose state is being made
  std::optional<Result<MadeState>> made_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

} // namespace faultline::recording

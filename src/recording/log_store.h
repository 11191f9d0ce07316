// Where the log of one process lies on disk, chunk by chunk, so that the recording of a child can begin with
// what its parent had logged when they parted. The parent may still be writing, or be long gone.
//
//   parent:  buffer 0, 1, 2, | 3, 4 ...
//   child:   (0, 1, 2 of the parent) 0, 1 ...
#pragma once

#include "recording/input.h"
#include "recording/writer.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace faultline::recording {

class LogStore {
public:
  // `file` is where its own chunks lie. `parent` and how many of the parent's own buffers come before them.
  explicit LogStore(FileDescriptor file, std::shared_ptr<LogStore> parent = {}, uint32_t before = 0)
      : file_(std::move(file)), parent_(std::move(parent)), before_(before) {}

  // By who drains the log, for each buffer in order: its chunk has been written and ends at `end` of the
  // file.
  void stored(const PackedChunk& chunk, uint64_t end);
  // No more will come: the process has ended, or the file takes no more.
  void close();

  // Calls `take` with all chunks before the first own one, and `own` of these; waits for those to come.
  // False: not all of them were stored.
  bool read(uint32_t own, const std::function<void(const PackedChunk&)>& take);
  bool readAll(const std::function<void(const PackedChunk&)>& take);

private:
  struct Place {
    uint64_t rawSize, offset, storedSize;
  };
  bool load(const Place& place, PackedChunk& chunk) const;

  FileDescriptor file_;
  std::shared_ptr<LogStore> parent_;
  uint32_t before_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Place> places_;
  bool closed_ = false;
};

} // namespace faultline::recording

// Checkpoints of one run in a file beside its recording, so that another process finds them: the encoded
// states, the pages they share, and a directory. Written as a whole; a state is unpacked when it is wanted.
#pragma once

#include "recording/side_files.h"
#include "replay/checkpoint.h"
#include "replay/page_store.h"

namespace faultline::replay {

struct KeptState {
  uint64_t time = 0; // Engine::steps()
  uint64_t epoch = 0;
  bool ended = false; // how the run ended is in it; always the last one
};

class CheckpointFile {
public:
  // Nothing: there is none, or it cannot be used.
  static std::unique_ptr<CheckpointFile> open(const recording::SideFiles& side);

  // In order of time.
  std::span<const KeptState> states() const { return states_; }
  bool ended() const { return !states_.empty() && states_.back().ended; }
  Result<Engine::State> load(size_t number, Engine& engine);

  // Within the size that is allowed, as many as fit, spread evenly; in order of time, the last one first of
  // all.
  static Result<void> write(const recording::SideFiles& side, const Engine& engine,
                            std::span<const Engine::State* const> states);

private:
  struct Part { // of the content
    uint64_t offset = 0;
    uint64_t hash = 0;
    uint32_t size = 0;
    uint32_t rawSize = 0;
  };
  friend struct CheckpointFileWriter;
  CheckpointFile(recording::SideFile file) : file_(std::move(file)) {}
  bool readDirectory();
  Result<std::vector<uint8_t>> part(const Part& part) const;

  recording::SideFile file_;
  std::vector<KeptState> states_;
  std::vector<Part> roots_, blocks_;
  std::optional<PageReader> pages_;
};

// 0 .. count-1 such that every beginning of the list is spread evenly: the last, the first, the middle, ...
std::vector<size_t> spreadOrder(size_t count);

} // namespace faultline::replay

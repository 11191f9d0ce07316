// The checkpoints of a walk through a run: those made on the way, and those that an earlier process left
// beside the recording. They lie `interval` apart. When there are too many, or their memory is, every other
// one goes and the interval doubles, so that a run of any length keeps a bounded number.
#pragma once

#include "replay/checkpoint_file.h"
#include "replay/replay.h"

#include <map>

namespace faultline::replay {

class Checkpoints {
public:
  explicit Checkpoints(const ReplayOptions& options);

  // When the next one is due.
  Time next() const { return made_.empty() ? 0 : made_.rbegin()->first + interval_; }
  void add(Engine& engine);
  // The engine has come to the run's end.
  void addEnd(Engine& engine);
  size_t count() const { return made_.size(); }
  // The time of the last one not after t, made or in the file; 0: there is none.
  Time lastBefore(Time t) const;

  // Brings the engine to the last state not after t, unless it is as near already; kNever: to the end.
  Result<void> approach(Engine& engine, Time t);
  // The same for an instance of this epoch: to a state of an earlier one.
  Result<void> approachEpoch(Engine& engine, uint64_t epoch);
  // From now on only what this process made itself counts.
  void forgetFile() { file_.reset(); }
  // Leaves the checkpoints beside the recording, if they lead further than what is there. Whether that works
  // makes no difference to this process.
  void keep(Engine& engine);

private:
  bool leadsFurther() const;
  void thinOut();
  // False: the file is of no use, and forgotten.
  Result<bool> restoreFromFile(Engine& engine, size_t number);

  ReplayOptions options_;
  uint64_t interval_;
  uint64_t usedBefore_ = 0; // bytes of memory at the last one
  std::map<Time, Engine::State> made_;
  std::optional<Engine::State> end_;
  std::unique_ptr<CheckpointFile> file_;
  Time keptUntil_ = 0; // by the file
  bool keptEnd_ = false;
};

} // namespace faultline::replay

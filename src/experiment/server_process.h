// One process that serves experiments, and the memory shared with it; see server.h.
#pragma once

#include "abi/experiment.h"
#include "experiment/server.h"
#include "recording/child.h"
#include "recording/shared_log.h"

#include <optional>
#include <thread>

namespace faultline::experiment {

class ServerProcess {
public:
  struct Request {
    const Experiment* experiment;
    uint64_t start;
  };

  explicit ServerProcess(const ServerSetting& setting) : setting_(setting) {}
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  Result<void> start();
  bool alive() const { return child_.pid > 0; }
  // Experiments that begin before this epoch need another process.
  uint64_t position() const { return position_; }
  // In the order of their starts; returns how many fit.
  size_t submit(std::span<const Request> batch);
  // The k-th of the batch. If the process is lost over it, it is not alive any more.
  Ending await(size_t k);
  Result<Walk> walkToEnd();
  // Of the experiments that were traced.
  Visits visits() const;
  void addTo(ServerStats& stats) const;

private:
  fl_experiments& shared() const { return *reinterpret_cast<fl_experiments*>(base_); }
  template <class T> T* placed(uint64_t offset) const { return reinterpret_cast<T*>(base_ + offset); }
  Result<void> makeShared();
  Result<void> makeFile();
  bool writeFile(const std::string& bytes);
  bool awaitFinished(uint32_t number, std::string& why);
  double processorSeconds() const;
  double secondsAllowed(uint32_t number) const;
  void giveUpIfStuck(uint32_t finished);
  bool reap();
  void kill();
  Ending endingOf(const fl_experiment& answer) const;
  std::optional<std::string> differsBefore(const fl_experiment& answer);
  void compare(std::string_view buffer);
  std::optional<std::string> differs(uint32_t number, std::string_view buffer);

  const ServerSetting& setting_;
  recording::FileDescriptor memory_;
  uint8_t* base_ = nullptr;
  uint64_t size_ = 0;
  std::optional<recording::SharedLog> log_;
  recording::Child child_;
  recording::FileDescriptor input_, nowhere_, file_;
  std::thread drainer_;
  std::atomic<uint32_t> compared_ = 0;    // buffers
  std::string difference_;                // in it
  std::atomic<uint64_t> otherValues_ = 0; // from outside
  std::atomic<bool> isWalk_ = false;      // to the end of the run, without experiments
  std::vector<OutsideValue> passing_;     // then; by the thread that compares
  std::pair<uint64_t, uint64_t> comparedUpTo_{~uint64_t(0), 0};
  std::atomic<int64_t> differsIn_ = -1; // the first buffer that is not
  uint64_t position_ = 0;
  uint32_t firstOfBatch_ = 0;
  uint64_t dataStart_ = 0, dataEnd_ = 0;
  uint64_t namesAt_ = 0; // of the file
  int waitStatus_ = 0;
  // What was last seen to move, and when, in the time of the process.
  struct {
    uint32_t finished = 0;
    uint64_t epoch = 0;
    double at = 0, begun = 0; // the experiment that is made now
    bool isSlow = false;      // and was given up for it
  } moved_;
  uint64_t stuck_ = 0, slow_ = 0;
};

} // namespace faultline::experiment

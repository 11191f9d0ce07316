// Runs experiments on a cluster through Slurm. What is asked for within a short while becomes one job array,
// whose tasks each take a chunk (chunk.h) from a folder that all nodes see. A task that ends without
// outcomes, because its node went away, is tried again.
//
//   folder/setting, 0.in 1.in ...       `faultline worker folder 1` makes 1.out of 1.in
#pragma once

#include "experiment/chunk.h"
#include "experiment/slurm.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace faultline::experiment {

struct SlurmOptions {
  std::filesystem::path shared; // a folder that all nodes see under this name
  std::string worker;           // path of `faultline`, on all nodes
  std::vector<std::string> sbatch = {};
  unsigned retries = 3;
};

class SlurmExecutor : public Executor {
public:
  // An error: the folder cannot be written, or Slurm does not answer.
  static Result<std::unique_ptr<SlurmExecutor>> create(const Setting& setting, SlurmOptions options);
  ~SlurmExecutor() override; // ends its jobs and removes its folder

  Ticket submit(RunSpec spec) override;
  Result<Outcome> wait(Ticket ticket) override;
  void cancel(Ticket ticket) override;
  size_t width() const override { return tasks_ * kRunsOfATask; }
  Stats stats() const override;

private:
  static constexpr size_t kRunsOfATask = 16;

  struct Experiment {
    RunSpec spec;
    bool sent = false, cancelled = false;
    std::optional<Result<Outcome>> outcome = {};
  };
  struct Chunk {
    std::vector<Ticket> tickets;
    std::string job;
    unsigned tries = 1;
  };
  using Lock = std::unique_lock<std::mutex>;

  SlurmExecutor(SlurmOptions options, ChunkFolder folder, size_t tasks)
      : options_(std::move(options)), slurm_(options_.sbatch), folder_(std::move(folder)), tasks_(tasks) {}
  void serve();
  bool isTimeToSend() const;
  void send(Lock& lock);
  void collect();
  void lookForLost(Lock& lock);
  void retry(Lock& lock, const std::set<size_t>& numbers, const std::set<size_t>& unfinished);
  Result<std::string> start(const std::set<size_t>& chunks) const;
  void finish(size_t chunk, const std::vector<Outcome>& outcomes);
  void fail(const Chunk& chunk, const Error& why);
  void settle(Ticket ticket, Result<Outcome> outcome);

  SlurmOptions options_;
  Slurm slurm_;
  ChunkFolder folder_;
  size_t tasks_;
  mutable std::mutex mutex_;
  std::condition_variable news_, done_;
  std::map<Ticket, Experiment> experiments_;
  std::vector<Ticket> unsent_;
  std::chrono::steady_clock::time_point lastAsked_;
  std::map<size_t, Chunk> chunks_; // under way
  size_t nextChunk_ = 0;
  Ticket last_ = 0;
  bool ending_ = false;
  Stats stats_;
  std::thread server_;
};

} // namespace faultline::experiment

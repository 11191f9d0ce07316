// Runs experiments on this machine, one at a time on each of some threads.
#pragma once

#include "experiment/executor.h"
#include "recording/input.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace faultline::experiment {

class LocalExecutor : public Executor {
public:
  // `stop`: a descriptor that becomes readable when the run is no longer wanted. Called from several threads.
  using Run = std::function<Result<Ending>(const RunSpec&, int stop)>;

  // jobs 0: one for each core.
  static Result<std::unique_ptr<LocalExecutor>> create(Run run, Judge judge, unsigned jobs = 0);
  ~LocalExecutor() override; // gives up what is under way

  Ticket submit(RunSpec spec) override;
  Result<Outcome> wait(Ticket ticket) override;
  void cancel(Ticket ticket) override;
  size_t width() const override { return workers_.size(); }
  Stats stats() const override;

private:
  struct Experiment {
    RunSpec spec;
    bool running = false, cancelled = false;
    size_t worker = 0;
    std::optional<Result<Outcome>> outcome = {};
  };
  struct Worker {
    recording::FileDescriptor stop; // an eventfd
    std::thread thread = {};
  };

  LocalExecutor(Run run, Judge judge) : run_(std::move(run)), judge_(std::move(judge)) {}
  void work(size_t worker);
  Result<Outcome> runOne(const RunSpec& spec, int stop) const;
  Experiment* next();

  Run run_;
  Judge judge_;
  mutable std::mutex mutex_;
  std::condition_variable work_, done_;
  std::map<Ticket, Experiment> experiments_; // in order of priority
  Ticket last_ = 0;
  bool ending_ = false;
  Stats stats_;
  std::vector<Worker> workers_;
};

} // namespace faultline::experiment

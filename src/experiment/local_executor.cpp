#include "experiment/local_executor.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/eventfd.h>

namespace faultline::experiment {

Result<std::unique_ptr<LocalExecutor>> LocalExecutor::create(Run run, Judge judge, unsigned jobs) {
  std::unique_ptr<LocalExecutor> executor(new LocalExecutor(std::move(run), std::move(judge)));
  if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
  executor->workers_.resize(jobs);
  for (Worker& worker : executor->workers_) {
    worker.stop = recording::FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (worker.stop.get() < 0) return errorf("cannot make an event: {}", std::strerror(errno));
  }
  for (size_t i = 0; i < jobs; ++i)
    executor->workers_[i].thread = std::thread([&self = *executor, i] { self.work(i); });
  return executor;
}

LocalExecutor::~LocalExecutor() {
  {
    std::lock_guard guard(mutex_);
    ending_ = true;
    for (Worker& worker : workers_) eventfd_write(worker.stop.get(), 1);
  }
  work_.notify_all();
  for (Worker& worker : workers_)
    if (worker.thread.joinable()) worker.thread.join();
}

Executor::Ticket LocalExecutor::submit(RunSpec spec) {
  std::lock_guard guard(mutex_);
  experiments_.emplace(++last_, Experiment{std::move(spec)});
  ++stats_.underWay;
  work_.notify_one();
  return last_;
}

Result<Outcome> LocalExecutor::wait(Ticket ticket) {
  std::unique_lock lock(mutex_);
  auto found = experiments_.find(ticket);
  if (found == experiments_.end()) return errorf("there is no such experiment");
  done_.wait(lock, [&] { return found->second.outcome.has_value(); });
  Result<Outcome> outcome = std::move(*found->second.outcome);
  experiments_.erase(found);
  return outcome;
}

void LocalExecutor::cancel(Ticket ticket) {
  std::lock_guard guard(mutex_);
  auto found = experiments_.find(ticket);
  if (found == experiments_.end()) return;
  Experiment& experiment = found->second;
  if (!experiment.outcome) {
    ++stats_.cancelled;
    --stats_.underWay;
  }
  // One that runs is taken off the list by its worker.
  experiment.cancelled = true;
  if (experiment.running)
    eventfd_write(workers_[experiment.worker].stop.get(), 1);
  else
    experiments_.erase(found);
}

Executor::Stats LocalExecutor::stats() const {
  std::lock_guard guard(mutex_);
  return stats_;
}

LocalExecutor::Experiment* LocalExecutor::next() {
  auto found = std::ranges::find_if(experiments_,
                                    [](const auto& e) { return !e.second.running && !e.second.outcome; });
  return found == experiments_.end() ? nullptr : &found->second;
}

void LocalExecutor::work(size_t worker) {
  int stop = workers_[worker].stop.get();
  std::unique_lock lock(mutex_);
  for (;;) {
    Experiment* experiment = nullptr;
    work_.wait(lock, [&] { return ending_ || (experiment = next()); });
    if (ending_) return;
    eventfd_t ignored;
    eventfd_read(stop, &ignored); // meant for the one before
    experiment->running = true;
    experiment->worker = worker;
    lock.unlock();
    Result<Outcome> outcome = runOne(experiment->spec, stop);
    lock.lock();
    experiment->running = false;
    if (experiment->cancelled) {
      std::erase_if(experiments_, [&](const auto& e) { return &e.second == experiment; });
      continue;
    }
    experiment->outcome = std::move(outcome);
    ++stats_.done;
    --stats_.underWay;
    done_.notify_all();
  }
}

Result<Outcome> LocalExecutor::runOne(const RunSpec& spec, int stop) const {
  FL_TRY(ending, run_(spec, stop));
  FL_TRY(verdict, judge_.judge(ending));
  return Outcome{verdict, std::move(ending)};
}

} // namespace faultline::experiment

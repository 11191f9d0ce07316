#include "experiment/slurm_executor.h"

#include "base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace faultline::experiment {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kGather = 50ms; // what is asked for within this time goes into one array
constexpr auto kLook = 100ms;  // between looks for outcomes
constexpr auto kAsk = 2s;      // between questions to Slurm
// A file that is written on one node may be seen on another only after a while.
constexpr auto kPatienceForFiles = 5s;

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

} // namespace

Result<std::unique_ptr<SlurmExecutor>> SlurmExecutor::create(const Setting& setting, SlurmOptions options) {
  std::string name = (std::filesystem::absolute(options.shared) / "faultline-XXXXXX").string();
  if (!mkdtemp(name.data()))
    return errorf("cannot make a folder in {}: {}", options.shared.string(), std::strerror(errno));
  ChunkFolder folder(name);
  auto tasks = Slurm().processors();
  auto written = folder.writeSetting(setting);
  if (!tasks || !written) {
    std::error_code ignored;
    std::filesystem::remove_all(name, ignored);
    return tasks ? written.error() : tasks.error();
  }
  std::unique_ptr<SlurmExecutor> executor(new SlurmExecutor(std::move(options), std::move(folder), *tasks));
  executor->server_ = std::thread([&self = *executor] { self.serve(); });
  return executor;
}

SlurmExecutor::~SlurmExecutor() {
  {
    std::lock_guard guard(mutex_);
    ending_ = true;
  }
  news_.notify_all();
  server_.join();
  std::set<std::string> jobs;
  for (const auto& [number, chunk] : chunks_) jobs.insert(chunk.job);
  for (const std::string& job : jobs) slurm_.cancel(job);
  std::error_code ignored;
  std::filesystem::remove_all(folder_.path(), ignored);
}

Executor::Ticket SlurmExecutor::submit(RunSpec spec) {
  std::lock_guard guard(mutex_);
  experiments_.emplace(++last_, Experiment{std::move(spec)});
  unsent_.push_back(last_);
  lastAsked_ = Clock::now();
  ++stats_.underWay;
  news_.notify_all();
  return last_;
}

Result<Outcome> SlurmExecutor::wait(Ticket ticket) {
  Lock lock(mutex_);
  auto found = experiments_.find(ticket);
  if (found == experiments_.end()) return errorf("there is no such experiment");
  done_.wait(lock, [&] { return found->second.outcome.has_value(); });
  Result<Outcome> outcome = std::move(*found->second.outcome);
  experiments_.erase(found);
  return outcome;
}

void SlurmExecutor::cancel(Ticket ticket) {
  Lock lock(mutex_);
  auto found = experiments_.find(ticket);
  if (found == experiments_.end()) return;
  if (!found->second.outcome) {
    ++stats_.cancelled;
    --stats_.underWay;
  }
  bool sent = found->second.sent;
  experiments_.erase(found);
  std::erase(unsent_, ticket);
  if (!sent) return;
  auto chunk = std::ranges::find_if(
      chunks_, [&](const auto& c) { return std::ranges::count(c.second.tickets, ticket) > 0; });
  if (chunk == chunks_.end()) return;
  bool wanted =
      std::ranges::any_of(chunk->second.tickets, [&](Ticket t) { return experiments_.contains(t); });
  if (wanted) return;
  bool started = !chunk->second.job.empty(); // else the server will see that it is gone
  std::string task = fmt::format("{}_{}", chunk->second.job, chunk->first);
  chunks_.erase(chunk);
  if (!started) return;
  lock.unlock();
  slurm_.cancel(task);
}

Executor::Stats SlurmExecutor::stats() const {
  std::lock_guard guard(mutex_);
  return stats_;
}

void SlurmExecutor::serve() {
  Lock lock(mutex_);
  auto nextQuestion = Clock::now() + kAsk;
  while (!ending_) {
    news_.wait_for(lock, unsent_.empty() ? kLook : kGather, [&] { return ending_ || isTimeToSend(); });
    if (ending_) return;
    if (isTimeToSend()) send(lock);
    collect();
    if (chunks_.empty() || Clock::now() < nextQuestion) continue;
    lookForLost(lock);
    nextQuestion = Clock::now() + kAsk;
  }
}

bool SlurmExecutor::isTimeToSend() const {
  return !unsent_.empty() && (unsent_.size() >= width() || Clock::now() - lastAsked_ >= kGather);
}

// As many tasks as there are processors, each with its share.
void SlurmExecutor::send(Lock& lock) {
  size_t share = (unsent_.size() + tasks_ - 1) / tasks_;
  std::set<size_t> numbers;
  for (size_t at = 0; at < unsent_.size(); at += share) {
    auto begin = unsent_.begin() + std::ptrdiff_t(at);
    Chunk chunk{{begin, begin + std::ptrdiff_t(std::min(share, unsent_.size() - at))}, ""};
    std::vector<const RunSpec*> specs;
    for (Ticket ticket : chunk.tickets) {
      Experiment& experiment = experiments_.at(ticket);
      experiment.sent = true;
      specs.push_back(&experiment.spec);
    }
    if (auto written = folder_.writeChunk(nextChunk_, specs); !written) {
      fail(chunk, written.error());
      continue;
    }
    numbers.insert(nextChunk_);
    chunks_.emplace(nextChunk_++, std::move(chunk));
  }
  unsent_.clear();
  lock.unlock();
  auto job = start(numbers);
  lock.lock();
  for (size_t number : numbers) {
    auto found = chunks_.find(number);
    if (job && found != chunks_.end()) {
      found->second.job = *job;
    } else if (job) {
      slurm_.cancel(fmt::format("{}_{}", *job, number)); // given up meanwhile
    } else if (found != chunks_.end()) {
      fail(found->second, job.error());
      chunks_.erase(found);
    }
  }
}

Result<std::string> SlurmExecutor::start(const std::set<size_t>& chunks) const {
  std::string script = fmt::format("exec {} worker {} \"$SLURM_ARRAY_TASK_ID\"", quoted(options_.worker),
                                   quoted(folder_.path().string()));
  return slurm_.submit(chunks, script, folder_.path().string());
}

void SlurmExecutor::collect() {
  for (auto at = chunks_.begin(); at != chunks_.end();) {
    auto chunk = at++;
    auto outcomes = folder_.takeOutcomes(chunk->first);
    if (outcomes && !*outcomes) continue;
    if (outcomes && (*outcomes)->size() == chunk->second.tickets.size())
      finish(chunk->first, **outcomes);
    else
      fail(chunk->second, outcomes ? errorf("outcomes are missing") : outcomes.error());
    chunks_.erase(chunk);
  }
}

// Tasks of which Slurm knows nothing any more, but that have left no outcomes.
void SlurmExecutor::lookForLost(Lock& lock) {
  std::map<std::string, std::set<size_t>> ofJob;
  for (const auto& [number, chunk] : chunks_) ofJob[chunk.job].insert(number);
  for (const auto& [job, numbers] : ofJob) {
    lock.unlock();
    auto unfinished = slurm_.unfinished(job);
    lock.lock();
    if (!unfinished) return; // the controller is busy; later
    std::set<size_t> lost;
    std::ranges::set_difference(numbers, *unfinished, std::inserter(lost, lost.end()));
    if (lost.empty()) continue;
    auto until = Clock::now() + kPatienceForFiles;
    while (!ending_ && !lost.empty() && Clock::now() < until) {
      collect();
      std::erase_if(lost,
                    [&](size_t number) { return !chunks_.contains(number) || folder_.errorOf(number); });
      if (!lost.empty()) news_.wait_for(lock, kLook);
    }
    if (ending_) return;
    retry(lock, numbers, *unfinished);
  }
}

void SlurmExecutor::retry(Lock& lock, const std::set<size_t>& numbers, const std::set<size_t>& unfinished) {
  std::set<size_t> again;
  for (size_t number : numbers) {
    auto found = chunks_.find(number);
    if (unfinished.contains(number) || found == chunks_.end()) continue;
    if (found->second.tries++ <= options_.retries) {
      again.insert(number);
      continue;
    }
    auto why = folder_.errorOf(number);
    fail(found->second, why ? Error{*why}
                            : errorf("a task of the cluster ended {} times without an outcome; see {}",
                                     options_.retries + 1, (folder_.path() / "log-*").string()));
    chunks_.erase(found);
  }
  if (again.empty()) return;
  stats_.retried += again.size();
  lock.unlock();
  auto job = start(again);
  lock.lock();
  for (size_t number : again)
    if (auto found = chunks_.find(number); found != chunks_.end() && job) found->second.job = *job;
}

void SlurmExecutor::finish(size_t chunk, const std::vector<Outcome>& outcomes) {
  const std::vector<Ticket>& tickets = chunks_.at(chunk).tickets;
  for (size_t i = 0; i < tickets.size(); ++i) settle(tickets[i], outcomes[i]);
}

void SlurmExecutor::fail(const Chunk& chunk, const Error& why) {
  for (Ticket ticket : chunk.tickets) settle(ticket, why);
}

void SlurmExecutor::settle(Ticket ticket, Result<Outcome> outcome) {
  auto found = experiments_.find(ticket);
  if (found == experiments_.end()) return; // no longer wanted
  found->second.outcome = std::move(outcome);
  ++stats_.done;
  --stats_.underWay;
  done_.notify_all();
}

} // namespace faultline::experiment

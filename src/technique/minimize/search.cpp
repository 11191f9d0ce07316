#include "technique/minimize/search.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <xxhash.h>

namespace faultline::technique {

Subset allOf(size_t count) {
  Subset all(count);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

Subset without(const Subset& from, const Subset& taken) {
  Subset out;
  out.reserve(from.size());
  std::ranges::set_difference(from, taken, std::back_inserter(out));
  return out;
}

Subset together(const Subset& a, const Subset& b) {
  Subset out;
  out.reserve(a.size() + b.size());
  std::ranges::set_union(a, b, std::back_inserter(out));
  return out;
}

TrialKey keyOf(std::string_view bytes, uint64_t seed) {
  XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.high64, hash.low64};
}

TrialKey keyOf(const Subset& subset, uint64_t seed) {
  return keyOf({reinterpret_cast<const char*>(subset.data()), subset.size() * sizeof(uint32_t)}, seed);
}

// A trial that takes long (a hang) must not let the ones ahead of it pile up without end.
static constexpr size_t kMostAhead = 8;
// So many for each worker lie ready, so that none has to wait until the next is made.
static constexpr size_t kReady = 1;

Search::Search(SearchOptions options) : options_(std::move(options)) {
  // One worker is the caller's own thread.
  if (options_.workers > 1)
    for (unsigned k = 0; k < options_.workers; ++k) threads_.emplace_back([this] { work(); });
}

Search::~Search() {
  {
    std::lock_guard lock(mutex_);
    isEnding_ = true;
    queue_.clear();
  }
  queued_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Search::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    queued_.wait(lock, [&] { return isEnding_ || !queue_.empty(); });
    if (isEnding_) return;
    std::shared_ptr<Job> job = std::move(queue_.front());
    queue_.pop_front();
    job->isStarted = true;
    lock.unlock();
    Result<TrialOutcome> result = job->run();
    ++runs_;
    lock.lock();
    job->result = std::move(result);
    job->run = nullptr;
    if (job->isAwaited) ended_.notify_one();
  }
}

bool Search::isStopped() {
  if (!stopped_ && options_.stop && options_.stop()) stopped_ = true;
  return stopped_;
}

std::shared_ptr<Search::Job> Search::start(const Trial& trial) {
  std::shared_ptr<Job>& job = jobs_[trial.key];
  if (job) return job;
  job = std::make_shared<Job>();
  job->run = trial.run;
  if (threads_.empty()) return job; // run when its turn comes
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(job);
  }
  queued_.notify_one();
  return job;
}

// False: stopped.
bool Search::waitFor(Job& job) {
  if (threads_.empty()) {
    if (job.result) return true;
    if (isStopped()) return false;
    job.result = job.run();
    job.run = nullptr;
    ++runs_;
    return !isStopped();
  }
  std::unique_lock lock(mutex_);
  job.isAwaited = true;
  while (!job.result) {
    if (isStopped()) return false;
    ended_.wait_for(lock, std::chrono::milliseconds(50), [&] { return job.result.has_value(); });
  }
  // What ended because the user interrupted us is no verdict.
  return !isStopped();
}

size_t Search::unfinished(const std::deque<Waiting>& window) {
  std::lock_guard lock(mutex_);
  return size_t(std::ranges::count_if(window, [](const Waiting& w) { return !w.job->result; }));
}

// Those that were not begun are forgotten, as if nobody had asked.
void Search::drop(std::deque<Waiting>& window) {
  std::lock_guard lock(mutex_);
  for (Waiting& w : window) {
    if (w.job->result || w.job->isStarted) continue;
    std::erase(queue_, w.job);
    jobs_.erase(w.key);
  }
  window.clear();
}

Result<std::optional<Accepted>> Search::first(const Tester& tester, const Candidates& candidates) {
  std::deque<Waiting> window;
  bool isMore = true;
  size_t most = std::max<size_t>(1, threads_.size() * (1 + kReady));
  std::optional<Accepted> accepted;
  std::optional<Error> failed;
  for (size_t number = 0;; ++number) {
    while (isMore && window.size() < kMostAhead * std::max<size_t>(1, threads_.size()) &&
           (window.empty() || unfinished(window) < most)) {
      std::optional<SubsetToTry> next = candidates();
      if (!next) {
        isMore = false;
        break;
      }
      Trial trial = tester(next->subset);
      window.push_back({std::move(*next), start(trial), trial.key});
    }
    if (window.empty() || isStopped() || !waitFor(*window.front().job)) break;
    Waiting front = std::move(window.front());
    window.pop_front();
    ++stats_.verdicts;
    if (front.job->isUsed) ++stats_.known;
    const Result<TrialOutcome>& result = *front.job->result;
    if (!result) {
      failed = result.error();
      break;
    }
    if (*result == TrialOutcome::Unresolved && !front.job->isUsed) ++stats_.unresolved;
    front.job->isUsed = true;
    if (options_.onVerdict) options_.onVerdict();
    if (front.candidate.wants & wanted(*result)) {
      accepted = Accepted{std::move(front.candidate.subset), *result, number};
      break;
    }
  }
  drop(window);
  stats_.runs = runs_;
  if (failed) return *failed;
  return accepted;
}

Result<std::optional<TrialOutcome>> Search::outcome(const Tester& tester, const Subset& subset) {
  bool given = false;
  FL_TRY(found, first(tester, [&]() -> std::optional<SubsetToTry> {
           if (given) return std::nullopt;
           given = true;
           return SubsetToTry{subset, 7};
         }));
  if (!found) return std::optional<TrialOutcome>();
  return std::optional(found->outcome);
}

} // namespace faultline::technique

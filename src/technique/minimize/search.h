// Tries subsets of a sequence in a given order and says which is the first that has a wanted outcome. Several
// are tried at once, ahead of their turn; the answer is the same as if they were tried one by one. Nothing is
// tried twice.
//
//   Search search({.workers = 2});
//   FL_TRY(found, search.first(tester, candidates));      // null: none of them
//
// Knows nothing of programs: a tester turns a subset into a trial that can be run on any thread.
#pragma once

#include "base/result.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

namespace faultline::technique {

enum class TrialOutcome : uint8_t { Fail, Pass, Unresolved };
constexpr uint8_t wanted(TrialOutcome o) { return uint8_t(1u << unsigned(o)); }

using Subset = std::vector<uint32_t>; // numbers of the elements that are kept, ascending
Subset allOf(size_t count);
// What is in the first and not in the second.
Subset without(const Subset& from, const Subset& taken);
Subset together(const Subset& a, const Subset& b);

// Trials with the same key are the same, whatever subset they came from.
struct TrialKey {
  uint64_t high = 0, low = 0;
  bool operator==(const TrialKey&) const = default;
};
TrialKey keyOf(std::string_view bytes, uint64_t seed = 0);
TrialKey keyOf(const Subset& subset, uint64_t seed = 0);

struct Trial {
  TrialKey key;
  std::function<Result<TrialOutcome>()> run; // on any thread
};
using Tester = std::function<Trial(const Subset&)>;

struct SubsetToTry {
  Subset subset;
  uint8_t wants = wanted(TrialOutcome::Fail); // outcomes with which it is accepted
};
// In the order of preference; each supposes that none before it was accepted.
using Candidates = std::function<std::optional<SubsetToTry>()>;

struct Accepted {
  Subset subset;
  TrialOutcome outcome;
  size_t number; // of the candidate, from 0
};

struct SearchOptions {
  unsigned workers = 1;
  std::function<bool()> stop = nullptr;      // asked often; true ends the search
  std::function<void()> onVerdict = nullptr; // in the caller's thread, for each verdict that is used
};

struct SearchStats {
  uint64_t verdicts = 0;   // used, in order: the same whatever the number of workers
  uint64_t known = 0;      // of them, known before
  uint64_t runs = 0;       // trials run, those ahead of their turn included
  uint64_t unresolved = 0; // of the verdicts that are not known before
};

class Search {
public:
  explicit Search(SearchOptions options);
  ~Search(); // waits for trials that are under way
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  // Nothing: no candidate was accepted, or the search was stopped.
  Result<std::optional<Accepted>> first(const Tester& tester, const Candidates& candidates);
  // One outcome. Nothing: stopped.
  Result<std::optional<TrialOutcome>> outcome(const Tester& tester, const Subset& subset);
  bool wasStopped() const { return stopped_; }
  const SearchStats& stats() const { return stats_; }

private:
  struct Job {
    std::function<Result<TrialOutcome>()> run;
    std::optional<Result<TrialOutcome>> result; // under mutex_
    bool isStarted = false, isUsed = false, isAwaited = false;
  };
  struct KeyHash {
    size_t operator()(const TrialKey& k) const { return size_t(k.low); }
  };
  struct Waiting {
    SubsetToTry candidate;
    std::shared_ptr<Job> job;
    TrialKey key;
  };

  bool isStopped();
  std::shared_ptr<Job> start(const Trial& trial);
  bool waitFor(Job& job);
  size_t unfinished(const std::deque<Waiting>& window);
  void drop(std::deque<Waiting>& window);
  void work();

  SearchOptions options_;
  SearchStats stats_;
  bool stopped_ = false;
  std::unordered_map<TrialKey, std::shared_ptr<Job>, KeyHash> jobs_; // all of them: what is known
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable queued_, ended_; // a job was queued; the awaited one has ended
  std::deque<std::shared_ptr<Job>> queue_;
  std::atomic<uint64_t> runs_ = 0;
  bool isEnding_ = false;
};

} // namespace faultline::technique

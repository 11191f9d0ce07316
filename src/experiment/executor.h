// Runs many experiments, several at once, and gives their outcomes in the order in which they were asked for,
// whoever is ready first. What was asked for on speculation can be given up.
//
//   FL_TRY(first, executor.submit(a)); ...      begins when there is room, earlier ones first
//   FL_TRY(outcome, executor.wait(first));
//   executor.cancel(second);                    no longer wanted
#pragma once

#include "base/result.h"
#include "experiment/judge.h"
#include "experiment/run.h"

#include <functional>

namespace faultline::experiment {

struct Outcome {
  Verdict verdict = Verdict::None;
  Ending ending;       // of a cached verdict: without what was printed
  bool cached = false; // it was known before
};

// From several threads.
class Executor {
public:
  using Ticket = uint64_t;
  struct Stats {
    uint64_t done = 0; // runs that ended, those given up and cached ones not counted
    uint64_t cached = 0, cancelled = 0, retried = 0;
    uint64_t underWay = 0; // asked for, not yet done
  };

  virtual ~Executor() = default;
  virtual Ticket submit(RunSpec spec) = 0;
  // Once for each ticket that was not cancelled. An error: it cannot be run at all.
  virtual Result<Outcome> wait(Ticket ticket) = 0;
  virtual void cancel(Ticket ticket) = 0;
  Result<Outcome> run(RunSpec spec) { return wait(submit(std::move(spec))); }
  // So many are worth having under way at once.
  virtual size_t width() const = 0;
  virtual Stats stats() const = 0;
};

// Runs spec(0) ... spec(count - 1), each made only when there is room for it, and calls `take` with the
// outcomes in this order until it returns false; the rest is given up.
Result<void> runInOrder(Executor& executor, size_t count, const std::function<RunSpec(size_t)>& spec,
                        const std::function<bool(size_t, const Outcome&)>& take);

} // namespace faultline::experiment

// The experiments of a search for what is missing: they are made in batches, counted, and what helped is run
// once more by itself before it is added to the result.
#pragma once

#include "technique/changes/changes.h"

namespace faultline::technique {

class InsertionTrials {
public:
  using Batch = std::vector<experiment::Trials::Trial>;

  InsertionTrials(experiment::Trials& trials, const ChangeOptions& options, ChangeResult& result)
      : trials_(trials), options_(options), result_(result) {}

  // improved(tag, share) for each that made more of the output right, or all of it: share 1. What leads
  // around the failure does not help.
  Result<void> run(Batch batch, const std::function<void(size_t tag, double share)>& improved);
  // To `found`, or to `partial`.
  Result<void> add(FoundChange found, std::vector<experiment::Alteration> made);
  bool isStopped() const { return stop_; }
  uint64_t made() const { return trials_.made(); }

private:
  void count(const experiment::Outcome& outcome);

  experiment::Trials& trials_;
  const ChangeOptions& options_;
  ChangeResult& result_;
  size_t confirmed_ = 0;
  bool stop_ = false;
};

} // namespace faultline::technique

#include "technique/changes/insertion_trials.h"

namespace faultline::technique {

using experiment::Ending;
using experiment::Outcome;
using experiment::Verdict;

Result<void> InsertionTrials::run(Batch batch, const std::function<void(size_t, double)>& improved) {
  constexpr size_t kTogether = 2048;
  result_.proposals += batch.size();
  for (size_t next = 0; next < batch.size() && !stop_; next += kTogether) {
    auto end = batch.begin() + std::ptrdiff_t(std::min(batch.size(), next + kTogether));
    Batch some(batch.begin() + std::ptrdiff_t(next), end);
    FL_CHECK(trials_.run(std::move(some), [&](size_t tag, const Outcome* outcome) {
      ++result_.tried;
      ++result_.missingTried;
      if (outcome) {
        count(*outcome);
        bool passed = outcome->verdict == Verdict::Passed;
        double share = passed ? 1 : trials_.judge().progress(outcome->ending);
        const bool isAround = passed && trials_.judge().reaches(outcome->ending).value_or(1) < 1;
        result_.around += isAround;
        result_.missingAround += isAround;
        if (share > 0 && !isAround) improved(tag, share);
        result_.improved += !passed && share > 0;
      }
      stop_ = options_.watch && !options_.watch(result_.tried, result_.proposals, result_.passed);
      return !stop_;
    }));
  }
  // What takes longer than the run did is no repair.
  trials_.leaveAside([&](size_t, const Outcome* outcome) {
    count(*outcome);
    return true;
  });
  result_.stopped |= stop_;
  return {};
}

void InsertionTrials::count(const Outcome& outcome) {
  result_.passed += outcome.verdict == Verdict::Passed;
  result_.missingPassed += outcome.verdict == Verdict::Passed;
  result_.same += outcome.verdict == Verdict::SameFailure;
  result_.other += outcome.verdict == Verdict::OtherFailure;
  result_.none += outcome.verdict == Verdict::None;
}

Result<void> InsertionTrials::add(FoundChange found, std::vector<experiment::Alteration> made) {
  constexpr size_t kMostConfirmed = 40;
  if (++confirmed_ > kMostConfirmed) return {};
  FL_TRY(outcome, trials_.runAlone({.alterations = std::move(made)}));
  bool passes = outcome.ending.cut == Ending::None && outcome.verdict == Verdict::Passed;
  double& share = found.effect.share;
  if (passes) found.effect.reaches = trials_.judge().reaches(outcome.ending);
  if (passes) found.effect.strays = trials_.judge().strays(outcome.ending);
  found.confirmed = passes || (share < 1 && trials_.judge().progress(outcome.ending) >= share);
  (share >= 1 ? result_.found : result_.partial).push_back(std::move(found));
  return {};
}

} // namespace faultline::technique

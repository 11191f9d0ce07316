#include "experiment/cached_executor.h"

namespace faultline::experiment {

Executor::Ticket CachedExecutor::submit(RunSpec spec) {
  Asked asked{verdictKey(setting_, spec)};
  asked.known = cache_->find(asked.key);
  if (!asked.known) asked.inner = inner_->submit(std::move(spec));
  std::lock_guard guard(mutex_);
  hits_ += asked.known.has_value();
  asked_.emplace(++last_, std::move(asked));
  return last_;
}

Result<Outcome> CachedExecutor::wait(Ticket ticket) {
  Asked asked;
  {
    std::lock_guard guard(mutex_);
    auto found = asked_.find(ticket);
    if (found == asked_.end()) return errorf("there is no such experiment");
    asked = std::move(found->second);
    asked_.erase(found);
  }
  if (asked.known) return std::move(*asked.known);
  FL_TRY(outcome, inner_->wait(asked.inner));
  cache_->store(asked.key, outcome);
  return outcome;
}

void CachedExecutor::cancel(Ticket ticket) {
  std::lock_guard guard(mutex_);
  auto found = asked_.find(ticket);
  if (found == asked_.end()) return;
  if (!found->second.known) inner_->cancel(found->second.inner);
  asked_.erase(found);
}

Executor::Stats CachedExecutor::stats() const {
  Stats stats = inner_->stats();
  std::lock_guard guard(mutex_);
  stats.cached = hits_;
  return stats;
}

} // namespace faultline::experiment

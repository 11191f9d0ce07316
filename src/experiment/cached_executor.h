// An executor that asks the cache first, and lets another one run what is not in it.
#pragma once

#include "experiment/verdict_cache.h"

#include <map>

namespace faultline::experiment {

class CachedExecutor : public Executor {
public:
  CachedExecutor(std::unique_ptr<Executor> inner, std::shared_ptr<VerdictCache> cache, Setting setting)
      : inner_(std::move(inner)), cache_(std::move(cache)), setting_(std::move(setting)) {}

  Ticket submit(RunSpec spec) override;
  Result<Outcome> wait(Ticket ticket) override;
  void cancel(Ticket ticket) override;
  size_t width() const override { return inner_->width(); }
  Stats stats() const override;

private:
  struct Asked {
    std::string key;
    Ticket inner = 0;
    std::optional<Outcome> known = {};
  };

  std::unique_ptr<Executor> inner_;
  std::shared_ptr<VerdictCache> cache_;
  Setting setting_;
  mutable std::mutex mutex_;
  std::map<Ticket, Asked> asked_;
  Ticket last_ = 0;
  uint64_t hits_ = 0;
};

} // namespace faultline::experiment

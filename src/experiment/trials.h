// Experiments on a recorded run together with their verdicts: what is in the cache is not made again; the
// rest is made (experimenter.h), judged and kept.
//
// A run that does not end would keep the others waiting for all the steps it may take. So each may take only
// some at first. Those that take more are put aside, and may take sixteen times as many when the others have
// been tried and it was not enough.
//
//   trials.run(batch, done);                        done(tag, nullptr): put aside
//   while (trials.hasAside()) trials.runAside(done);
//   trials.leaveAside(done);                        those that are left count as they are
#pragma once

#include "experiment/executor.h"
#include "experiment/experimenter.h"

namespace faultline::experiment {

class VerdictCache;

class Trials {
public:
  struct Options {
    uint64_t steps = 0; // that an experiment may take at first; 0: up to the limit
    uint64_t limit = 0; // the epoch at which it is over at last; 0: as the experimenter has it, at once
    std::shared_ptr<VerdictCache> cache = {};
    std::string key = {}; // of all that the experiments have in common
  };
  struct Trial {
    size_t tag; // the caller's
    Experiment experiment;
  };
  struct Stats {
    uint64_t cached = 0;    // verdicts that were known
    uint64_t aside = 0;     // how often an experiment was put aside
    uint64_t undecided = 0; // left there
    uint64_t slow = 0;      // of these: it came to fewer steps, which took far longer than the run's
    uint64_t steps = 0;     // that they had taken
  };
  // The outcome; none: not yet. False stops what is under way.
  using Done = std::function<bool(size_t tag, const Outcome* outcome)>;

  Trials(Experimenter& experimenter, const Judge& judge, Options options)
      : experimenter_(experimenter), judge_(judge), options_(std::move(options)), steps_(options_.steps) {}

  Result<void> run(std::vector<Trial> trials, const Done& done);
  bool hasAside() const { return !aside_.empty(); }
  Result<void> runAside(const Done& done);
  void leaveAside(const Done& done);
  // One experiment in a process that does nothing else, with all the steps there are.
  Result<Outcome> runAlone(const Experiment& experiment);
  const Judge& judge() const { return judge_; }
  const Stats& stats() const { return stats_; }
  // Experiments whose verdict was not known before.
  uint64_t made() const { return made_; }

private:
  struct Aside {
    Trial trial;
    Outcome outcome;
  };

  Result<Outcome> judged(const Experiment& experiment, Ending ending) const;
  std::string keyOf(const Experiment& experiment, bool alone) const;
  bool isAnyMoreAllowed(const Experiment& experiment) const;
  bool deliver(const Trial& trial, const Outcome& outcome, const Done& done);
  void keep(const Experiment& experiment, const Outcome& outcome, bool alone = false);
  void flush();

  Experimenter& experimenter_;
  const Judge& judge_;
  Options options_;
  uint64_t steps_;
  std::vector<Aside> aside_;
  std::vector<std::pair<std::string, Outcome>> toKeep_;
  Stats stats_;
  uint64_t made_ = 0;
};

} // namespace faultline::experiment

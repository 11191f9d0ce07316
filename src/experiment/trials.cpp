#include "experiment/trials.h"

#include "experiment/verdict_cache.h"

#include <algorithm>
#include <unordered_set>

namespace faultline::experiment {
namespace {

constexpr uint64_t kGrowth = 16;
// Written at once: a transaction costs more than a verdict.
constexpr size_t kKeptTogether = 256;
// Experiments of those put aside that are asked for at once.
constexpr size_t kAsideBatch = 1024;

} // namespace

Result<Outcome> Trials::judged(const Experiment& experiment, Ending ending) const {
  Outcome outcome{Verdict::None, std::move(ending)};
  const Ending& e = outcome.ending;
  bool wasMade = e.cut != Ending::Broken && e.cut != Ending::Containment;
  // Of a statement that is made elsewhere, what is left out instead of it does not count: it has to be made.
  const bool isStatement =
      !experiment.alterations.empty() && experiment.alterations[0].kind == Alteration::Statement;
  bool wasAltered = isStatement ? e.reached & 1 : e.reached != 0 || experiment.alterations.empty();
  if (!wasMade || !wasAltered) return outcome;
  FL_TRY(verdict, judge_.judge(e));
  outcome.verdict = verdict;
  outcome.ending.rightOutput = judge_.rightOutput(e);
  return outcome;
}

std::string Trials::keyOf(const Experiment& experiment, bool alone) const {
  RunSpec spec{.argv = {options_.key, alone ? "alone" : ""},
               .env = {},
               .cwd = {},
               .input = experiment.input.value_or(""),
               .alterations = experiment.alterations};
  spec.lastEpoch = experiment.lastEpoch;
  spec.seed = experiment.seed;
  spec.layout = experiment.layout;
  if (experiment.input) spec.argv.push_back("input");
  return contentKey(pack(spec));
}

void Trials::keep(const Experiment& experiment, const Outcome& outcome, bool alone) {
  if (!options_.cache) return;
  toKeep_.emplace_back(keyOf(experiment, alone), outcome);
  if (toKeep_.size() >= kKeptTogether) flush();
}

void Trials::flush() {
  if (options_.cache && !toKeep_.empty()) options_.cache->store(toKeep_);
  toKeep_.clear();
}

bool Trials::isAnyMoreAllowed(const Experiment& experiment) const {
  return experiment.lastEpoch != 0 && experiment.lastEpoch < options_.limit;
}

bool Trials::deliver(const Trial& trial, const Outcome& outcome, const Done& done) {
  if (outcome.ending.cut != Ending::Steps || !isAnyMoreAllowed(trial.experiment))
    return done(trial.tag, &outcome);
  ++stats_.aside;
  aside_.push_back({trial, outcome});
  return done(trial.tag, nullptr);
}

Result<void> Trials::run(std::vector<Trial> trials, const Done& done) {
  std::vector<Trial> unknown;
  for (Trial& t : trials) {
    if (options_.limit)
      t.experiment.lastEpoch =
          steps_ ? std::min(startOf(t.experiment) + steps_, options_.limit) : options_.limit;
    auto known = options_.cache ? options_.cache->find(keyOf(t.experiment, false)) : std::nullopt;
    if (!known) {
      unknown.push_back(std::move(t));
      continue;
    }
    ++stats_.cached;
    if (!deliver(t, *known, done)) return {};
  }
  std::vector<Experiment> experiments;
  for (const Trial& t : unknown) experiments.push_back(t.experiment);
  Result<void> problem;
  FL_TRY(endings, experimenter_.run(experiments, [&](size_t number, const Ending& ending) {
    auto outcome = judged(experiments[number], ending);
    ++made_;
    if (!outcome) problem = outcome.error();
    if (!outcome) return false;
    if (!ending.isSlow) keep(experiments[number], *outcome); // another time it might not be
    return deliver(unknown[number], *outcome, done);
  }));
  flush();
  return problem;
}

Result<void> Trials::runAside(const Done& done) {
  std::vector<Aside> before;
  std::swap(before, aside_);
  steps_ *= kGrowth;
  bool goOn = true;
  std::unordered_set<size_t> made; // by tag
  auto watch = [&](size_t tag, const Outcome* outcome) {
    made.insert(tag);
    return goOn = done(tag, outcome);
  };
  for (size_t next = 0; next < before.size() && goOn; next += kAsideBatch) {
    std::vector<Trial> batch;
    for (size_t k = next; k < std::min(before.size(), next + kAsideBatch); ++k)
      batch.push_back(before[k].trial);
    FL_CHECK(run(std::move(batch), watch));
  }
  // Stopped: the rest is as it was.
  for (Aside& a : before)
    if (!made.contains(a.trial.tag)) aside_.push_back(std::move(a));
  return {};
}

void Trials::leaveAside(const Done& done) {
  std::vector<Aside> left;
  std::swap(left, aside_);
  stats_.undecided += left.size();
  stats_.steps = steps_;
  for (const Aside& a : left) {
    stats_.slow += a.outcome.ending.isSlow;
    done(a.trial.tag, &a.outcome);
  }
}

Result<Outcome> Trials::runAlone(const Experiment& experiment) {
  if (auto known = options_.cache ? options_.cache->find(keyOf(experiment, true)) : std::nullopt) {
    ++stats_.cached;
    return *known;
  }
  FL_TRY(ending, experimenter_.runAlone(experiment));
  FL_TRY(outcome, judged(experiment, std::move(ending)));
  keep(experiment, outcome, true);
  flush();
  return outcome;
}

} // namespace faultline::experiment

#include "logic/solver.h"

#include <algorithm>
#include <chrono>

namespace faultline::logic {

namespace {

class Clock {
public:
  explicit Clock(uint32_t milliseconds) : end_(Now::now() + std::chrono::milliseconds(milliseconds)) {}
  uint32_t left() const {
    auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Now::now()).count();
    return rest > 0 ? uint32_t(rest) : 0;
  }

private:
  using Now = std::chrono::steady_clock;
  Now::time_point end_;
};

class Reduction {
public:
  Reduction(Solver& solver, std::span<const Term> conditions, const Clock& clock)
      : solver_(solver), conditions_(conditions), clock_(clock) {}

  Answer ask(Solver& solver, std::span<const uint32_t> numbers) const {
    uint32_t left = clock_.left();
    if (left == 0) return {Answer::Unknown, {}, {}, "timeout"};
    std::vector<Term> chosen;
    for (uint32_t n : numbers) chosen.push_back(conditions_[n]);
    Answer answer = solver.check({chosen, false, left});
    for (uint32_t& n : answer.core) n = numbers[n];
    return answer;
  }

  // Leaves out what the solver's own core can do without, for as long as that makes it smaller.
  std::vector<uint32_t> shrink(std::vector<uint32_t> core) const {
    for (int round = 0; round < 4; ++round) {
      Answer again = ask(solver_, core);
      if (again.kind != Answer::Unsatisfiable || again.core.size() >= core.size()) break;
      core = again.core;
    }
    return core;
  }

  // Tries to leave out `order`, one after the other, and with them what the solver does without, but nothing
  // of `kept`. False: something was not decided.
  bool deleteFrom(std::vector<uint32_t>& core, std::span<const uint32_t> order,
                  std::span<const uint32_t> kept) const {
    bool decided = true;
    for (uint32_t n : order) {
      auto at = std::find(core.begin(), core.end(), n);
      if (at == core.end()) continue;
      std::vector<uint32_t> rest = core;
      rest.erase(rest.begin() + (at - core.begin()));
      if (rest.empty()) continue;
      Answer answer = ask(solver_, rest);
      if (answer.kind == Answer::Unknown) decided = false;
      if (answer.kind == Answer::Unsatisfiable)
        core = merged(answer.core.empty() ? rest : answer.core, rest, kept);
    }
    return decided;
  }

  // `core` and those of `kept` that are among `all`, in order.
  static std::vector<uint32_t> merged(std::vector<uint32_t> core, std::span<const uint32_t> all,
                                      std::span<const uint32_t> kept) {
    for (uint32_t n : kept)
      if (std::find(all.begin(), all.end(), n) != all.end()) core.push_back(n);
    std::sort(core.begin(), core.end());
    core.erase(std::unique(core.begin(), core.end()), core.end());
    return core;
  }

private:
  Solver& solver_;
  std::span<const Term> conditions_;
  const Clock& clock_;
};

} // namespace

std::optional<Core> minimalCore(Solver& solver, Solver* checker, Terms& terms,
                                std::span<const Term> conditions, uint32_t milliseconds,
                                std::span<const uint32_t> kept) {
  // One that is false by itself needs no solver.
  for (uint32_t n = 0; n < conditions.size(); ++n)
    if (terms.isFalse(conditions[n])) return Core{{n}, true, true, {}};
  Clock clock(milliseconds);
  Reduction reduction(solver, conditions, clock);
  std::vector<uint32_t> all(conditions.size());
  for (uint32_t n = 0; n < all.size(); ++n) all[n] = n;
  Answer first = reduction.ask(solver, all);
  if (first.kind != Answer::Unsatisfiable) return std::nullopt;

  Core core{reduction.shrink(first.core.empty() ? all : first.core), false, false, {}};
  core.conditions = Reduction::merged(core.conditions, all, kept);
  std::vector<uint32_t> order, last;
  for (uint32_t n : core.conditions)
    (std::find(kept.begin(), kept.end(), n) == kept.end() ? order : last).push_back(n);
  core.isMinimal = reduction.deleteFrom(core.conditions, order, last);
  core.isMinimal &= reduction.deleteFrom(core.conditions, last, {});
  if (!core.isMinimal) core.doubt = "not all conditions could be tried in time; fewer may suffice";
  if (!checker) return core;

  // The second solver has time of its own: a core that nobody confirmed is worth little.
  Clock own(std::max(milliseconds, 1000u));
  Answer second = Reduction(*checker, conditions, own).ask(*checker, core.conditions);
  core.isChecked = second.kind == Answer::Unsatisfiable;
  if (!core.isChecked) {
    if (!core.doubt.empty()) core.doubt += "; ";
    core.doubt += second.kind == Answer::Unknown ? checker->name() + " did not decide it: " + second.reason
                                                 : checker->name() + " contradicts " + solver.name();
  }
  return core;
}

} // namespace faultline::logic

#include "technique/critical/critical.h"

#include "technique/batches.h"
#include "technique/improvements.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

namespace faultline::technique {

using experiment::Alteration;
using experiment::Ending;
using experiment::Outcome;
using experiment::Verdict;

namespace {

const fir::Instruction* branchAt(depend::History& history, uint32_t id, const fir::Image*& image) {
  depend::RunCode::Where at = history.code().where(id);
  if (!at) return nullptr;
  image = at.module->image;
  const fir::Instruction& i = image->instructions[at.local];
  return i.op == fir::Op::CondBr || i.op == fir::Op::Switch ? &i : nullptr;
}

// 0 for the latest instance of a branch, 1 for the seven before, 2 for the 56 before those ...
unsigned roundOf(uint64_t instancesAfter) { return unsigned(std::bit_width(instancesAfter) + 2) / 3; }

void putInOrder(std::vector<Candidate>& candidates) {
  std::ranges::sort(candidates, std::ranges::greater(), &Candidate::time);
  std::unordered_map<uint32_t, uint64_t> seen;
  std::vector<std::pair<unsigned, Candidate>> ranked;
  for (const Candidate& c : candidates) ranked.push_back({roundOf(seen[c.id]++), c});
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second.time > b.second.time;
  });
  for (size_t k = 0; k < ranked.size(); ++k) candidates[k] = ranked[k].second;
  for (size_t k = 0; k < candidates.size(); ++k) candidates[k].order = k;
}

// By turns the next one as they stand and the next one by `depths`: in a long run what is close by
// dependences may be far in time.
void mixIn(std::vector<Candidate>& candidates, const std::unordered_map<uint64_t, uint32_t>& depths) {
  std::vector<size_t> byDepth(candidates.size());
  std::iota(byDepth.begin(), byDepth.end(), 0);
  std::ranges::sort(byDepth, {}, [&](size_t k) { return std::pair(depths.at(candidates[k].time), k); });
  std::vector<bool> isTaken(candidates.size());
  std::vector<Candidate> mixed;
  auto take = [&](size_t k) {
    if (!isTaken[k]) mixed.push_back(candidates[k]);
    isTaken[k] = true;
  };
  for (size_t k = 0; k < candidates.size(); ++k) {
    take(k);
    take(byDepth[k]);
  }
  candidates = std::move(mixed);
}

// The values that would send a switch to each of its other targets.
std::vector<Alteration> alternativesOf(const fir::Image& image, const fir::Instruction& i,
                                       const Candidate& c) {
  if (i.op == fir::Op::CondBr) return {{.kind = Alteration::Switch, .epoch = c.epoch, .instruction = c.id}};
  std::vector<Alteration> out;
  std::span<const fir::Operand> operands = image.operandsOf(i);
  std::vector<uint32_t> targets;
  std::vector<uint64_t> values;
  for (size_t k = 2; k + 1 < operands.size(); k += 2) {
    uint64_t value = image.constants[fir::operandIndex(operands[k])].value;
    values.push_back(value);
    uint32_t target = fir::operandIndex(operands[k + 1]);
    if (std::ranges::find(targets, target) != targets.end()) continue;
    targets.push_back(target);
    out.push_back({.kind = Alteration::SwitchTo, .epoch = c.epoch, .instruction = c.id, .value = value});
  }
  uint64_t other = 0; // for the default: a value that no case has
  while (std::ranges::find(values, other) != values.end()) ++other;
  out.push_back({.kind = Alteration::SwitchTo, .epoch = c.epoch, .instruction = c.id, .value = other});
  return out;
}

class CriticalSearch {
public:
  CriticalSearch(depend::History& history, std::vector<Candidate> candidates, experiment::Trials& trials,
                 const CriticalOptions& options)
      : history_(history), candidates_(std::move(candidates)), trials_(trials), options_(options) {}

  Result<CriticalResult> run() {
    result_.candidates = candidates_.size();
    Batches batches; // most answers are near
    for (size_t next = 0; next < candidates_.size() && !isOver();) {
      size_t end = std::min(next + batches.next(), candidates_.size());
      auto begun = std::chrono::steady_clock::now();
      const uint64_t made = trials_.made();
      FL_CHECK(tryAll(next, end));
      batches.took(std::min<size_t>(trials_.made() - made, end - next),
                   std::chrono::steady_clock::now() - begun);
      next = end;
      if (next < candidates_.size() && isOver()) result_.stopped = true;
    }
    for (int round = 0; trials_.hasAside() && !isOver(); ++round) {
      if (round > 0 && !result_.predicates.empty()) break; // worth waiting for only as long as there is none
      FL_CHECK(trials_.runAside(watched()));
      FL_CHECK(confirmAll());
    }
    trials_.leaveAside([&](size_t, const Outcome* outcome) {
      countVerdict(*outcome);
      return true;
    });
    const size_t through = result_.predicates.size();
    FL_CHECK(confirmAside());
    if (result_.predicates.empty()) FL_CHECK(switchSeveral());
    FL_CHECK(confirmPartial());
    auto byOrder = [](const CriticalPredicate& p) {
      return std::pair(!p.candidate.inSlice, p.candidate.order);
    };
    std::ranges::sort(std::span(result_.predicates).first(through), {}, byOrder);
    std::ranges::sort(std::span(result_.predicates).subspan(through), {}, byOrder);
    return std::move(result_);
  }

private:
  struct Made { // an experiment
    size_t candidate;
    Alteration alteration;
    bool isCounted = false; // it may come again, with more steps
    finding::Effect effect = {};
  };

  // What only leads around the failure, or to another end, is soon found many times, and says little: it
  // alone is not enough. And how rare a repair is shows only when enough was tried.
  bool isOver() const {
    constexpr size_t kMoreAround = 4;
    const bool isEnough =
        result_.predicates.size() >= options_.most || aside_.size() >= kMoreAround * options_.most;
    return stop_ || (isEnough && result_.tried >= options_.leastTried);
  }

  Result<void> findEpochs(size_t begin, size_t end) {
    std::vector<Candidate*> order;
    for (size_t k = begin; k < end; ++k) order.push_back(&candidates_[k]);
    std::ranges::sort(order, {}, [](const Candidate* c) { return c->time; });
    for (Candidate* c : order) {
      FL_CHECK(history_.replay().seek(c->time));
      c->epoch = history_.replay().current().epoch;
    }
    return {};
  }

  Result<void> tryAll(size_t begin, size_t end) {
    FL_CHECK(findEpochs(begin, end));
    std::vector<experiment::Trials::Trial> batch;
    for (size_t k = begin; k < end; ++k) {
      const fir::Image* image = nullptr;
      const fir::Instruction* i = branchAt(history_, candidates_[k].id, image);
      if (!i) continue;
      for (Alteration& a : alternativesOf(*image, *i, candidates_[k])) {
        batch.push_back({made_.size(), {.alterations = {a}}});
        made_.push_back({k, std::move(a)});
      }
    }
    FL_CHECK(trials_.run(std::move(batch), watched()));
    return confirmAll();
  }

  experiment::Trials::Done watched() {
    return [this](size_t number, const Outcome* outcome) {
      result_.tried += !made_[number].isCounted;
      made_[number].isCounted = true;
      if (outcome) {
        countVerdict(*outcome);
        if (isHelp(*outcome))
          noteHelped(number, *outcome);
        else
          improvements_.note(
              {candidates_[made_[number].candidate].id, number, trials_.judge().progress(outcome->ending)});
      }
      stop_ = options_.watch &&
              !options_.watch(result_.tried, candidates_.size(), result_.predicates.size() + passing_.size());
      return !stop_;
    };
  }

  bool isHelp(const Outcome& outcome) const {
    return outcome.verdict == Verdict::Passed || trials_.judge().orderlyEnd(outcome.ending);
  }

  void noteHelped(size_t number, const Outcome& outcome) {
    finding::Effect& effect = made_[number].effect;
    effect.reaches = trials_.judge().reaches(outcome.ending);
    effect.status = trials_.judge().orderlyEnd(outcome.ending);
    effect.complains = trials_.judge().complains(outcome.ending);
    (effect.passes() && !effect.leadsAround() && !effect.complains ? passing_ : aside_).push_back(number);
    result_.around += effect.passes() && effect.leadsAround();
  }

  void countVerdict(const Outcome& outcome) {
    const Ending& ending = outcome.ending;
    result_.blocked += ending.blocked;
    const bool isOrderly = trials_.judge().orderlyEnd(ending).has_value();
    result_.passed += outcome.verdict == Verdict::Passed;
    result_.same += outcome.verdict == Verdict::SameFailure;
    result_.orderly += isOrderly;
    result_.other += outcome.verdict == Verdict::OtherFailure && !isOrderly;
    result_.none += outcome.verdict == Verdict::None;
    if (ending.cut == Ending::Containment) {
      ++result_.strange;
      result_.strangeCall = ending.broken;
    } else if (ending.cut == Ending::Broken) {
      result_.diverged = ending.broken;
    } else if (ending.reached == 0) {
      ++result_.unreached;
    }
  }

  Result<void> confirmAll() {
    std::ranges::sort(passing_); // as asked for, not as the run comes to them
    for (size_t number : passing_) {
      if (result_.predicates.size() >= options_.most) break;
      FL_CHECK(confirm(made_[number]));
    }
    passing_.clear();
    return {};
  }

  // Where there are not enough others.
  Result<void> confirmAside() {
    std::swap(passing_, aside_);
    return confirmAll();
  }

  // More executions of those decisions of which one makes some of the output right.
  Result<void> switchSeveral() {
    constexpr size_t kMostDecisions = 16;
    for (const Improvement& best : improvements_.best(kMostDecisions)) {
      if (stop_) break;
      FL_TRY(together, repairBy(made_[best.number].alteration));
      if (together.empty()) continue;
      FL_TRY(outcome, trials_.runAlone({.alterations = together}));
      CriticalPredicate found{candidates_[made_[best.number].candidate], together.front()};
      found.executions = together.size();
      found.effect.strays = trials_.judge().strays(outcome.ending);
      found.confirmed = outcome.verdict == Verdict::Passed;
      if (!found.confirmed) found.unconfirmed = "a second run with the same change did not end so";
      result_.predicates.push_back(std::move(found));
    }
    return {};
  }

  // Nothing: they do not make the run pass. With each that is added the run goes another way than recorded,
  // so the next is told by how many executions come before it.
  Result<std::vector<Alteration>> repairBy(const Alteration& first) {
    constexpr size_t kMostTogether = 24;
    constexpr uint64_t kAhead = 64; // executions
    std::vector<Alteration> together{first};
    together[0].nth = 1;
    FL_TRY(outcome, trials_.runAlone({.alterations = together}));
    uint64_t lines = trials_.judge().rightLines(outcome.ending);
    while (together.size() < kMostTogether && !stop_) {
      std::vector<experiment::Trials::Trial> batch;
      Alteration next = together.back();
      for (uint64_t ahead = 1; ahead <= kAhead; ++ahead) {
        ++next.nth;
        batch.push_back({size_t(ahead), {.alterations = together}});
        batch.back().experiment.alterations.push_back(next);
      }
      bool passes = false;
      uint64_t best = 0;
      FL_CHECK(trials_.run(std::move(batch), [&](size_t ahead, const Outcome* outcome) {
        ++result_.tried;
        if (outcome) {
          countVerdict(*outcome);
          const bool isPassed = outcome->verdict == Verdict::Passed;
          const uint64_t right = isPassed ? ~uint64_t(0) : trials_.judge().rightLines(outcome->ending);
          const bool isBetter = right > lines || (right == lines && best != 0 && ahead < best);
          passes |= isPassed;
          if (isBetter) lines = right, best = ahead;
        }
        stop_ = options_.watch && !options_.watch(result_.tried, candidates_.size(), 0);
        return !stop_;
      }));
      trials_.leaveAside([](size_t, const Outcome*) { return true; });
      if (best == 0) break;
      together.push_back(together.back());
      together.back().nth += best;
      if (passes) return together;
    }
    return std::vector<Alteration>();
  }

  Result<void> confirmPartial() {
    constexpr size_t kMostPartial = 6;
    result_.improved = improvements_.count();
    if (!result_.predicates.empty()) return {};
    for (const Improvement& best : improvements_.best(kMostPartial)) {
      const Made& made = made_[best.number];
      FL_TRY(outcome, trials_.runAlone({.alterations = {made.alteration}}));
      CriticalPredicate found{candidates_[made.candidate], made.alteration};
      found.effect.share = best.share;
      found.confirmed = trials_.judge().progress(outcome.ending) >= best.share;
      if (!found.confirmed) found.unconfirmed = "a second run with the same change was not as good";
      result_.partial.push_back(std::move(found));
    }
    return {};
  }

  Result<void> confirm(const Made& made) {
    FL_TRY(outcome, trials_.runAlone({.alterations = {made.alteration}}));
    CriticalPredicate found{candidates_[made.candidate], made.alteration};
    found.effect = made.effect;
    found.effect.strays = trials_.judge().strays(outcome.ending);
    found.confirmed = outcome.ending.cut == Ending::None && isHelp(outcome) &&
                      trials_.judge().orderlyEnd(outcome.ending) == found.effect.status;
    if (!found.confirmed) found.unconfirmed = "a second run with the same change did not end so";
    result_.predicates.push_back(std::move(found));
    return {};
  }

  depend::History& history_;
  std::vector<Candidate> candidates_;
  experiment::Trials& trials_;
  const CriticalOptions& options_;
  std::vector<Made> made_;
  std::vector<size_t> passing_; // of made_, to be confirmed
  // Of made_: passed without coming through where the run failed, or ended by itself in another way.
  std::vector<size_t> aside_;
  Improvements improvements_; // of made_
  CriticalResult result_;
  bool stop_ = false;
};

} // namespace

std::vector<Candidate> candidatesOf(depend::History& history, const depend::Slice& slice) {
  const std::vector<uint32_t> depths = depend::depthsOf(slice);
  std::unordered_map<uint64_t, uint32_t> depthAt; // by time
  std::vector<Candidate> out;
  for (size_t k = 0; k < slice.nodes.size(); ++k) {
    const depend::Node& node = slice.nodes[k];
    const fir::Image* image = nullptr;
    if (node.id == 0 || !branchAt(history, node.id, image)) continue;
    out.push_back({node.time, node.id, true});
    depthAt.emplace(node.time, depths[k]);
  }
  putInOrder(out);
  mixIn(out, depthAt);
  return out;
}

Result<std::vector<Candidate>> otherBranches(depend::History& history, const depend::Slice& slice,
                                             uint64_t end, uint64_t instructions) {
  std::unordered_map<uint64_t, bool> known; // by time
  for (const depend::Node& node : slice.nodes) known[node.time] = true;
  std::vector<Candidate> out;
  uint64_t least = end > instructions ? end - instructions : 0;
  FL_CHECK(history.backwards(end, [&](const depend::Window& window) {
    uint64_t time = window.trace.start;
    for (uint32_t event : window.trace.events) {
      if (replay::eventKind(event) == replay::TraceEvent::Segment) {
        const depend::SegmentCode& s = history.code().segment(replay::eventNumber(event));
        time += s.count;
        if (s.count > 0 && s.endsBlock && s.steps[s.count - 1].kind == depend::StepKind::Branch &&
            !known.contains(time - 1))
          out.push_back({time - 1, s.firstId + s.count - 1, false});
      } else if (replay::eventKind(event) == replay::TraceEvent::Other) {
        const replay::TraceOther& other = window.trace.others[replay::eventNumber(event)];
        if (other.kind == replay::TraceOther::Part) time += other.count;
      }
    }
    return window.trace.start > least;
  }));
  putInOrder(out);
  return out;
}

Result<CriticalResult> searchCritical(depend::History& history, std::vector<Candidate> candidates,
                                      experiment::Trials& trials, const CriticalOptions& options) {
  return CriticalSearch(history, std::move(candidates), trials, options).run();
}

} // namespace faultline::technique

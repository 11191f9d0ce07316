#include "technique/changes/changes.h"

#include "technique/batches.h"
#include "technique/changes/first_epochs.h"
#include "technique/improvements.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace faultline::technique {

using experiment::Ending;
using experiment::Outcome;
using experiment::Verdict;

namespace {

// How much less likely a mistake of this form is than the likeliest, the first and each further proposal at a
// place.
struct Unlikely {
  double first, further;
};
constexpr double kPlacesAlike = 10; // the first ones are as likely as each other
constexpr Unlikely kUnlikely[kChangeForms] = {
    {1, 0.5},   // Comparison: the first is the one beside it
    {1.5, 0.5}, // Operator
    {3, 1},     // Sign
    {1.5, 0.5}, // NextTo
    {3, 0.5},   // Constant
    {1.5, 0.5}, // OffByOne
    {2, 0.3},   // Variable
    {2, 0.5},   // Index
    {3, 0.5},   // Operand
    {1, 0},     // Guard: tried first anyway
    {1, 0},     // Limit
    {2.5, 0},   // LeftOut
    {1, 0},     // Replaced: tried elsewhere
    {1, 0},     // Moved
    {3, 0.5},   // Always
    {5, 0.5},   // Read
    {4, 0.5},   // Returned
    {1, 0},     // Inserted: tried elsewhere
    {1, 0},     // Once
};

class ChangeSearch {
public:
  ChangeSearch(depend::History& history, experiment::Trials& trials, const ChangeOptions& options)
      : history_(history), trials_(trials), options_(options) {}

  Result<ChangeResult> run(std::vector<Changeable> places, FirstEpochs& first) {
    FL_CHECK(propose(places, first));
    result_.proposals = proposals_.size() - guards_;
    FL_CHECK(tryAll(0, guards_));
    Batches batches;
    for (size_t next = guards_; next < proposals_.size() && !isOver();) {
      const size_t end = std::min(next + batches.next(), proposals_.size());
      auto begun = std::chrono::steady_clock::now();
      const uint64_t made = trials_.made();
      FL_CHECK(tryAll(next, end));
      batches.took(trials_.made() - made, std::chrono::steady_clock::now() - begun);
      next = end;
    }
    for (int round = 0; trials_.hasAside() && !isOver(); ++round) {
      if (round > 0 && !helping_.empty()) break; // worth waiting for only as long as there is none
      FL_CHECK(trials_.runAside(watched()));
    }
    result_.stopped = result_.tried < result_.proposals;
    trials_.leaveAside([&](size_t number, const Outcome* outcome) {
      if (number >= guards_) countVerdict(*outcome);
      return true;
    });
    FL_CHECK(confirmAll());
    FL_CHECK(confirmPartial());
    return std::move(result_);
  }

private:
  // What only leads around the failure, or to another end, is soon found many times, and says little: it
  // alone is not enough. And how rare a repair is shows only when enough was tried.
  bool isOver() const {
    constexpr size_t kMoreAround = 4;
    const bool isEnough = repairs_ >= options_.most || helping_.size() >= kMoreAround * options_.most;
    return stop_ || (isEnough && result_.tried >= options_.leastTried);
  }

  // Whether it comes to where it failed does not say much of a guard: it is there to keep it away.
  void noteGuard(size_t number, const Outcome& outcome) {
    ++result_.guards;
    if (!isHelp(outcome)) return;
    ++result_.guarded;
    effects_[number] = {.status = trials_.judge().orderlyEnd(outcome.ending),
                        .complains = trials_.judge().complains(outcome.ending)};
    guarding_.push_back(number);
  }

  void noteHelped(size_t number, const Outcome& outcome) {
    finding::Effect effect{.status = trials_.judge().orderlyEnd(outcome.ending),
                           .complains = trials_.judge().complains(outcome.ending),
                           .reaches = trials_.judge().reaches(outcome.ending)};
    helping_.push_back(number);
    repairs_ += effect.passes() && !effect.leadsAround() && !effect.complains;
    result_.around += effect.passes() && effect.leadsAround();
    effects_[number] = effect;
  }

  Result<void> proposeGuards(FirstEpochs& first) {
    for (Proposal guard : options_.guards) {
      FL_TRY(epoch, first.before(guard.alteration.instruction));
      guard.alteration.epoch = epoch;
      proposals_.push_back(std::move(guard));
    }
    guards_ = proposals_.size();
    places_.resize(guards_);
    return {};
  }

  // What is likely and takes little time comes first. A place is the less likely the more come before it, a
  // form as kUnlikely has it: so the likeliest form is tried at many places before the least likely at the
  // nearest. An experiment takes as long as the run has still to go from where the change is first met.
  Result<void> propose(std::vector<Changeable>& places, FirstEpochs& first) {
    constexpr double kGoingBack = 50'000; // steps that are made in the time it takes to go back
    FL_CHECK(proposeGuards(first));
    struct Ordered {
      double order;
      uint32_t place;
      size_t number;
      Proposal proposal;
    };
    std::vector<Ordered> ordered;
    std::map<const fir::Image*, fir::OtherOperands> others;
    std::ranges::sort(places, {}, [](const Changeable& c) { return std::pair(c.order, c.id); });
    for (uint32_t number = 0; number < places.size(); ++number) {
      const Changeable& place = places[number];
      depend::RunCode::Where at = history_.code().where(place.id);
      if (!at) continue;
      const fir::Image& image = *at.module->image;
      const fir::OtherOperands& other = others.try_emplace(&image, image).first->second;
      FL_TRY(epoch, first.before(place.id));
      const double cost = kGoingBack + double(options_.epochs > epoch ? options_.epochs - epoch : 0);
      uint32_t count[kChangeForms] = {};
      for (Proposal& p : proposalsFor(image, other, at.function, at.local, at.module->base)) {
        p.alteration.epoch = epoch;
        const Unlikely& form = kUnlikely[size_t(p.form)];
        const double unlikely = form.first + form.further * count[size_t(p.form)]++;
        ordered.push_back({(kPlacesAlike + number) * unlikely * cost, number, ordered.size(), std::move(p)});
      }
    }
    std::ranges::sort(ordered, {}, [](const Ordered& o) { return std::pair(o.order, o.number); });
    for (Ordered& o : ordered) {
      proposals_.push_back(std::move(o.proposal));
      places_.push_back(o.place);
    }
    return {};
  }

  Result<void> tryAll(size_t begin, size_t end) {
    std::vector<experiment::Trials::Trial> batch;
    for (size_t k = begin; k < end; ++k) batch.push_back({k, {.alterations = {proposals_[k].alteration}}});
    return trials_.run(std::move(batch), watched());
  }

  experiment::Trials::Done watched() {
    return [this](size_t number, const Outcome* outcome) {
      if (number >= guards_) asked_.insert(number);
      result_.tried = asked_.size();
      if (outcome && number < guards_) {
        noteGuard(number, *outcome);
      } else if (outcome) {
        countVerdict(*outcome);
        if (isHelp(*outcome))
          noteHelped(number, *outcome);
        else
          improvements_.note(
              {proposals_[number].alteration.instruction, number, trials_.judge().progress(outcome->ending)});
      }
      stop_ = options_.watch && !options_.watch(result_.tried, proposals_.size(), helping_.size());
      return !isOver();
    };
  }

  bool isHelp(const Outcome& outcome) const {
    return outcome.verdict == Verdict::Passed || trials_.judge().orderlyEnd(outcome.ending);
  }

  void countVerdict(const Outcome& outcome) {
    const bool isOrderly = trials_.judge().orderlyEnd(outcome.ending).has_value();
    result_.passed += outcome.verdict == Verdict::Passed;
    result_.same += outcome.verdict == Verdict::SameFailure;
    result_.orderly += isOrderly;
    result_.other += outcome.verdict == Verdict::OtherFailure && !isOrderly;
    result_.none += outcome.verdict == Verdict::None;
  }

  // Of each read the best, those nearest to the failure.
  void chooseGuards() {
    constexpr size_t kMostGuards = 24;
    std::ranges::sort(guarding_, {}, [&](size_t k) { return std::pair(effects_[k].status.has_value(), k); });
    std::set<uint32_t> told;
    std::erase_if(guarding_,
                  [&](size_t k) { return !told.insert(proposals_[k].alteration.instruction).second; });
    std::ranges::sort(guarding_);
    if (guarding_.size() > kMostGuards) guarding_.resize(kMostGuards);
  }

  Result<void> confirmAll() {
    auto order = [&](size_t k) {
      const finding::Effect& effect = effects_[k];
      return std::tuple(effect.complains, -effect.reaches.value_or(1), proposals_[k].form,
                        effect.status.has_value(), places_[k], k);
    };
    std::ranges::sort(helping_, {}, order);
    if (helping_.size() > options_.most) helping_.resize(options_.most);
    chooseGuards();
    helping_.insert(helping_.end(), guarding_.begin(), guarding_.end());
    std::ranges::sort(helping_, {}, order);
    for (size_t k : helping_) {
      FoundChange found{proposals_[k].alteration.instruction, proposals_[k]};
      found.effect = effects_[k];
      FL_TRY(outcome, fromStart(proposals_[k]));
      found.confirmed = outcome.ending.cut == Ending::None && isHelp(outcome) &&
                        trials_.judge().orderlyEnd(outcome.ending) == found.effect.status;
      found.effect.strays = trials_.judge().strays(outcome.ending);
      result_.found.push_back(std::move(found));
    }
    // The order of before, but what strays far comes behind what does not, and what ends otherwise behind
    // both.
    constexpr double kFar = 0.5;
    std::multimap<std::tuple<bool, bool, bool, bool>, FoundChange> ordered; // equal ones stay in order
    for (FoundChange& c : result_.found) {
      const finding::Effect& e = c.effect;
      ordered.emplace(
          std::tuple(e.complains, e.leadsAround(), e.status.has_value(), e.strays.value_or(0) >= kFar),
          std::move(c));
    }
    result_.found.clear();
    for (auto& [kind, change] : ordered) result_.found.push_back(std::move(change));
    return {};
  }

  Result<void> confirmPartial() {
    constexpr size_t kMostPartial = 10;
    result_.improved = improvements_.count();
    if (!result_.found.empty()) return {};
    for (const Improvement& best : improvements_.best(kMostPartial)) {
      FoundChange found{best.id, proposals_[best.number]};
      FL_TRY(outcome, fromStart(found.proposal));
      found.effect.share = best.share;
      found.confirmed = trials_.judge().progress(outcome.ending) >= best.share;
      result_.partial.push_back(std::move(found));
    }
    return {};
  }

  // In a process that makes nothing else.
  Result<Outcome> fromStart(const Proposal& proposal) {
    experiment::Alteration whole = proposal.alteration;
    whole.epoch = 1;
    return trials_.runAlone({.alterations = {whole}});
  }

  depend::History& history_;
  experiment::Trials& trials_;
  const ChangeOptions& options_;
  std::vector<Proposal> proposals_;
  std::vector<uint32_t> places_; // of proposals_: the number of their place in the order asked for
  size_t guards_ = 0;            // of proposals_, the first ones
  std::vector<size_t> guarding_; // of them: the run passes, or ends by itself
  std::vector<size_t> helping_;  // of proposals_: the run passes, or ends by itself
  std::map<size_t, finding::Effect> effects_; // of helping_
  size_t repairs_ = 0;                        // of helping_: it passes, and comes by where it failed
  Improvements improvements_;                 // of proposals_
  std::unordered_set<size_t> asked_;          // of proposals_, some of them several times
  ChangeResult result_;
  bool stop_ = false;
};

} // namespace

std::vector<Changeable> changeableIn(const depend::Slice& slice) {
  const std::vector<uint32_t> depths = depend::depthsOf(slice);
  std::unordered_map<uint32_t, uint32_t> least; // by instruction
  for (size_t k = 0; k < depths.size(); ++k) {
    uint32_t& depth = least.try_emplace(slice.nodes[k].id, depths[k]).first->second;
    depth = std::min(depth, depths[k]);
  }
  std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> order; // depth, node, instruction
  for (const auto& [id, count] : slice.instructions) {
    auto depth = least.find(id);
    order.push_back({depth == least.end() ? ~0u : depth->second, count.node, id});
  }
  std::ranges::sort(order);
  std::vector<Changeable> places;
  for (auto& [depth, node, id] : order) places.push_back({id, double(places.size())});
  return places;
}

Result<ChangeResult> searchChanges(depend::History& history, std::vector<Changeable> places,
                                   FirstEpochs& first, experiment::Trials& trials,
                                   const ChangeOptions& options) {
  return ChangeSearch(history, trials, options).run(std::move(places), first);
}

} // namespace faultline::technique

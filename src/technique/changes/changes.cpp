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

// The likelier forms of a change are tried on some places further away before the others on a near one.
double orderOf(ChangeForm form, double place) {
  constexpr double kLater = 30, kFurther = 3;
  bool isFirstChoice = form <= ChangeForm::Index || form == ChangeForm::Always;
  return isFirstChoice ? place : kLater + place * kFurther;
}

class ChangeSearch {
public:
  ChangeSearch(depend::History& history, experiment::Trials& trials, const ChangeOptions& options)
      : history_(history), trials_(trials), options_(options) {}

  Result<ChangeResult> run(std::vector<Changeable> places) {
    FL_CHECK(propose(places));
    result_.proposals = proposals_.size() - guards_;
    FL_CHECK(tryAll(0, guards_));
    Batches batches;
    for (size_t next = guards_; next < proposals_.size() && !isOver();) {
      const size_t end = std::min(next + batches.next(), proposals_.size());
      auto begun = std::chrono::steady_clock::now();
      FL_CHECK(tryAll(next, end));
      batches.took(end - next, std::chrono::steady_clock::now() - begun);
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

  Result<void> propose(const std::vector<Changeable>& places) {
    constexpr uint64_t kFarEnough = 20'000'000; // instructions; a longer run is changed from its start on
    FL_TRY(first, FirstEpochs::of(history_, options_.end, kFarEnough));
    struct Ordered {
      double order;
      size_t number; // likelier ones of the same form first
      Proposal proposal;
    };
    for (Proposal guard : options_.guards) {
      FL_TRY(epoch, first.before(guard.alteration.instruction));
      guard.alteration.epoch = epoch;
      proposals_.push_back(std::move(guard));
    }
    guards_ = proposals_.size();
    std::vector<Ordered> ordered;
    std::map<const fir::Image*, fir::OtherOperands> others;
    for (const Changeable& place : places) {
      depend::RunCode::Where at = history_.code().where(place.id);
      if (!at) continue;
      const fir::Image& image = *at.module->image;
      const fir::OtherOperands& other = others.try_emplace(&image, image).first->second;
      for (Proposal& p : proposalsFor(image, other, at.function, at.local, at.module->base)) {
        FL_TRY(epoch, first.before(place.id));
        p.alteration.epoch = epoch;
        ordered.push_back({orderOf(p.form, place.order), ordered.size(), std::move(p)});
      }
    }
    std::ranges::sort(ordered, {}, [](const Ordered& one) {
      return std::tuple(one.order, one.proposal.alteration.instruction, one.proposal.form, one.number);
    });
    for (auto& [order, number, proposal] : ordered) proposals_.push_back(std::move(proposal));
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
                        effect.status.has_value(), k);
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
  size_t guards_ = 0;                         // of proposals_, the first ones
  std::vector<size_t> guarding_;              // of them: the run passes, or ends by itself
  std::vector<size_t> helping_;               // of proposals_: the run passes, or ends by itself
  std::map<size_t, finding::Effect> effects_; // of helping_
  size_t repairs_ = 0;                        // of helping_: it passes, and comes by where it failed
  Improvements improvements_;                 // of proposals_
  std::unordered_set<size_t> asked_;          // of proposals_, some of them several times
  ChangeResult result_;
  bool stop_ = false;
};

} // namespace

std::vector<Changeable> changeableIn(const depend::Slice& slice) {
  std::vector<Changeable> places;
  for (const auto& [id, count] : slice.instructions)
    places.push_back(
        {id, count.node == depend::kNoConsumer ? double(slice.nodes.size()) : double(count.node)});
  return places;
}

Result<ChangeResult> searchChanges(depend::History& history, std::vector<Changeable> places,
                                   experiment::Trials& trials, const ChangeOptions& options) {
  return ChangeSearch(history, trials, options).run(std::move(places));
}

} // namespace faultline::technique

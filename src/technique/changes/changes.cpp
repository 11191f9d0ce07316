#include "technique/changes/changes.h"

#include "technique/changes/first_epochs.h"
#include "technique/improvements.h"

#include <algorithm>
#include <map>
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
    result_.proposals = proposals_.size();
    // All experiments of a batch start together; a batch is what is lost by a stop.
    constexpr size_t kBatch = 1024;
    for (size_t next = 0; next < proposals_.size() && !isOver(); next += kBatch)
      FL_CHECK(tryAll(next, std::min(next + kBatch, proposals_.size())));
    for (int round = 0; trials_.hasAside() && !isOver(); ++round) {
      if (round > 0 && !passing_.empty()) break; // worth waiting for only as long as there is none
      FL_CHECK(trials_.runAside(watched()));
    }
    result_.stopped = result_.tried < result_.proposals;
    trials_.leaveAside([&](size_t, const Outcome* outcome) {
      countVerdict(*outcome);
      return true;
    });
    FL_CHECK(confirmAll());
    FL_CHECK(confirmPartial());
    return std::move(result_);
  }

private:
  // What only leads around the failure is soon found many times, and says little: it alone is not enough.
  bool isOver() const {
    constexpr size_t kMoreAround = 4;
    return stop_ || passing_.size() - result_.around >= options_.most ||
           passing_.size() >= kMoreAround * options_.most;
  }

  void notePassed(size_t number, std::optional<double> reaches) {
    passing_.push_back(number);
    if (!reaches) return;
    reaches_[number] = *reaches;
    result_.around += *reaches < 1;
  }

  std::optional<double> reachesOf(size_t number) const {
    auto known = reaches_.find(number);
    return known == reaches_.end() ? std::nullopt : std::optional(known->second);
  }

  Result<void> propose(const std::vector<Changeable>& places) {
    constexpr uint64_t kFarEnough = 20'000'000; // instructions; a longer run is changed from its start on
    FL_TRY(first, FirstEpochs::of(history_, options_.end, kFarEnough));
    struct Ordered {
      double order;
      size_t number; // likelier ones of the same form first
      Proposal proposal;
    };
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
      asked_.insert(number);
      result_.tried = asked_.size();
      if (outcome) {
        countVerdict(*outcome);
        if (outcome->verdict == Verdict::Passed)
          notePassed(number, trials_.judge().reaches(outcome->ending));
        else
          improvements_.note(
              {proposals_[number].alteration.instruction, number, trials_.judge().progress(outcome->ending)});
      }
      stop_ = options_.watch && !options_.watch(result_.tried, proposals_.size(), passing_.size());
      return !isOver();
    };
  }

  void countVerdict(const Outcome& outcome) {
    result_.passed += outcome.verdict == Verdict::Passed;
    result_.same += outcome.verdict == Verdict::SameFailure;
    result_.other += outcome.verdict == Verdict::OtherFailure;
    result_.none += outcome.verdict == Verdict::None;
  }

  Result<void> confirmAll() {
    std::ranges::sort(passing_, {},
                      [&](size_t k) { return std::tuple(-reachesOf(k).value_or(1), proposals_[k].form, k); });
    if (passing_.size() > options_.most) passing_.resize(options_.most);
    for (size_t k : passing_) {
      FoundChange found{proposals_[k].alteration.instruction, proposals_[k]};
      found.reaches = reachesOf(k);
      FL_TRY(outcome, fromStart(proposals_[k]));
      found.confirmed = outcome.ending.cut == Ending::None && outcome.verdict == Verdict::Passed;
      found.strays = trials_.judge().strays(outcome.ending);
      result_.found.push_back(std::move(found));
    }
    // The order of before, but what strays far comes behind what does not.
    constexpr double kFar = 0.5;
    std::vector<FoundChange> ordered;
    for (bool isAround : {false, true})
      for (bool isFar : {false, true})
        for (const FoundChange& c : result_.found)
          if ((c.reaches.value_or(1) < 1) == isAround && (c.strays.value_or(0) >= kFar) == isFar)
            ordered.push_back(c);
    result_.found = std::move(ordered);
    return {};
  }

  Result<void> confirmPartial() {
    constexpr size_t kMostPartial = 10;
    result_.improved = improvements_.count();
    if (!result_.found.empty()) return {};
    for (const Improvement& best : improvements_.best(kMostPartial)) {
      FoundChange found{best.id, proposals_[best.number]};
      FL_TRY(outcome, fromStart(found.proposal));
      found.share = best.share;
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
  std::vector<size_t> passing_;      // of proposals_
  std::map<size_t, double> reaches_; // of passing_, where it is known
  Improvements improvements_;        // of proposals_
  std::unordered_set<size_t> asked_; // of proposals_, some of them several times
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

#include "technique/changes/changes.h"

#include "technique/changes/first_epochs.h"

#include <algorithm>
#include <unordered_map>

namespace faultline::technique {

using experiment::Ending;
using experiment::Experiment;
using experiment::Verdict;

namespace {

// The likelier forms of a change are tried on some places further away before the others on a near one.
double orderOf(ChangeForm form, double place) {
  constexpr double kLater = 30, kFurther = 3;
  bool isFirstChoice = form <= ChangeForm::OffByOne || form == ChangeForm::Always;
  return isFirstChoice ? place : kLater + place * kFurther;
}

class Search {
public:
  Search(depend::History& history, experiment::Experimenter& experimenter, const experiment::Judge& judge,
         const ChangeOptions& options)
      : history_(history), experimenter_(experimenter), judge_(judge), options_(options) {}

  Result<ChangeResult> run(std::vector<Changeable> places) {
    FL_CHECK(propose(places));
    result_.proposals = proposals_.size();
    // All experiments of a batch start together; a batch is what is lost by a stop.
    constexpr size_t kBatch = 1024;
    for (size_t next = 0; next < proposals_.size() && !isOver(); next += kBatch)
      FL_CHECK(tryAll(next, std::min(next + kBatch, proposals_.size())));
    result_.stopped = result_.tried < result_.proposals;
    FL_CHECK(confirmAll());
    return std::move(result_);
  }

private:
  bool isOver() const { return stop_ || passing_.size() >= options_.most; }

  Result<void> propose(const std::vector<Changeable>& places) {
    constexpr uint64_t kFarEnough = 20'000'000; // instructions; a longer run is changed from its start on
    FL_TRY(first, FirstEpochs::of(history_, options_.end, kFarEnough));
    std::vector<std::pair<double, Proposal>> ordered;
    for (const Changeable& place : places) {
      depend::RunCode::Where at = history_.code().where(place.id);
      if (!at) continue;
      for (Proposal& p : proposalsFor(*at.module->image, at.function, at.local, at.module->base)) {
        FL_TRY(epoch, first.before(place.id));
        p.alteration.epoch = epoch;
        ordered.push_back({orderOf(p.form, place.order), std::move(p)});
      }
    }
    std::ranges::sort(ordered, {}, [](const auto& one) {
      return std::tuple(one.first, one.second.alteration.instruction, one.second.form);
    });
    for (auto& [order, proposal] : ordered) proposals_.push_back(std::move(proposal));
    return {};
  }

  Result<void> tryAll(size_t begin, size_t end) {
    std::vector<Experiment> experiments;
    for (size_t k = begin; k < end; ++k)
      experiments.push_back({.alterations = {proposals_[k].alteration}, .lastEpoch = options_.stepLimit});
    Result<void> problem;
    FL_TRY(endings, experimenter_.run(experiments, [&](size_t number, const Ending& ending) {
      auto passed = count(ending);
      if (!passed) problem = passed.error();
      if (passed && *passed) passing_.push_back(begin + number);
      stop_ =
          !problem || (options_.watch && !options_.watch(result_.tried, proposals_.size(), passing_.size()));
      return !stop_ && passing_.size() < options_.most;
    }));
    return problem;
  }

  // Whether it passed.
  Result<bool> count(const Ending& ending) {
    ++result_.tried;
    bool hasEnd = ending.cut != Ending::Broken && ending.cut != Ending::Containment && ending.reached != 0;
    if (!hasEnd) {
      ++result_.none;
      return false;
    }
    FL_TRY(verdict, judge_.judge(ending));
    result_.passed += verdict == Verdict::Passed;
    result_.same += verdict == Verdict::SameFailure;
    result_.other += verdict == Verdict::OtherFailure;
    result_.none += verdict == Verdict::None;
    return verdict == Verdict::Passed;
  }

  Result<void> confirmAll() {
    std::ranges::sort(passing_, {}, [&](size_t k) { return std::pair(proposals_[k].form, k); });
    for (size_t k : passing_) {
      FoundChange found{proposals_[k].alteration.instruction, proposals_[k]};
      experiment::Alteration fromStart = found.proposal.alteration;
      fromStart.epoch = 1;
      FL_TRY(ending, experimenter_.runAlone({.alterations = {fromStart}}));
      if (ending.cut == Ending::None) {
        FL_TRY(verdict, judge_.judge(ending));
        found.confirmed = verdict == Verdict::Passed && ending.reached;
      }
      result_.found.push_back(std::move(found));
    }
    return {};
  }

  depend::History& history_;
  experiment::Experimenter& experimenter_;
  const experiment::Judge& judge_;
  const ChangeOptions& options_;
  std::vector<Proposal> proposals_;
  std::vector<size_t> passing_; // of proposals_
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
                                   experiment::Experimenter& experimenter, const experiment::Judge& judge,
                                   const ChangeOptions& options) {
  return Search(history, experimenter, judge, options).run(std::move(places));
}

} // namespace faultline::technique

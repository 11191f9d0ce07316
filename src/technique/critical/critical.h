// `critical`: which single decision, taken the other way, makes the run pass. Each branch instance is
// switched once, in a run that is otherwise the recorded one, and the result is judged.
//
//   if (n < limit) total += n;     total is wrong: n == limit was left out; switched, the run passes
//
// Order: branches of the relevant slice, from the failure backwards; of a branch in a loop first the latest
// instance, then a few before it, then all, so that no loop keeps the others waiting; by turns with those
// that have the fewest dependences to the failure; then branches that are not in the slice, from the failure
// backwards.
//
// Where a fault shows in several lines of the output, one execution repairs only the first of them. If none
// is enough, further executions of the same decision are switched, as long as each makes another line right.
#pragma once

#include "depend/history.h"
#include "depend/slice.h"
#include "experiment/trials.h"
#include "finding/effect.h"

namespace faultline::technique {

struct Candidate {
  uint64_t time = 0;
  uint32_t id = 0; // global id of the branch
  bool inSlice = true;
  uint64_t epoch = 0; // filled in when it is its turn
  uint64_t order = 0; // of those that are (not) in the slice, as below, without dependences
};

std::vector<Candidate> candidatesOf(depend::History& history, const depend::Slice& slice);
// Every executed branch that is not in `slice`, over the last `instructions` of the run.
Result<std::vector<Candidate>> otherBranches(depend::History& history, const depend::Slice& slice,
                                             uint64_t end, uint64_t instructions);

struct CriticalPredicate {
  Candidate candidate;
  experiment::Alteration alteration;
  uint64_t executions = 1; // that are switched, this one the first of them
  bool confirmed = false;  // once more, in a process of its own
  std::string unconfirmed = {};
  finding::Effect effect = {};
};

struct CriticalOptions {
  size_t most = 3;         // stop when so many are found,
  uint64_t leastTried = 0; // and so many experiments were made
  // Asked after each experiment; false: stop, and answer with what there is.
  std::function<bool(uint64_t done, uint64_t all, size_t found)> watch;
};

struct CriticalResult {
  // From the failure backwards; those after which the run does not come through where it failed, or ends
  // otherwise, are the last.
  std::vector<CriticalPredicate> predicates;
  // Where there is none: those that make more of the output right than it was, the most first.
  std::vector<CriticalPredicate> partial;
  uint64_t improved = 0; // experiments after which more was right
  uint64_t candidates = 0, tried = 0;
  uint64_t passed = 0, same = 0, other = 0, none = 0;
  uint64_t around = 0;                 // of those that passed: without coming through where the run failed
  uint64_t orderly = 0;                // of the others: ended by themselves where the run crashed or hung
  uint64_t unreached = 0, strange = 0; // of those without a verdict
  std::string strangeCall = {};        // an example
  std::string diverged = {};           // why some had no outcome
  uint64_t blocked = 0;
  bool stopped = false; // before all were tried
};

Result<CriticalResult> searchCritical(depend::History& history, std::vector<Candidate> candidates,
                                      experiment::Trials& trials, const CriticalOptions& options);

} // namespace faultline::technique

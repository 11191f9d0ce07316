// `changes`: which small change to one expression of the source, made in every execution, makes the run pass.
// Each proposal (proposals.h) is tried in a run of its own from the start, and judged; what passes is run
// once more in a process that makes nothing else.
#pragma once

#include "depend/history.h"
#include "depend/slice.h"
#include "experiment/trials.h"
#include "finding/effect.h"
#include "technique/changes/first_epochs.h"
#include "technique/changes/proposals.h"

namespace faultline::technique {

// An instruction that may be changed. The lower the order, the earlier it is tried.
struct Changeable {
  uint32_t id = 0;
  double order = 0;
};

// The instructions of a slice, those with the fewest dependences to the criterion first.
std::vector<Changeable> changeableIn(const depend::Slice& slice);

struct FoundChange {
  uint32_t id = 0;
  Proposal proposal;
  bool confirmed = false;
  finding::Effect effect = {};
};

struct ChangeOptions {
  size_t most = 40;                  // stop when so many are found,
  uint64_t leastTried = 0;           // and so many were tried
  uint64_t end = 0;                  // time of the failure
  uint64_t epochs = 0;               // that the run has
  std::vector<Proposal> guards = {}; // tried first (guards.h)
  // Asked after each experiment; false: stop, and answer with what there is.
  std::function<bool(uint64_t done, uint64_t all, size_t found)> watch;
};

struct ChangeResult {
  // Those after which the run goes through where it failed come first; then those after which it passes; then
  // the likeliest forms; within a form in the order asked for.
  std::vector<FoundChange> found;
  // Where there is none: those that make more of the output right than it was, the most first.
  std::vector<FoundChange> partial;
  uint64_t improved = 0; // experiments after which more was right
  uint64_t proposals = 0, tried = 0;
  uint64_t passed = 0, same = 0, other = 0, none = 0;
  uint64_t around = 0;  // of those that passed: without coming through where the run failed
  uint64_t orderly = 0; // of the others: ended by themselves where the run crashed or hung
  // Of all these, guards are none: near the failure it is no wonder that one helps.
  uint64_t guards = 0, guarded = 0; // tried, of them that helped
  // Of all of them, what was tried since a statement may be missing.
  uint64_t missingTried = 0, missingPassed = 0, missingAround = 0;
  bool stopped = false; // before all were tried
};

Result<ChangeResult> searchChanges(depend::History& history, std::vector<Changeable> places,
                                   FirstEpochs& first, experiment::Trials& trials,
                                   const ChangeOptions& options);

} // namespace faultline::technique

// What an alteration of the run came to: it passes, it no longer fails so, or more of its output is right;
// and which way it took.
#pragma once

#include "finding/document.h"

#include <optional>
#include <string>

namespace faultline::finding {

struct Effect {
  double share = 1; // of the wrong output that comes out right; 1: all of it
  // Where the run crashed, aborted or hung, and nobody has said how it should end: it ends by itself with
  // this status, which is not 0. Bad input may well end so in a right program. Nothing: the run passes.
  std::optional<int> status = {};
  bool complains = false; // the right status, but as much on standard error as before
  // Which share of the executions of what failed there were again, the one that failed included. A run that
  // passes because it goes another way says little.
  std::optional<double> reaches = {};
  std::optional<double> strays = {}; // from the way to there: 0: not at all, 1: altogether

  bool passes() const { return share >= 1 && !status; }
  bool leadsAround() const { return reaches.value_or(1) < 1; }
};

// "the run passes"
std::string effectText(const Effect& effect);
// ", but never gets to where it failed", to follow that sentence; empty if there is nothing to say.
std::string wayText(const Effect& effect);

// share, ends_with_status, complains, reaches_failure, strays: as far as they are known.
void addEffect(Json& json, const Effect& effect);

} // namespace faultline::finding

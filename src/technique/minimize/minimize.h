// `minimize`: the smallest input with which a program still fails in the same way. From coarse to fine: whole
// inputs, paragraphs, items between brackets, lines, tokens, bytes; then from the start with what is left,
// until nothing more goes.
//
//   lines    {"a": [1, 2, {"b": "x"}]}, ...       one of 2,000 lines
//   items    [{"b": "x"}]
//   tokens   [{"x"}]
//   bytes    [{"            no byte of it can be left out
//
// Knows nothing of processes: an experiment says of an input whether the program fails with it.
#pragma once

#include "technique/minimize/inputs.h"
#include "technique/minimize/isolate.h"
#include "technique/minimize/simplify.h"

#include <chrono>

namespace faultline::technique {

using InputExperiment = std::function<Result<TrialOutcome>(const InputSet&)>; // from several threads

struct MinimizeProgress {
  std::string unit;
  size_t best = 0;   // bytes
  uint64_t left = 0; // trials of the sweep at hand, at most
};

// How far the search is, for whoever decides what is worth its time.
struct MinimizeState {
  size_t bytes = 0;    // that are left
  double expected = 0; // seconds that the rest may take
};
// Of each source, the bytes that the failure depends on.
using Dependence = std::vector<std::vector<Piece>>;

struct MinimizeOptions {
  Unit finest = {}; // bytes; or what the user takes for the smallest piece
  SearchOptions search = {};
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double secondsOfOne = 0; // that a trial takes, as far as is known at the start
  // Asked between the levels until it gives something, which is then tried all at once: it takes time, too,
  // and is worth it only where more is left to do. Null: not to be had.
  std::function<Result<std::optional<Dependence>>(const MinimizeState&)> dependence = nullptr;
  // Bytes of the first input that the run had read when it failed; the rest is tried to go at once. 0: not
  // known.
  size_t read = 0;
  std::function<void(const MinimizeProgress&)> onProgress = nullptr;
};

struct LevelStats {
  std::string unit;
  uint64_t verdicts = 0;
  size_t before = 0, after = 0; // bytes
};

// When the search had so little left.
struct MinimizeStep {
  double seconds = 0; // since MinimizeOptions::start
  uint64_t runs = 0;
  size_t bytes = 0;
};

struct MinimizeResult {
  InputSet inputs;
  // No single piece of the finest unit (by name) can be left out.
  bool isOneMinimal = false;
  std::string unit;
  bool wasStopped = false;
  // Whether what the failure does not depend on could be left out at once; nothing: not tried.
  std::optional<bool> dependenceTaken;
  size_t dependenceRemoved = 0; // bytes
  SearchStats stats;
  std::vector<LevelStats> levels;
  std::vector<MinimizeStep> timeline; // each time it became less
};

// `start` is known to fail.
Result<MinimizeResult> minimizeInputs(InputSet start, const InputExperiment& experiment,
                                      const MinimizeOptions& options);

} // namespace faultline::technique

// Zeller and Hildebrandt's ddmin: from a sequence that fails to a part of it that still fails, of which no
// single element can be left out (1-minimal).
//
//   fails if it has 3 and 6:   1 2 3 4 5 6 7 8
//   without the last half      1 2 3 4            passes
//   without the first half             5 6 7 8    passes
//   without quarters           1 2 3 4 5 6 . .    fails: goes on with it
//   ...                            3     6        fails; without 3, or without 6, it passes
//
// Chunks are taken from the end: what comes last depends on what comes before more often than the other way
// round, so less has to be tried again. Unlike the paper's, a sweep goes on behind a chunk that could be
// removed instead of beginning anew, and a chunk is never tried alone; both only cost runs.
#pragma once

#include "technique/minimize/search.h"

namespace faultline::technique {

struct SimplifyOptions {
  // First cut as much as possible from the middle and from both ends.
  bool cutsEnds = true;
  // At single elements: go on until none can be removed; false: once over all.
  bool untilMinimal = true;
  // Chunks of at most so many elements; 0: of all sizes.
  size_t largestChunk = 0;
  std::function<void(const Subset&)> onReduced = nullptr;
  // How many candidates there are left at most, if none of them fails.
  std::function<void(uint64_t)> onLeft = nullptr;
};

struct Simplified {
  Subset kept;
  bool isOneMinimal = false; // each element was left out once, from this very subset, and it did not fail
};

// `start` is known to fail.
Result<Simplified> simplify(Search& search, const Tester& tester, Subset start,
                            const SimplifyOptions& options = {});

} // namespace faultline::technique

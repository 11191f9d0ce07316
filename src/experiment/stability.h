// Does the unaltered run fail each time? If it does not, what an experiment shows is worth less: a run that
// passed may have passed by chance.
//
//   8 of 10 repeats fail: "passed" has a confidence of 0.8; of three repeats that all passed, 0.992
#pragma once

#include "experiment/judge.h"

#include <functional>

namespace faultline::experiment {

using RunFunction = std::function<Result<Ending>(const RunSpec&)>;

struct Stability {
  unsigned runs = 0;
  unsigned same = 0, other = 0, passed = 0, none = 0; // how often each verdict

  bool isFlaky() const { return same < runs; }
  // How sure it is that a verdict came from the experiment, not from chance, if it was the same `repeats`
  // times. That the failure was seen is certain; that it was not may be luck.
  double confidence(Verdict verdict, unsigned repeats = 1) const;
};

// Runs the unaltered experiment so many times.
Result<Stability> checkStability(const RunFunction& run, const RunSpec& spec, const Judge& judge,
                                 unsigned times);

} // namespace faultline::experiment

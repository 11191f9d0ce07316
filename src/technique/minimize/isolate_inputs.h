// `minimize --isolate`: between an input with which the program passes and one with which it fails, two that
// differ as little as possible; by lines, then, within what is left, by tokens and bytes.
#pragma once

#include "technique/minimize/minimize.h"

namespace faultline::technique {

struct IsolateResult {
  InputSet passing, failing;
  size_t steps = 0; // between them
  bool isMinimal = false;
  std::string unit;
  bool wasStopped = false;
  SearchStats stats;
  std::vector<LevelStats> levels; // sizes: steps between the two
};

// Each is known to be what its name says. Both have the same sources in the same order.
Result<IsolateResult> isolateInputs(InputSet passing, InputSet failing, const InputExperiment& experiment,
                                    const MinimizeOptions& options);

} // namespace faultline::technique

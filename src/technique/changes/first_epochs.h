// When instructions were first executed: an experiment that changes one of them from the start of the run on
// may as well begin there.
#pragma once

#include "depend/history.h"

#include <unordered_map>

namespace faultline::technique {

class FirstEpochs {
public:
  // Walks back from `end`. Of a run so long that this would take much of the time, what it executed counts as
  // executed from the start.
  static Result<FirstEpochs> of(depend::History& history, uint64_t end);
  // Epoch of the first execution, or one before it; 1 for what is not known.
  Result<uint64_t> before(uint32_t id);
  bool wasExecuted(uint32_t id); // or it is not known

private:
  explicit FirstEpochs(depend::History& history) : history_(&history) {}
  depend::History* history_;
  std::unordered_map<uint32_t, uint64_t> times_;  // by number of the segment's first instruction
  std::unordered_map<uint32_t, uint64_t> epochs_; // asked for before
};

} // namespace faultline::technique

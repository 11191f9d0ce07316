// The expressions of one call's model: those that speak of the beginning are evaluated there, the others
// when the call has returned.
#pragma once

#include "depend/call_model.h"
#include "depend/call_model_state.h"

namespace faultline::depend {

class ModelNodes {
public:
  // Nothing: not known.
  using Value = std::optional<uint64_t>;

  void begin(const CallModel& model, const CallState& state);
  // again: what was known before is looked at once more, since more of the memory is known now.
  void finish(const CallModel& model, const CallState& state, Value result, bool again = false);
  Value operator[](uint32_t node) const { return node < values_.size() ? values_[node] : std::nullopt; }

private:
  Value evaluate(const CallModel& model, const ModelNode& node, const CallState& state) const;
  Value function(const CallModel& model, const ModelNode& node, const CallState& state) const;

  std::vector<Value> values_;
  Value result_;
};

} // namespace faultline::depend

// Makes an OutsideEffect of every outside call that a trace sees.
#pragma once

#include "depend/call_model_eval.h"
#include "depend/outside_flow.h"
#include "depend/outside_view.h"
#include "replay/tracer.h"

#include <deque>
#include <map>
#include <memory>

namespace faultline::depend {

class CallModels;

class OutsideCalls : public replay::TraceListener {
public:
  explicit OutsideCalls(const CallModels& models) : models_(models) {}

  uint64_t onOutsideCall(const replay::OutsideCall& call) override;
  void onOutsideWrite(uint64_t address, uint64_t size) override;
  uint64_t onOutsideReturn(const replay::OutsideCall& call, uint64_t number, std::span<const uint64_t> result,
                           bool returned) override;

  // An effect is complete once the call is over; before, it has only its function's name.
  const OutsideEffect& operator[](uint64_t number) const { return effects_.at(number); }
  uint64_t size() const { return effects_.size(); }

private:
  // Where a call stands: calls further in, by callbacks, are at greater depths.
  struct Place {
    uint32_t thread;
    size_t depth;
    auto operator<=>(const Place&) const = default;
  };
  struct Pending {
    std::unique_ptr<ModelledCall> call = {};
    std::vector<AddressRange> written = {};
  };
  struct Callee {
    std::string name;
    const CallModel* model;
  };

  Place placeOf(const replay::OutsideCall& call);
  const Callee& calleeOf(const replay::OutsideCall& call);
  CallState stateOf(const replay::OutsideCall& call, const EngineView& view);
  void followBlocks(const std::string& name, const replay::OutsideCall& call, std::optional<uint64_t> result);

  const CallModels& models_;
  std::deque<OutsideEffect> effects_;
  const replay::Engine* engine_ = nullptr;
  std::map<Place, Pending> pending_;
  std::vector<AddressRange> early_;             // written before any call was seen to begin
  std::unordered_map<uint64_t, uint64_t> data_; // of objects
  std::map<std::string, uint64_t> globals_;
  CalleeNames names_;
  std::unordered_map<const std::string*, Callee> callees_; // by the name's own place
  std::unordered_map<uint64_t, uint64_t> blocks_;          // sizes, as far as the trace has seen them made
};

} // namespace faultline::depend

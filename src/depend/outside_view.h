// What an outside call looks like to a model: who is called, with which arguments, on which memory.
#pragma once

#include "depend/call_model_state.h"
#include "replay/outside_listener.h"

#include <string>
#include <unordered_map>

namespace faultline::depend {

// Memory and symbols of a replay, as they are at this moment.
class EngineView : public replay::MemoryView, public replay::SymbolView {
public:
  explicit EngineView(const replay::Engine& engine) : engine_(&engine) {}
  bool read(uint64_t address, std::span<uint8_t> out) const override;
  size_t moduleCount() const override;
  const fir::Image& image(size_t module) const override;
  uint64_t address(size_t module, uint32_t symbol) const override;

private:
  const replay::Engine* engine_;
};

// Linker names of called functions, each looked up once.
class CalleeNames {
public:
  // Empty: not known.
  const std::string& of(const replay::OutsideCall& call);

private:
  std::unordered_map<const replay::CallSite*, std::string> bySite_;
  std::unordered_map<uint64_t, std::string> byAddress_;
};

// `view` and the call must outlive it.
CallState callState(const replay::OutsideCall& call, const EngineView& view);

// Of a variable by its linker name; 0: nobody names it.
uint64_t addressOf(const replay::SymbolView& symbols, std::string_view variable);

// The first word of the result; a negative number as such.
std::optional<uint64_t> resultValue(const replay::OutsideCall& call, std::span<const uint64_t> result);
uint32_t resultBytes(const replay::OutsideCall& call);

} // namespace faultline::depend

// What a model is evaluated on: the arguments of one call and the memory of the program. Made from a replay
// by outside_view.h, or by hand in tests.
#pragma once

#include "depend/outside_flow.h"
#include "replay/output_call.h"
#include "replay/views.h"

#include <functional>
#include <optional>
#include <vector>

namespace faultline::depend {

struct CallState {
  replay::VariableArguments words; // of argument n, from 0; valid only while the call begins
  uint32_t argumentCount = 0;
  bool resultUsed = true;
  const replay::MemoryView* memory = nullptr;
  std::function<replay::ListArguments(uint64_t list)> list = nullptr;
  std::function<std::optional<uint64_t>(uint64_t block)> blockSize = nullptr;
  std::function<std::optional<uint64_t>(const std::string& variable)> global = nullptr;
  // Where an object (a std::string) keeps its bytes, learnt from calls that have told it.
  std::function<std::optional<uint64_t>(uint64_t object)> data = nullptr;
  std::function<void(uint64_t object, uint64_t data)> remember = nullptr;
};

} // namespace faultline::depend

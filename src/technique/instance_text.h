// What an instance did, in the words of the source: the variable that it set and to what, the condition it
// tested and how that came out, the call it made.
#pragma once

#include "depend/history.h"
#include "finding/document.h"

namespace faultline::technique {

// The place of an instruction.
finding::Place placeOf(depend::RunCode& code, uint32_t id, std::string_view workingDirectory);

struct InstanceText {
  enum Kind { Other, Assigns, Reads, Tests, Calls, Returns } kind = Other;
  std::optional<finding::Value> value = {};
  std::string callee = {}; // Calls
  std::vector<finding::Value> arguments = {};
};

// Replays up to the instance. Best asked in order of time.
Result<InstanceText> describeInstance(replay::Replay& replay, uint64_t time, uint32_t id);

} // namespace faultline::technique

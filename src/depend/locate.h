// Finds executions of a line of the source in a run.
#pragma once

#include "depend/history.h"

#include <optional>
#include <unordered_set>

namespace faultline::depend {

// Instructions of the lines whose file ends in `file` (whole path components), by global id. Only of modules
// that are loaded when it is asked.
std::unordered_set<uint32_t> instructionsAt(const replay::Program& program, std::string_view file,
                                            uint32_t line);

struct Execution {
  replay::Time time = 0; // of the last of its instructions that is on the line
  uint32_t id = 0;
};

// The n-th time, from 1, that control came to one of these instructions from elsewhere; 0: the last time,
// before `end`.
Result<std::optional<Execution>> findExecution(History& history, const std::unordered_set<uint32_t>& ids,
                                               uint64_t number, replay::Time end);

} // namespace faultline::depend

// Says in the words of the source what a MemoryError is. Replays up to it.
#pragma once

#include "depend/memory_walk.h"
#include "finding/memory_report.h"

namespace faultline::technique {

// Nothing: looked at more closely, it is none.
Result<std::optional<finding::MemoryErrorInfo>> describeMemoryError(depend::History& history,
                                                                    const depend::MemoryError& error,
                                                                    std::string_view workingDirectory);

} // namespace faultline::technique

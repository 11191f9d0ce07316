// The index of an instance: its place in the nesting of calls, loops and branches. The same place in two runs
// has the same index.
//
//   main() > for (line 24), round 3 > push() called at line 25 > if (line 7)
#pragma once

#include "depend/query.h"
#include "finding/stop.h"

namespace faultline::technique {

// Of the instruction that the replay stands at; outermost first. Moves the replay.
Result<std::vector<finding::NestingLevel>> nestingOf(depend::History& history,
                                                     std::string_view workingDirectory);

} // namespace faultline::technique

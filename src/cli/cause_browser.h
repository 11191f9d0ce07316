// Walking through a cause tree at a terminal: look at a node, ask why it is there, say that it is right.
#pragma once

#include "cli/context.h"
#include "report/causes_text.h"

namespace faultline::cli {

// Reads commands from standard input until it ends or is told to.
Result<int> browseCauses(const Context& context, finding::CausesReport report, report::SourceFiles& files,
                         const report::Screen& screen);

// Takes a node, and everything below it, out of the tree; how many that were. 0: there is no such node.
size_t pruneCause(finding::CausesReport& report, uint32_t id);

} // namespace faultline::cli

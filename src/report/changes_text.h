// `faultline changes` for a terminal.
#pragma once

#include "finding/changes_report.h"
#include "report/excerpt.h"

namespace faultline::report {

// At most `most` lines of the source, each with its changes.
std::string renderChanges(const finding::ChangesReport& report, size_t most, SourceFiles& files,
                          const Screen& screen);

} // namespace faultline::report

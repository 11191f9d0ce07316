// A chop for a person at a terminal: the input, the statements that carry it to the failure, and beside them
// those that no input reaches.
#pragma once

#include "finding/chop_report.h"
#include "report/slice_text.h"

namespace faultline::report {

std::string renderChop(const finding::ChopReport& report, SourceFiles& files, const Screen& screen,
                       const SliceTextOptions& options = {});

} // namespace faultline::report

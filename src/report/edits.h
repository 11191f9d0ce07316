// Finds in a line of the source what a change is about, and makes it there. Where the line does not have it
// as the change names it (a macro, `!x` for `x == 0`, the same number twice), there is no edit: a report then
// tells the change in words alone.
//
//   if (val <= 0)      `<` instead of `<=`       if (val < 0)
#pragma once

#include "finding/changes_report.h"
#include "report/source.h"

namespace faultline::report {

std::optional<finding::Edit> editOf(SourceFiles& files, const finding::CodeChange& change);

} // namespace faultline::report

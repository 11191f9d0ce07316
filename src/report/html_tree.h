// The cause tree of a page: to be folded, and pruned by saying what is right.
#pragma once

#include "report/html_source.h"

namespace faultline::report {

std::string renderHtmlTree(const std::vector<finding::CauseNodeInfo>& nodes, const HtmlSource& source,
                           const HtmlOptions& options);

} // namespace faultline::report

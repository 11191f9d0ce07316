// A slice as a list of lines to read.
#pragma once

#include "cli/value_question.h"
#include "depend/slice.h"

#include <set>

namespace faultline::cli {

// Of code that is not the library's, those with the fewest dependences from the failure first.
std::vector<finding::Place> linesOf(ValueRun& run, const depend::Slice& slice);

// Lines that did nothing with the values but to move them; `sources`: nodes of which that is not said.
using Lines = std::set<std::pair<std::string, uint32_t>>;
Lines movingLines(ValueRun& run, const depend::Slice& slice, const std::vector<depend::Node>& sources = {});

// The instances that made the value of nothing; none: there are more than can have been meant.
std::vector<depend::Node> sourcesOf(const depend::Slice& slice);

} // namespace faultline::cli

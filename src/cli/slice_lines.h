// A slice as a list of lines to read.
#pragma once

#include "cli/value_question.h"
#include "depend/slice.h"

namespace faultline::cli {

// Of code that is not the library's, those with the fewest dependences from the failure first.
std::vector<finding::Place> linesOf(ValueRun& run, const depend::Slice& slice);

} // namespace faultline::cli

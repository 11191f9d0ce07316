// Which bytes of the input a failure depends on, from its backward slice: what is not among them can often be
// left out at once.
#pragma once

#include "depend/inputs.h"
#include "depend/slice.h"
#include "technique/minimize/inputs.h"

namespace faultline::technique {

// Of each source the bytes, ascending and apart. Where the slice does not know which bytes of a stream were
// meant, all of them.
std::vector<std::vector<Piece>> dependenceOf(const depend::Slice& slice, const depend::Inputs& streams,
                                             const InputSet& inputs);

} // namespace faultline::technique

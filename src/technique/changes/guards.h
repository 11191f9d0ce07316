// Guards that are missing: the function is left right behind a read, whenever what was read is as bad as it
// was when the run failed. Tried of values that the failure was computed from, and of those that decided
// about it.
//
//   size_t length(node* n) { return strlen(n->name); }     n->name was null when it was read
//                                                          `length` left there, whenever it is: the run
//                                                          passes
#pragma once

#include "depend/instances.h"
#include "technique/changes/proposals.h"

#include <functional>

namespace faultline::technique {

// Those that are nearest to the failure first; several of one read differ in what the function returns then.
// `isOwn`: of an instruction, whether the user wrote it.
Result<std::vector<Proposal>> proposeGuards(depend::Instances& instances, const depend::Slice& slice,
                                            const std::function<bool(uint32_t id)>& isOwn);

} // namespace faultline::technique

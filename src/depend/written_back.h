// A bit-field is stored by storing the whole unit that it lies in, with its neighbours' bits as they were
// just loaded. Those bits are not made there: the store keeps them, as far as dependence is concerned.
//
//   u = Load p; k = And u, ~0xf0; s = Or k, v      v: known to be 0 outside of 0xf0
//   Store p, s                                     keeps the bits ~0xf0 of what stood at p
#pragma once

#include "depend/code.h"

namespace faultline::depend {

// Sets Step::kept and Step::unread in a segment whose steps are there. The load and the store have to be in
// the segment, with the same operand for the address (or the same variable) and nothing between them that
// writes. Unread are bits of a word that has one use, in the segment, which masks or shifts them away, or
// keeps them.
void markWrittenBack(const ModuleCode& module, const fir::Segment& segment, SegmentCode& code);

} // namespace faultline::depend

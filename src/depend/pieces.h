// A trace as pieces of segments with their times, for those who ask when something was executed.
#pragma once

#include "depend/history.h"

namespace faultline::depend {

struct ExecutedPart { // of a segment that was executed
  const SegmentCode* code;
  uint32_t from, to;
  replay::Time start;
};

// In order.
std::vector<ExecutedPart> piecesOf(RunCode& code, const replay::Trace& trace);

} // namespace faultline::depend

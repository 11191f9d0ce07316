#include "depend/pieces.h"

namespace faultline::depend {

using replay::TraceEvent;
using replay::TraceOther;

std::vector<ExecutedPart> piecesOf(RunCode& code, const replay::Trace& trace) {
  std::vector<ExecutedPart> pieces;
  replay::Time now = trace.start;
  for (uint32_t event : trace.events) {
    uint32_t number = replay::eventNumber(event);
    if (replay::eventKind(event) == TraceEvent::Segment) {
      const SegmentCode& s = code.segment(number);
      pieces.push_back({&s, 0, s.count, now});
      now += s.count;
    } else if (replay::eventKind(event) == TraceEvent::Other &&
               trace.others[number].kind == TraceOther::Part) {
      const TraceOther& o = trace.others[number];
      pieces.push_back({&code.segment(o.segment), o.from, o.from + o.count, now});
      now += o.count;
    }
  }
  return pieces;
}

} // namespace faultline::depend

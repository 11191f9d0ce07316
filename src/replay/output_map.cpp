#include "replay/output_map.h"

#include <algorithm>

namespace faultline::replay {

OutputMap::OutputMap(Collected collected, const CapturedOutput& captured)
    : c_(std::move(collected)), captured_(captured) {
  for (uint32_t stream : {1u, 2u})
    alignments_[stream] =
        alignOutput(stream == 1 ? captured_.output : captured_.errors, c_.start[stream], c_.queues, stream);
  if (c_.isFull)
    caveats_.push_back(
        "the run has more output calls than are kept: the origin of the last ones is not known");
}

OutputOrigin OutputMap::describe(uint32_t queue, uint32_t number) const {
  const QueuedField& f = c_.queues[queue].fields[number];
  const Call& call = c_.calls[f.call];
  OutputOrigin out;
  out.instance = call.instance;
  out.function = c_.names[call.function];
  while (out.field < number && c_.queues[queue].fields[number - out.field - 1].call == f.call) ++out.field;
  out.argument = f.argument;
  out.frame = f.frame;
  out.spec = c_.specs[f.spec];
  out.text = c_.queues[queue].textOf(f);
  return out;
}

std::optional<OutputOrigin> OutputMap::originOf(uint32_t stream, uint64_t offset) const {
  if (stream != 1 && stream != 2) return std::nullopt;
  const std::vector<OutputSpan>& spans = alignments_[stream].spans;
  auto after = std::upper_bound(spans.begin(), spans.end(), offset,
                                [](uint64_t at, const OutputSpan& s) { return at < s.begin; });
  if (after == spans.begin()) return std::nullopt;
  const OutputSpan& span = *std::prev(after);
  if (offset >= span.end || span.field == kNoField) return std::nullopt;
  OutputOrigin out = describe(span.queue, span.field);
  const std::string& written = stream == 1 ? captured_.output : captured_.errors;
  out.text = written.substr(span.begin, span.end - span.begin);
  out.within = offset - span.begin;
  out.isVerified = span.isVerified;
  return out;
}

std::vector<OutputOrigin> OutputMap::unwritten(uint32_t stream) const {
  std::vector<OutputOrigin> out;
  for (const UnwrittenField& u : alignments_.at(stream).unwritten) {
    OutputOrigin& origin = out.emplace_back(describe(u.queue, u.field));
    origin.within = u.from;
    origin.text.erase(0, u.from);
  }
  return out;
}

} // namespace faultline::replay

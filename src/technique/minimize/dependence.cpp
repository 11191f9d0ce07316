#include "technique/minimize/dependence.h"

#include "depend/outside_flow.h"

#include <algorithm>

namespace faultline::technique {
namespace {

std::vector<Piece> merged(std::vector<Piece> pieces) {
  std::ranges::sort(pieces, {}, &Piece::begin);
  std::vector<Piece> out;
  for (const Piece& p : pieces) {
    if (p.begin >= p.end) continue;
    if (!out.empty() && p.begin <= out.back().end)
      out.back().end = std::max(out.back().end, p.end);
    else
      out.push_back(p);
  }
  return out;
}

std::optional<size_t> sourceOf(const depend::InputStream& stream, const InputSet& inputs) {
  for (size_t k = 0; k < inputs.size(); ++k) {
    const InputSource& s = inputs[k];
    if (stream.kind == depend::InputStream::StandardInput && s.kind == InputSource::StandardInput) return k;
    if (stream.kind == depend::InputStream::File && s.kind == InputSource::File && s.name == stream.name)
      return k;
  }
  return std::nullopt;
}

} // namespace

std::vector<std::vector<Piece>> dependenceOf(const depend::Slice& slice, const depend::Inputs& streams,
                                             const InputSet& inputs) {
  std::vector<std::vector<Piece>> out(inputs.size());
  for (const depend::Leaf& leaf : slice.leaves) {
    std::optional<depend::InputRange> range;
    if (leaf.kind == depend::Leaf::Input) {
      range = streams.at(leaf.consumer < slice.nodes.size() ? slice.nodes[leaf.consumer].time : leaf.time,
                         leaf.from, leaf.size);
    } else if (leaf.kind == depend::Leaf::Initial || leaf.kind == depend::Leaf::Unseen) {
      range = streams.inMemory(leaf.from);
      if (range) range->size = leaf.size;
    }
    if (!range) continue;
    auto source = sourceOf(streams.streams()[range->stream], inputs);
    if (!source) continue;
    size_t size = inputs[*source].bytes.size();
    size_t begin = range->offset ? std::min<uint64_t>(size, *range->offset) : 0;
    bool isKnown = range->offset && range->size && *range->size != depend::kAllInput;
    out[*source].push_back({begin, isKnown ? size_t(std::min<uint64_t>(size, begin + *range->size)) : size});
  }
  for (std::vector<Piece>& pieces : out) pieces = merged(std::move(pieces));
  return out;
}

} // namespace faultline::technique

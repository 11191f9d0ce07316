#include "cli/slice_lines.h"

#include "technique/instance_text.h"

#include <set>

namespace faultline::cli {

std::vector<finding::Place> linesOf(ValueRun& run, const depend::Slice& slice) {
  const std::vector<uint32_t> depth = depend::depthsOf(slice);
  std::vector<std::pair<uint32_t, uint32_t>> order; // depth, node
  for (const auto& [id, count] : slice.instructions)
    if (count.node < depth.size()) order.push_back({depth[count.node], count.node});
  std::sort(order.begin(), order.end());
  std::vector<finding::Place> lines;
  std::set<std::pair<std::string, uint32_t>> seen;
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  for (auto [far, node] : order) {
    finding::Place at = technique::placeOf(run.history->code(), slice.nodes[node].id, cwd);
    if (!at.isKnown() || finding::isLibraryFrame(at) || !seen.insert({at.file, at.line}).second) continue;
    lines.push_back(std::move(at));
  }
  return lines;
}

} // namespace faultline::cli

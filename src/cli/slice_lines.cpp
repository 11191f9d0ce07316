#include "cli/slice_lines.h"

#include "technique/instance_text.h"

#include <map>

namespace faultline::cli {
namespace {

bool isMove(fir::Op op) {
  using fir::Op;
  static constexpr Op kMoves[] = {Op::Load, Op::LoadVar, Op::Store, Op::StoreVar, Op::Copy, Op::Ret,
                                  Op::Call, Op::ZExt,    Op::SExt,  Op::Trunc,    Op::Phi};
  return std::ranges::find(kMoves, op) != std::end(kMoves);
}

} // namespace

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

Lines movingLines(ValueRun& run, const depend::Slice& slice, const std::vector<depend::Node>& sources) {
  std::map<std::pair<std::string, uint32_t>, bool> lines;
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  for (const depend::Node& node : slice.nodes) {
    depend::RunCode::Where at = run.history->code().where(node.id);
    if (!at) continue;
    finding::Place place = technique::placeOf(run.history->code(), node.id, cwd);
    const fir::Instruction& i = at.module->image->instructions[at.local];
    const bool isSource = std::ranges::find(sources, node.time, &depend::Node::time) != sources.end();
    const bool isOutside = i.op == fir::Op::Call && fir::CallKind(i.sub) == fir::CallKind::Outside;
    auto [known, isNew] = lines.try_emplace({place.file, place.line}, true);
    known->second &= isMove(i.op) && !isSource && !isOutside;
  }
  Lines out;
  for (const auto& [line, isOnlyMove] : lines)
    if (isOnlyMove) out.insert(line);
  return out;
}

std::vector<depend::Node> sourcesOf(const depend::Slice& slice) {
  constexpr size_t kMost = 2;
  std::vector<bool> isMade(slice.nodes.size());
  for (const depend::Node& node : slice.nodes)
    if (node.consumer < isMade.size()) isMade[node.consumer] = true;
  for (const depend::Leaf& leaf : slice.leaves)
    if (leaf.consumer < isMade.size()) isMade[leaf.consumer] = true;
  std::vector<depend::Node> out;
  for (size_t k = 0; k < slice.nodes.size(); ++k)
    if (!isMade[k]) out.push_back(slice.nodes[k]);
  if (out.size() > kMost) out.clear();
  return out;
}

} // namespace faultline::cli

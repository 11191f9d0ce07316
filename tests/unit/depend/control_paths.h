// Control dependence by its definition, found by trying all paths: what ControlDependence is compared with.
#pragma once

#include "program/operands.h"

#include <set>
#include <vector>

namespace faultline::depend::testing {

inline constexpr uint32_t kNothing = 0xffffffffu;

using Graph = std::vector<std::vector<uint32_t>>; // successors of each block

class Paths {
public:
  // Blocks from which the end is out of reach, as in an endless loop, are given a way out: the last of them
  // one, and so on while there are any.
  explicit Paths(const Graph& graph) : graph_(graph), leaves_(graph.size()) {
    for (size_t b = 0; b < graph.size(); ++b) leaves_[b] = graph[b].empty();
    for (size_t b = graph.size(); b-- > 0;)
      if (!ends(uint32_t(b), kNothing)) leaves_[b] = true;
  }
  // All ways from `block` to the end lead through `by`.
  bool isPostDominated(uint32_t block, uint32_t by) const { return block == by || !ends(block, by); }

private:
  // There is a way to the end around `without`.
  bool ends(uint32_t from, uint32_t without) const {
    std::vector<bool> seen(graph_.size());
    std::vector<uint32_t> todo = {from};
    seen[from] = true;
    while (!todo.empty()) {
      uint32_t b = todo.back();
      todo.pop_back();
      if (leaves_[b]) return true;
      for (uint32_t s : graph_[b])
        if (s != without && !seen[s]) seen[s] = true, todo.push_back(s);
    }
    return false;
  }
  const Graph& graph_;
  std::vector<bool> leaves_;
};

// b depends on a: b is certain to come after one successor of a, but not after a.
inline Graph controlParents(const Graph& graph) {
  Paths paths(graph);
  Graph parents(graph.size());
  for (uint32_t a = 0; a < graph.size(); ++a) {
    if (std::set<uint32_t>(graph[a].begin(), graph[a].end()).size() < 2) continue;
    for (uint32_t b = 0; b < graph.size(); ++b) {
      bool afterOne = false;
      for (uint32_t s : graph[a]) afterOne |= paths.isPostDominated(s, b);
      bool strictly = b != a && paths.isPostDominated(a, b);
      if (afterOne && !strictly) parents[b].push_back(a);
    }
  }
  return parents;
}

inline std::vector<bool> reachableBlocks(const Graph& graph) {
  std::vector<bool> seen(graph.size());
  std::vector<uint32_t> todo = {0};
  seen[0] = true;
  while (!todo.empty()) {
    uint32_t b = todo.back();
    todo.pop_back();
    for (uint32_t s : graph[b])
      if (!seen[s]) seen[s] = true, todo.push_back(s);
  }
  return seen;
}

// Code that is reached without an exception does not depend on there being none; other code does.
inline Graph controlParents(const fir::Image& image, const fir::Function& function) {
  auto blocks = image.blocksOf(function);
  Graph all(blocks.size()), normal(blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b) {
    const fir::Instruction& last = image.instructions[blocks[b].first + blocks[b].count - 1];
    fir::forEachSuccessor(image, last, [&](uint32_t s) {
      all[b].push_back(s);
      if (last.op != fir::Op::Call || s == image.calls[last.aux].normalBlock) normal[b].push_back(s);
    });
  }
  Graph ordinary = controlParents(normal), whole = controlParents(all);
  std::vector<bool> isOrdinary = reachableBlocks(normal);
  for (size_t b = 0; b < blocks.size(); ++b)
    if (!isOrdinary[b]) ordinary[b] = whole[b];
  return ordinary;
}

} // namespace faultline::depend::testing

#include "program/control_dependence.h"

#include "program/operands.h"

#include <algorithm>

namespace faultline::fir {

namespace {

using Edges = std::vector<std::vector<uint32_t>>;

// Blocks and one exit more, to which everything without a successor goes; an endless loop goes there too, by
// its first block, so that every block has a way out.
class PostDominators {
public:
  explicit PostDominators(const Edges& successors)
      : successors_(successors), exit_(uint32_t(successors.size())) {
    predecessors_.resize(exit_ + 1);
    for (uint32_t b = 0; b < exit_; ++b) {
      for (uint32_t s : successors_[b]) predecessors_[s].push_back(b);
      if (successors_[b].empty()) leaves_.push_back(b);
    }
    predecessors_[exit_] = leaves_;
    number();
    solve();
  }

  uint32_t of(uint32_t block) const { return immediate_[block]; } // exit(): none
  uint32_t exit() const { return exit_; }

private:
  // Post-order over reversed edges, from the exit.
  void number() {
    order_.assign(exit_ + 1, kNone);
    visit(exit_);
    for (uint32_t b = exit_; b-- > 0;) {
      if (order_[b] != kNone) continue;
      endless_.push_back(b);
      visit(b);
    }
    // The exit must come last: it dominates all.
    sequence_.erase(std::find(sequence_.begin(), sequence_.end(), exit_));
    sequence_.push_back(exit_);
    for (uint32_t k = 0; k < sequence_.size(); ++k) order_[sequence_[k]] = k;
  }
  void visit(uint32_t from) {
    std::vector<std::pair<uint32_t, size_t>> stack{{from, 0}};
    order_[from] = 0;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next < predecessors_[block].size()) {
        uint32_t p = predecessors_[block][next++];
        if (order_[p] == kNone) order_[p] = 0, stack.push_back({p, 0});
        continue;
      }
      sequence_.push_back(block);
      stack.pop_back();
    }
  }
  void solve() {
    immediate_.assign(exit_ + 1, kNone);
    immediate_[exit_] = exit_;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t k = sequence_.size() - 1; k-- > 0;) {
        uint32_t b = sequence_[k], found = kNone;
        auto add = [&](uint32_t s) {
          if (immediate_[s] != kNone) found = found == kNone ? s : common(found, s);
        };
        for (uint32_t s : successors_[b]) add(s);
        bool endless = std::find(endless_.begin(), endless_.end(), b) != endless_.end();
        if (successors_[b].empty() || endless) add(exit_);
        if (found != immediate_[b]) immediate_[b] = found, changed = true;
      }
    }
    for (uint32_t& i : immediate_)
      if (i == kNone) i = exit_;
  }
  uint32_t common(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (order_[a] < order_[b]) a = immediate_[a];
      while (order_[b] < order_[a]) b = immediate_[b];
    }
    return a;
  }

  const Edges& successors_;
  uint32_t exit_;
  Edges predecessors_;
  std::vector<uint32_t> leaves_, endless_, sequence_, order_, immediate_;
};

// Walks from each successor of a branch up the tree to where the branch's own post-dominator is.
void addDependences(const Edges& successors, const PostDominators& tree, const std::vector<bool>& wanted,
                    Edges& parents) {
  for (uint32_t b = 0; b < successors.size(); ++b) {
    if (successors[b].size() < 2) continue;
    for (uint32_t s : successors[b])
      for (uint32_t at = s; at != tree.of(b) && at != tree.exit(); at = tree.of(at)) {
        if (wanted[at] && std::find(parents[at].begin(), parents[at].end(), b) == parents[at].end())
          parents[at].push_back(b);
      }
  }
}

std::vector<bool> reachable(const Edges& successors) {
  std::vector<bool> seen(successors.size());
  std::vector<uint32_t> stack;
  if (!successors.empty()) stack.push_back(0), seen[0] = true;
  while (!stack.empty()) {
    uint32_t b = stack.back();
    stack.pop_back();
    for (uint32_t s : successors[b])
      if (!seen[s]) seen[s] = true, stack.push_back(s);
  }
  return seen;
}

} // namespace

ControlDependence::ControlDependence(const Image& image, const Function& function) {
  std::span<const Block> blocks = image.blocksOf(function);
  Edges normal(blocks.size()), all(blocks.size());
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    const Instruction& last = image.instructions[blocks[b].first + blocks[b].count - 1];
    auto addTo = [&](Edges& edges, uint32_t to) {
      if (std::find(edges[b].begin(), edges[b].end(), to) == edges[b].end()) edges[b].push_back(to);
    };
    forEachSuccessor(image, last, [&](uint32_t to) {
      addTo(all, to);
      bool unwinds = last.op == Op::Call && to != image.calls[last.aux].normalBlock;
      if (!unwinds) addTo(normal, to);
    });
  }
  std::vector<bool> ordinary = reachable(normal), others = ordinary;
  others.flip();
  parents_.resize(blocks.size());
  dependents_.resize(blocks.size());
  PostDominators tree(normal), wholeTree(all);
  addDependences(normal, tree, ordinary, parents_);
  addDependences(all, wholeTree, others, parents_);
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    const PostDominators& own = ordinary[b] ? tree : wholeTree;
    postDominator_.push_back(own.of(b) == own.exit() ? kNone : own.of(b));
    for (uint32_t p : parents_[b]) dependents_[p].push_back(b);
  }
  successors_ = std::move(all);
}

std::vector<uint32_t> ControlDependence::region(uint32_t block, uint32_t successor) const {
  std::vector<uint32_t> found;
  std::vector<bool> seen(successors_.size());
  uint32_t end = postDominator_[block];
  std::vector<uint32_t> stack;
  auto add = [&](uint32_t b) {
    if (b != end && !seen[b]) seen[b] = true, stack.push_back(b), found.push_back(b);
  };
  add(successor);
  while (!stack.empty()) {
    uint32_t b = stack.back();
    stack.pop_back();
    for (uint32_t s : successors_[b]) add(s);
  }
  return found;
}

} // namespace faultline::fir

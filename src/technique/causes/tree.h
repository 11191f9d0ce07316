// The cause tree: all potential causes of a failure, level by level. Its root is the cause of the failure
// itself; below a cause stand those of its critical conditions. Conditions that differ only in the iteration
// are one node with a count; one that leads to nothing that is not in the tree already is folded away, and
// what lies behind it hangs on its parent.
//
//   0  assert(d == 5)      d = c + 3, c = 1
//   1  a > 0 (line 2)      a = 2                   direct: decides on d = c + 3
//   1  b < 0 (line 3)      b = 1                   indirect: might have set c
#pragma once

#include "technique/causes/conditions.h"

namespace faultline::technique {

struct CauseNode {
  uint32_t parent = 0; // its own number: none
  uint32_t level = 0;
  CriticalCondition condition = {};
  Cause cause = {};
  bool isFolded = false;
  bool isExpanded = false; // else what lies behind it was not looked at
};

struct CauseTree {
  std::vector<CauseNode> nodes = {}; // in the order to be read
  uint64_t instances = 0;            // different ones in it; those of folded nodes do not count
  uint64_t conditions = 0;           // that were looked at
  uint64_t unchecked = 0; // nodes whose cause may be longer than need be: the solver's time was over
  bool isComplete = true;
};

// Where the tree begins.
struct CauseQuestion {
  uint64_t time = 0;                         // of the failing instance
  std::optional<Wish> wish = {};             // nothing: that it was executed at all
  std::optional<uint64_t> printedSince = {}; // and what might have been printed since then
  std::optional<uint64_t> writtenSince = {}; // and what might have been written to what the call printed
};

struct TreeOptions {
  size_t mostNodes = 400;
  uint32_t mostLevels = ~0u;
  CauseOptions cause = {};
  Scope scope = {};
  // Asked between nodes; false: stop, and answer with what there is.
  std::function<bool(size_t nodes, size_t waiting)> watch = nullptr;
};

Result<CauseTree> growCauseTree(logic::InstanceTerms& terms, logic::Solver* solver, logic::Solver* checker,
                                const CauseQuestion& question, const TreeOptions& options);

} // namespace faultline::technique

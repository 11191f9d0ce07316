#include "program/call_graph.h"

#include <algorithm>

namespace faultline::fir {

CallGraph::CallGraph(const Linked& linked, const PointsTo& pointsTo) : callees_(linked.functionCount()) {
  for (uint32_t f = 0; f < linked.functionCount(); ++f) {
    const Function& body = linked.body(f);
    uint32_t image = linked.function(f).image;
    for (uint32_t k = 0; k < body.instructionCount; ++k) {
      uint32_t local = body.firstInstruction + k;
      if (linked.images()[image]->instructions[local].op != Op::Call) continue;
      for (uint32_t callee : pointsTo.callees(image, local)) callees_[f].push_back(callee);
    }
    std::sort(callees_[f].begin(), callees_[f].end());
    callees_[f].erase(std::unique(callees_[f].begin(), callees_[f].end()), callees_[f].end());
  }
  findGroups();
}

// Tarjan's algorithm, with a stack of its own: chains of calls are long.
void CallGraph::findGroups() {
  struct Visit {
    uint32_t function;
    size_t next = 0;
  };
  auto count = uint32_t(callees_.size());
  std::vector<uint32_t> order(count, kNone), lowest(count), open;
  std::vector<bool> isOpen(count);
  uint32_t next = 0;
  for (uint32_t start = 0; start < count; ++start) {
    if (order[start] != kNone) continue;
    std::vector<Visit> stack;
    auto enter = [&](uint32_t f) {
      order[f] = lowest[f] = next++;
      open.push_back(f);
      isOpen[f] = true;
      stack.push_back({f});
    };
    enter(start);
    while (!stack.empty()) {
      uint32_t f = stack.back().function;
      if (stack.back().next < callees_[f].size()) {
        uint32_t callee = callees_[f][stack.back().next++];
        if (order[callee] == kNone)
          enter(callee);
        else if (isOpen[callee])
          lowest[f] = std::min(lowest[f], order[callee]);
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) lowest[stack.back().function] = std::min(lowest[stack.back().function], lowest[f]);
      if (lowest[f] != order[f]) continue;
      std::vector<uint32_t>& group = groups_.emplace_back();
      uint32_t member;
      do {
        member = open.back();
        open.pop_back();
        isOpen[member] = false;
        group.push_back(member);
      } while (member != f);
    }
  }
}

} // namespace faultline::fir

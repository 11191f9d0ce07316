#include "program/no_return.h"

#include "program/operands.h"

namespace faultline::fir {

NoReturn::NoReturn(const Linked& linked, const PointsTo& pointsTo, const CallGraph& calls)
    : linked_(linked), pointsTo_(pointsTo), never_(linked.functionCount()) {
  // Those that are called come first; functions that call each other are taken to return.
  for (const std::vector<uint32_t>& group : calls.groups())
    for (uint32_t f : group) never_[f] = findNever(f);
}

namespace {

// Outside functions that do not return, and after which the program goes on.
bool goesOnElsewhere(std::string_view name) {
  return name.starts_with("__cxa_") || name.starts_with("_Unwind") || name.ends_with("longjmp") ||
         name.ends_with("longjmp_chk") || name == "pthread_exit" || name == "thrd_exit" ||
         name.starts_with("_ZSt") || name.ends_with("context");
}

} // namespace

bool NoReturn::endsIn(uint32_t function, const Block& block) const {
  uint32_t image = linked_.function(function).image;
  const Image& m = *linked_.images()[image];
  for (uint32_t k = 0; k < block.count; ++k) {
    const Instruction& i = m.instructions[block.first + k];
    if (i.op == Op::Trap) return true;
    if (i.op != Op::Call) continue;
    const CallInfo& call = m.calls[i.aux];
    if (CallKind(i.sub) == CallKind::Outside && call.flags & fir::kNoReturn)
      return call.symbol != kNone && !goesOnElsewhere(m.string(m.symbols[call.symbol].name));
    if (CallKind(i.sub) != CallKind::Inside) continue;
    std::vector<uint32_t> callees = pointsTo_.callees(image, block.first + k);
    bool all = !callees.empty();
    for (uint32_t callee : callees) all = all && never_[callee];
    if (all) return true;
  }
  return false;
}

bool NoReturn::isDeadEnd(uint32_t function, uint32_t block) const {
  const Image& m = *linked_.images()[linked_.function(function).image];
  return endsIn(function, m.blocksOf(linked_.body(function))[block]);
}

// No way from the entry leads to a return, or elsewhere.
bool NoReturn::findNever(uint32_t function) const {
  const Image& m = *linked_.images()[linked_.function(function).image];
  auto blocks = m.blocksOf(linked_.body(function));
  if (blocks.empty()) return false;
  std::vector<bool> seen(blocks.size());
  std::vector<uint32_t> open{0};
  seen[0] = true;
  while (!open.empty()) {
    uint32_t b = open.back();
    open.pop_back();
    if (endsIn(function, blocks[b])) continue;
    const Instruction& last = m.instructions[blocks[b].first + blocks[b].count - 1];
    if (last.op == Op::Ret || last.op == Op::Resume || last.op == Op::Unreachable) return false;
    forEachSuccessor(m, last, [&](uint32_t next) {
      if (!seen[next]) seen[next] = true, open.push_back(next);
    });
  }
  return true;
}

} // namespace faultline::fir

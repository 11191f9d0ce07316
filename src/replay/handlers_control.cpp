#include "replay/handler_macros.h"

#include "abi/state.h"

#include <algorithm>

namespace faultline::replay {

int32_t SwitchTable::find(uint64_t value) const {
  if (value - lowest < dense.size()) return dense[value - lowest];
  auto it = std::lower_bound(cases.begin(), cases.end(), value,
                             [](const Case& c, uint64_t v) { return c.value < v; });
  return it != cases.end() && it->value == value ? it->distance : otherwise;
}

void SwitchTable::sort() {
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.value < b.value; });
  if (cases.empty()) return;
  uint64_t span = cases.back().value - cases.front().value;
  if (span >= cases.size() * 4 + 16) return;
  lowest = cases.front().value;
  dense.assign(span + 1, otherwise);
  for (auto it = cases.rbegin(); it != cases.rend(); ++it) dense[it->value - lowest] = it->distance;
}

__attribute__((noinline)) void takeEdge(Machine* m, const Edge& edge, uint64_t* w) {
  m->frame->edge = edge.predecessor;
  size_t total = 0;
  for (const Edge::Move& move : edge.moves) total += move.words;
  m->scratch.resize(std::max(m->scratch.size(), total));
  uint64_t* at = m->scratch.data();
  for (const Edge::Move& move : edge.moves) {
    std::memcpy(at, move.source.at(w), size_t(move.words) * 8);
    at += move.words;
  }
  at = m->scratch.data();
  for (const Edge::Move& move : edge.moves) {
    std::memcpy(w + move.dst, at, size_t(move.words) * 8);
    at += move.words;
  }
}

namespace {

template <Mode M> FL_HANDLER operation(FL_HANDLER_PARAMETERS) {
  auto& op = *static_cast<const Operation*>(ip->pointer);
  m->ip = ip;
  m->w = w;
  m->steps = steps;
  m->epoch = epoch;
  if (!op.run(*m, op, w)) return;
  FL_NEXT(M);
}
FL_HANDLER header(FL_HANDLER_PARAMETERS) {
  auto& op = *static_cast<const Operation*>(ip->pointer);
  op.run(*m, op, w); // neither phi nor landing pad can fail
  ++steps;
  ip = jump(ip, ip->dst);
  FL_DISPATCH(Mode::Plain);
}

template <Mode M> FL_HANDLER branch(FL_HANDLER_PARAMETERS) {
  steps += ip->n;
  ip = jump(ip, ip->dst);
  FL_DISPATCH(M);
}
FL_HANDLER branchEpoch(FL_HANDLER_PARAMETERS) {
  steps += ip->n;
  ip = jump(ip, ip->dst);
  if (epoch >= m->epochStop || steps >= m->stepStop) [[unlikely]]
    FL_LEAVE(Exit::Epoch);
  ++epoch;
  FL_DISPATCH(Mode::Fast);
}
template <Mode M> FL_HANDLER epochPoint(FL_HANDLER_PARAMETERS) {
  ip = jump(ip, ip->dst);
  if (epoch >= m->epochStop || (M == Mode::Fast && steps >= m->stepStop)) [[unlikely]]
    FL_LEAVE(Exit::Epoch);
  ++epoch;
  FL_DISPATCH(M);
}

template <Mode M> FL_HANDLER phiEdge(FL_HANDLER_PARAMETERS) {
  takeEdge(m, *static_cast<const Edge*>(ip->pointer), w);
  steps += ip->n; // fast: the phis themselves; plain: 0
  ip = jump(ip, ip->dst);
  FL_DISPATCH(M);
}

template <bool Constant> FL_HANDLER phiMove(FL_HANDLER_PARAMETERS) {
  w[ip->b] = Constant ? ip->imm : w[ip->a];
  steps += ip->n;
  ip = jump(ip, ip->dst);
  FL_DISPATCH(Mode::Fast);
}

template <Mode M> FL_HANDLER condBranch(FL_HANDLER_PARAMETERS) {
  steps += ip->n;
  if (w[ip->a] & 1) {
    ip = jump(ip, ip->dst);
    FL_DISPATCH(M);
  }
  ip = jump(ip, ip->b);
  FL_DISPATCH(M);
}

template <Mode M> FL_HANDLER switchOn(FL_HANDLER_PARAMETERS) {
  steps += ip->n;
  ip = jump(ip, uint32_t(static_cast<const SwitchTable*>(ip->pointer)->find(w[ip->a])));
  FL_DISPATCH(M);
}

// The table knows every block that the branch may go to; no distance is 0.
template <Mode M> FL_HANDLER indirect(FL_HANDLER_PARAMETERS) {
  int32_t distance = static_cast<const SwitchTable*>(ip->pointer)->find(w[ip->a]);
  if (distance == 0) [[unlikely]] {
    if constexpr (M == Mode::Fast) steps += ip->n - 1;
    FL_LEAVE(Exit::Fault);
  }
  steps += ip->n;
  ip = jump(ip, uint32_t(distance));
  FL_DISPATCH(M);
}

// Plain code has not counted the instruction yet; of fast code's segment only this one is missing.
template <Mode M, Exit X> FL_HANDLER leave(FL_HANDLER_PARAMETERS) {
  if constexpr (M == Mode::Fast) steps += ip->n - 1;
  FL_LEAVE(X);
}

// base: (frame_top - size) aligned down; the guard word ends the frame.
inline bool makeFrame(Machine* m, const DecodedFunction& f) {
  Frame& frame = *m->frame;
  if (f.frameSize) m->frameTop = (m->frameTop - f.frameSize) & ~uint64_t(f.frameAlign - 1);
  frame.base = m->frameTop;
  return f.guardOffset == fir::kNone || m->memory.store<uint64_t>(frame.base + f.guardOffset, FL_FRAME_GUARD);
}
template <Mode M> FL_HANDLER entry(FL_HANDLER_PARAMETERS) {
  if (!makeFrame(m, *m->frame->function)) [[unlikely]]
    FL_LEAVE(Exit::Error);
  FL_NEXT(M);
}

} // namespace

Handler operationHandler(Mode mode) {
  return withMode(mode, []<Mode M>() -> Handler { return operation<M>; });
}
Handler headerHandler() { return header; }
Handler branchHandler(Mode mode) {
  return withMode(mode, []<Mode M>() -> Handler { return branch<M>; });
}
Handler branchEpochHandler() { return branchEpoch; }
Handler epochPointHandler(Mode mode) {
  return withMode(mode, []<Mode M>() -> Handler { return epochPoint<M>; });
}
Handler phiEdgeHandler(Mode mode) {
  return withMode(mode, []<Mode M>() -> Handler { return phiEdge<M>; });
}
Handler phiMoveHandler(bool constant) { return constant ? phiMove<true> : phiMove<false>; }
Handler condBranchHandler(Mode mode) {
  return withMode(mode, []<Mode M>() -> Handler { return condBranch<M>; });
}
Handler switchHandler(Mode mode) {
  return withMode(mode, []<Mode M>() -> Handler { return switchOn<M>; });
}
Handler indirectHandler(Mode mode) {
  return withMode(mode, []<Mode M>() -> Handler { return indirect<M>; });
}
Handler entryHandler(Mode mode) {
  return withMode(mode, []<Mode M>() -> Handler { return entry<M>; });
}
Handler exitHandler(Mode mode, Exit reason) {
  return withMode(mode, [&]<Mode M>() -> Handler {
    switch (reason) {
    case Exit::Call:
      return leave<M, Exit::Call>;
    case Exit::Return:
      return leave<M, Exit::Return>;
    case Exit::Fault:
      return leave<M, Exit::Fault>;
    default:
      return leave<M, Exit::Engine>;
    }
  });
}

bool isStub(const Insn& insn) {
  return insn.handler == epochPoint<Mode::Plain> || insn.handler == phiEdge<Mode::Plain>;
}

namespace {

FL_HANDLER hook(FL_HANDLER_PARAMETERS) {
  if (!isStub(*ip)) {
    const DecodedFunction& f = *m->frame->function;
    auto index = uint32_t(ip - f.plain.data());
    if (steps >= m->limit || (epoch == m->breakEpoch && f.globalId(index) == m->breakId))
      FL_LEAVE(Exit::Step);
    if (m->observer)
      m->observer->onInstruction({steps, epoch, m->thread, f.module, f.number, f.localId(index)},
                                 {w, f.words});
  }
  [[clang::musttail]] return ip->handler(FL_PASS);
}

} // namespace

Handler plainHook() { return hook; }

void enterCode(Machine& m, const Insn* ip, uint64_t* w, bool plain) {
  if (plain && m.steps >= m.trigger)
    hook(ip, w, &m, m.steps, m.epoch);
  else
    ip->handler(ip, w, &m, m.steps, m.epoch);
}

} // namespace faultline::replay

// The part of the walk that passes over windows in which nothing that it looks for was made.
#include "depend/backward_walk.h"

namespace faultline::depend {

namespace {

// Nothing is wanted of the call, nor by what the walk will meet of it next.
bool isIdle(const FrameWants& f) {
  return f.count() == 0 && !f.isWaiting() && f.entry == kNobody && !f.variadic && f.handedOn.empty();
}

// What the walk has begun to do in a frame, and ends at the next thing that was executed there.
bool isUnderWay(const FrameWants& f) {
  return f.call.isPending || !f.phis.empty() || f.callback != kNobody || f.outside != kNoConsumer ||
         f.landing != kNobody || f.landed != kNoConsumer || f.edge != kNobody || f.resultWanter != kNobody;
}

bool isWrittenOf(const WantedMemory& memory, const WindowSummary& window) {
  if (memory.empty()) return false;
  for (const WrittenRange& r : window.written)
    if (memory.isWanted(r.address, r.size)) return true;
  return false;
}

} // namespace

// Whether something that was executed of the frame may have made or decided what is wanted of it.
bool BackwardWalk::mayConcern(const ThreadSummary& summary, const FrameWants& frame) {
  if (isUnderWay(frame)) return true;
  if (frame.code().module != summary.base.module || frame.code().function != summary.base.function)
    return true; // cannot be, with a summary of this run
  if (!frame.count() && !frame.isWaiting()) return false;
  Code::Numbers numbers = code_.segmentsOf(summary.base.module);
  for (uint32_t k : summary.segments) {
    if (k >= numbers.count) return true;
    const SegmentCode& code = code_.segment(numbers.first + k);
    if (code.function != summary.base.function || frame.isAwaited(code.block)) return true;
    for (auto [index, bits] : code.defined)
      if (frame.wantsAny(index, bits)) return true;
  }
  return false;
}

bool BackwardWalk::mayConcern(const ThreadSummary& summary, const ThreadWants& thread) {
  if (thread.hasCallee || thread.thrown != kNobody || summary.entered > thread.stack.size()) return true;
  size_t outside = thread.stack.size() - summary.entered;
  for (size_t k = outside; k < thread.stack.size(); ++k)
    if (!isIdle(thread.stack[k].wants()) || isUnderWay(thread.stack[k].wants())) return true;
  for (const FunctionName& f : summary.left)
    if (!code_.hasFunction(f.module, f.function)) return true;
  return outside > 0 ? mayConcern(summary, thread.stack[outside - 1].wants()) : !summary.segments.empty();
}

bool BackwardWalk::passOver(const WindowSummary& window) {
  leaveUnstarted();
  // A branch may matter by what it did not lead to: that takes the trace.
  if (alternatives_ || isDone() || window.lastThread != threadNumber_) return false;
  // A call under way at the window's start counts as executed before it.
  if (position_ && (!position_->before || *position_->before + 1 >= window.start)) return false;
  if (window.callsUnknown && !blamed_.empty()) return false;
  for (auto& [number, thread] : threads_)
    if (thread.isRootPending && window.startsThreads) return false;
  static const ThreadWants kNew;
  for (const ThreadSummary& t : window.threads) {
    auto known = threads_.find(t.thread);
    if (mayConcern(t, known == threads_.end() ? kNew : known->second)) return false;
  }
  if (isWrittenOf(memory_, window) || isWrittenOf(blamed_, window)) return false;

  for (const ThreadSummary& t : window.threads) {
    thread_ = &threads_[t.thread];
    for (uint32_t k = 0; k < t.entered; ++k) thread_->stack.pop_back();
    for (const FunctionName& f : t.left) push(f.module, f.function);
  }
  threadNumber_ = window.firstThread;
  thread_ = &threads_[threadNumber_];
  time_ = window.start;
  slice_.walked += window.end - window.start;
  return true;
}

} // namespace faultline::depend

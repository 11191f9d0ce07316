// Epoch points, and the faults of instructions.
#include "replay/engine.h"

#include <csignal>

namespace faultline::replay {

// The thread stands before an increment of the epoch counter. The log may have a signal or a switch for it;
// else the epoch ends, and whatever else it has for the epoch was missed.
void Engine::epochPoint() {
  const Record* r = peek();
  if (r && isHere(*r)) {
    if (!epochRecord(*r)) diverge("the end of this epoch");
    return;
  }
  if (r && r->hasEpoch() && r->epoch < m_.epoch) return diverge("no record of an earlier epoch");
  bool over = !r || r->tag == FL_LOG_FINAL;
  uint64_t end = options_.endEpoch != kNever ? options_.endEpoch : over ? lastEpoch_ : kNever;
  if (m_.epoch >= end) {
    if (!over) return diverge("the end of the log, as the program ended in this epoch");
    ending_.kind = Ending::LogEnded;
    return;
  }
  ++m_.epoch;
  m_.attention = m_.observer || eventEpoch_ == m_.epoch;
  t().place = Place::Code;
}

bool Engine::epochRecord(const Record& r) {
  switch (r.tag) {
  case FL_LOG_SWITCH:
    switchTo(r.thread);
    return true;
  case FL_LOG_SIGNAL:
    pop();
    return true;
  case FL_LOG_ENTER:
    enter(r, Frame::SignalAtEpoch, t().position);
    return true;
  case FL_LOG_FAULT: {
    if (r.where == FL_AT_OUTSIDE) return false;
    // No instruction touched the address. At a function's entry the machine's own stack was exhausted.
    if (r.where == FL_AT_INSTRUCTION && t().position != 0) return false;
    Record fault = r;
    bool exact = r.where == FL_AT_EPOCH;
    pop();
    if (handlerFollows(fault))
      noteHandled(fault, exact);
    else
      endBy(fault, exact);
    return true;
  }
  default:
    return false;
  }
}

// Whether the fault at hand is of an access to these bytes.
bool Engine::matchesFault(uint64_t address, uint64_t size, bool write) const {
  if (eventEpoch_ != m_.epoch || size == 0) return false;
  const Record& r = *peek();
  if (r.tag != FL_LOG_FAULT || r.where != FL_AT_INSTRUCTION || (r.signal != SIGSEGV && r.signal != SIGBUS))
    return false;
  bool user = address < kAddressLimit && size <= kAddressLimit - address;
  // The processor names no address that is not canonical, nor one that is not aligned as a vector must be.
  if (r.address == ~uint64_t(0)) return !user || (size >= 16 && address % 16 != 0);
  if (r.signal == SIGSEGV && r.write != write) return false;
  return r.address - address < size;
}

// The instruction at `position` cannot be executed; the log must say so, too.
void Engine::fault(uint32_t position) {
  t().position = position;
  const Record* r = peek();
  if (!r || r->tag != FL_LOG_FAULT || !isHere(*r) || r->where != FL_AT_INSTRUCTION)
    return diverge("the fault that this instruction raises");
  Record record = *r;
  pop();
  if (!handlerFollows(record)) return endBy(record, true);
  noteHandled(record, true);
  if (const Record* next = peek(); next && next->tag == FL_LOG_ENTER && isHere(*next))
    enter(*next, Frame::SignalAtFault, position);
}

// A handler of the program's takes the signal.
bool Engine::handlerFollows(const Record& faultRecord) {
  const Record* r = peek();
  if (!r || r->tag != FL_LOG_SIGNAL || !isHere(*r) || r->signal != faultRecord.signal) return false;
  pop();
  return true;
}

namespace {

void describeFault(const Record& r, bool exact, Ending& out) {
  out.kind = Ending::Fault;
  out.signal = r.signal;
  out.code = uint32_t(r.value);
  out.address = r.address;
  out.write = r.write;
  out.pc = r.pc;
  out.outside = r.where == FL_AT_OUTSIDE;
  out.exact = exact;
}

} // namespace

void Engine::endBy(const Record& r, bool exact) { describeFault(r, exact, ending_); }

// If the handler faults in turn, or aborts, that is a consequence: the first one is kept.
void Engine::noteHandled(const Record& r, bool exact) {
  if (handled_ && isActive(*handled_)) return;
  handled_ = HandledFault{current().time, m_.epoch, running_, t().depth, {}};
  describeFault(r, exact, handled_->how);
  if (r.tag == FL_LOG_SIGNAL) handled_->how.address = ~uint64_t(0);
}

// A handler that has returned, or was left by a jump, has no frame any more: no two frames are entered in the
// same epoch.
bool Engine::isActive(const HandledFault& fault) const {
  if (fault.thread >= threads_.size() || !threads_[fault.thread]) return false;
  const Thread& thread = *threads_[fault.thread];
  return thread.depth > fault.depth && thread.frames.data[fault.depth].entryEpoch == fault.epoch;
}

std::optional<HandledFault> Engine::handledFault() const {
  bool active = handled_ && handled_->thread == running_ && isActive(*handled_);
  return active ? handled_ : std::nullopt;
}

} // namespace faultline::replay

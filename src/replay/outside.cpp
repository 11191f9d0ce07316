// What happens while a thread is outside: in an outside call, or at its root.
//
// The log tells of callbacks, signals, switches and effects while the call runs, then of its result if that
// is used. Some records are abrupt: the call does not return, because it threw, jumped, ended the program or
// died. A record that is not this call's means that the call has returned without leaving one.
#include "replay/computed_call.h"
#include "replay/engine.h"
#include "replay/tracer.h"

#include "abi/state.h"

#include <csignal>

namespace faultline::replay {

bool Engine::isAbrupt(const Record& r) const {
  switch (r.tag) {
  case FL_LOG_LAND:
  case FL_LOG_REJUMP:
  case FL_LOG_EXIT:
  case FL_LOG_EXEC:
    return isHere(r);
  case FL_LOG_FAULT:
    return isHere(r) && r.where == FL_AT_OUTSIDE;
  default:
    return false;
  }
}

void Engine::outside() {
  const Frame* frame = topFrame();
  const CallSite* site = frame ? frame->site : nullptr;
  const Record* r = peek();
  bool over = !r || r->tag == FL_LOG_FINAL;
  // Nothing tells of its return but that the run went on.
  if (over && site && site->computed && options_.endEpoch != kNever && m_.epoch < options_.endEpoch)
    return returnComputed(*site, nullptr);
  if (over) {
    ending_.kind = Ending::LogEnded;
    ending_.outside = true;
    return;
  }
  if (outsideRecord(*r, site, site ? site->globalId() + 2 : uint64_t(FL_EXT_ROOT))) return;
  // The record is not for this call: it has returned, if it can.
  if (site && site->computed) return returnComputed(*site, nullptr);
  if (!site) return diverge("something that happens outside of instrumented code");
  if (site->resultUsed || site->noReturn) return notReturning(site);
  returnFromOutside(*site, nullptr);
}

// True: the record was used, or something else was done.
bool Engine::outsideRecord(const Record& r, const CallSite* site, uint64_t number) {
  if (isAbrupt(r)) {
    if (r.site != number) return false;
    abrupt(r);
    return true;
  }
  switch (r.tag) {
  case FL_LOG_MODULE:
    loadModule(r);
    return true;
  case FL_LOG_ENTER:
    if (!isHere(r) || r.site != number) return false;
    enter(r, Frame::FromOutside, 0);
    return true;
  case FL_LOG_SIGNAL:
    if (!isHere(r) || r.site != number) return false;
    if (r.signal == SIGABRT) noteHandled(r, true);
    pop();
    return true;
  case FL_LOG_SWITCH:
    if (!isHere(r) || r.site != number) return false;
    switchTo(r.thread);
    return true;
  case FL_LOG_EFFECT:
    if (!isHere(r) || !site || r.id != site->globalId()) return false;
    applyEffect(r);
    return true;
  case FL_LOG_LOAD8:
    if (!isHere(r) || !site || !site->computed || r.id != site->globalId()) return false;
    returnComputed(*site, &r);
    return true;
  case FL_LOG_RET0:
  case FL_LOG_RET1:
  case FL_LOG_RET4:
  case FL_LOG_RET8:
  case FL_LOG_RETN:
    if (!site || !site->resultUsed || site->computed || r.id != site->globalId()) return false;
    returnFromOutside(*site, &r);
    return true;
  default:
    return false;
  }
}

void Engine::abrupt(const Record& r) {
  switch (r.tag) {
  case FL_LOG_LAND:
    return landAt(r);
  case FL_LOG_REJUMP:
    return jumpAgain(r);
  case FL_LOG_FAULT: {
    Record fault = r;
    pop();
    if (handlerFollows(fault))
      noteHandled(fault, true);
    else
      endBy(fault, true);
    return;
  }
  case FL_LOG_EXIT:
    ending_.kind = Ending::Exited;
    ending_.status = uint32_t(r.value);
    ending_.outside = true;
    return pop();
  default: // if exec failed, the program went on
    pop();
    if (!peek() || peek()->tag == FL_LOG_FINAL) ending_.kind = Ending::Replaced;
    ending_.outside = true;
  }
}

// Outside code calls one of our functions.
void Engine::enter(const Record& r, Frame::Kind kind, uint32_t resume) {
  LoadedModule* module = program_.moduleOf(r.id);
  uint32_t local = module ? r.id - module->base : 0;
  uint32_t number = module ? module->image->functionOf(local) : fir::kNone;
  if (number == fir::kNone || module->image->functions[number].firstInstruction != local)
    return fail(errorf("damaged log: outside code calls function {}, which does not exist", r.id));
  DecodedFunction* f = functionFor({module, number});
  if (!push(*f, kind, resume)) return;
  uint64_t* words = wordsOf(*m_.frame);
  uint64_t next = 0;
  for (const fir::Argument& a : module->image->argumentsOf(*f->fir)) {
    uint32_t count = module->image->types[a.type].words;
    for (uint32_t k = 0; k < count; ++k) words[a.word + k] = next + k < r.size ? r.word(next + k) : 0;
    next += std::max(1u, count);
  }
  pop();
}

void Engine::returnFromOutside(const CallSite& site, const Record* result) {
  uint64_t* w = wordsOf(*m_.frame);
  if (result && site.dst != fir::kNone) {
    std::memset(w + site.dst, 0, size_t(site.resultWords) * 8);
    uint64_t size = std::min<uint64_t>(result->size, uint64_t(site.resultWords) * 8);
    std::memcpy(w + site.dst,
                result->tag == FL_LOG_RETN ? static_cast<const void*>(result->bytes) : &result->value, size);
    if (site.kind == fir::CallKind::SetJmp && !site.arguments.empty()) rememberJump(site, w);
  }
  if (result) pop();
  hasReturned(site, w, result);
}

void Engine::hasReturned(const CallSite& site, uint64_t* w, bool tellsResult) {
  if (m_.observer)
    m_.observer->onOutsideReturn(site.dst == fir::kNone
                                     ? std::span<const uint64_t>()
                                     : std::span<const uint64_t>(w + site.dst, site.resultWords));
  bool hasResult = tellsResult && site.dst != fir::kNone;
  std::span<const uint64_t> value(w + (hasResult ? site.dst : 0), hasResult ? site.resultWords : 0);
  if (listener_ && site.info) listener_->onOutsideReturn({*this, site, w}, value);
  if (m_.tracer) m_.tracer->onOutsideReturn({*this, site, w}, running_, t().depth, value, true);
  goTo(site.plainResume);
  if (site.kind == fir::CallKind::SetJmp) t().place = Place::EpochPoint; // abi/state.h: one stands behind it
}

// Without a record, memory tells what it gave.
void Engine::returnComputed(const CallSite& site, const Record* result) {
  uint64_t* w = wordsOf(*m_.frame);
  uint64_t argument[3] = {};
  for (size_t k = 0; k < std::min<size_t>(3, site.arguments.size()); ++k)
    argument[k] = site.arguments[k].value(w);
  uint64_t value = result ? result->value
                          : computedResult(m_.memory, site.computed, argument[0], argument[1], argument[2]);
  if (result) pop();
  if (site.dst != fir::kNone) w[site.dst] = value;
  hasReturned(site, w, true);
}

// The call neither returns nor is the record its own: perhaps it threw, and outside code further out caught
// that and goes on. Whoever waits there for the record is where control is now.
void Engine::notReturning(const CallSite* site) {
  const Record* r = peek();
  Thread& thread = t();
  for (size_t depth = thread.depth; depth-- > 1;) {
    if (thread.frames.data[depth].kind != Frame::FromOutside) continue;
    const CallSite* outer = thread.frames.data[depth - 1].site;
    if (!outer) continue;
    bool returns =
        r->tag >= FL_LOG_RET0 && r->tag <= FL_LOG_RETN && outer->resultUsed && r->id == outer->globalId();
    bool calls = r->tag == FL_LOG_ENTER && isHere(*r) && r->site == outer->globalId() + 2;
    bool silent = site->noReturn && !outer->resultUsed && !outer->noReturn;
    if (!returns && !calls && !silent) continue;
    unwindTo(depth, false);
    thread.place = Place::Outside;
    return;
  }
  diverge(site->resultUsed ? "the result of this outside call"
                           : "what this call leads to, as it does not return");
}

// Leaves the frames above the first `depth`.
void Engine::unwindTo(size_t depth, bool lands) {
  bool waits = t().place == Place::Outside; // the frame at hand is in an outside call
  uint32_t interrupted = fir::kNone;        // or a handler had interrupted it there
  auto abandon = [&] {
    if (!m_.tracer || !topFrame()) return;
    const Frame& f = *m_.frame;
    if (waits && f.site)
      m_.tracer->onOutsideReturn({*this, *f.site, wordsOf(f)}, running_, t().depth, {}, false);
    else if (interrupted != fir::kNone)
      m_.tracer->onStop(f, wordsOf(f), interrupted);
  };
  while (t().depth > depth) {
    abandon();
    if (m_.observer) m_.observer->onUnwind();
    if (m_.tracer) m_.tracer->onUnwind(*m_.frame);
    waits = m_.frame->kind == Frame::FromOutside;
    interrupted = m_.frame->kind == Frame::SignalAtFault ? m_.frame->resume : fir::kNone;
    popFrame();
  }
  if (lands) abandon();
}

// An exception was caught: by the innermost frame that waits in a call with this landing pad.
void Engine::landAt(const Record& r) {
  Thread& thread = t();
  for (size_t depth = thread.depth; depth > 0; --depth) {
    bool waits = depth == thread.depth || thread.frames.data[depth].kind == Frame::Called ||
                 thread.frames.data[depth].kind == Frame::FromOutside;
    const Frame& frame = thread.frames.data[depth - 1];
    if (!waits || !frame.site || frame.site->landingPad == fir::kNone ||
        frame.function->module->base + uint64_t(frame.site->landingPad) != r.id)
      continue;
    m_.landException = r.address;
    m_.landSelector = r.value;
    pop();
    unwindTo(depth, true);
    if (m_.tracer) m_.tracer->onLand(*m_.frame->site);
    return goTo(m_.frame->site->plainUnwind);
  }
  diverge("a landing pad that some frame waits at");
}

// In the order of their frames: what has died is at the end. A recursion may have set one in each of its
// frames.
void Engine::rememberJump(const CallSite& site, const uint64_t* w) {
  Thread& thread = t();
  std::vector<JumpTarget>& jumps = thread.jumps;
  auto isDead = [&](const JumpTarget& j) {
    return j.depth > thread.depth || thread.frames.data[j.depth - 1].entryEpoch != j.entryEpoch;
  };
  while (!jumps.empty() && isDead(jumps.back())) jumps.pop_back();
  auto own = jumps.end();
  while (own != jumps.begin() && std::prev(own)->depth == thread.depth) --own;
  jumps.erase(
      std::remove_if(own, jumps.end(), [&](const JumpTarget& j) { return j.site->index == site.index; }),
      jumps.end());
  jumps.push_back({thread.depth, m_.frame->entryEpoch, &site, site.arguments[0].value(w)});
}

// setjmp returns again. If the jump was made by a call that we see, its buffer tells which one.
void Engine::jumpAgain(const Record& r) {
  Thread& thread = t();
  const CallSite* from = thread.depth ? m_.frame->site : nullptr;
  bool seen = from && from->kind == fir::CallKind::LongJmp && !from->arguments.empty();
  uint64_t buffer = seen ? from->arguments[0].value(wordsOf(*m_.frame)) : 0;
  const JumpTarget* found = nullptr;
  for (const JumpTarget& j : thread.jumps) {
    bool lives = j.depth <= thread.depth && thread.frames.data[j.depth - 1].entryEpoch == j.entryEpoch &&
                 thread.frames.data[j.depth - 1].function == j.site->function;
    if (!lives || j.site->globalId() != r.id) continue;
    bool better = !found || j.depth >= found->depth;
    if (seen && found && (found->buffer == buffer) != (j.buffer == buffer)) better = j.buffer == buffer;
    if (better) found = &j;
  }
  if (!found) return diverge("a setjmp that a live frame has executed");
  JumpTarget target = *found;
  unwindTo(target.depth, true);
  if (m_.tracer) m_.tracer->onJumped(*target.site);
  if (target.site->dst != fir::kNone) wordsOf(*m_.frame)[target.site->dst] = r.value;
  pop();
  goTo(target.site->plainResume);
  t().place = Place::EpochPoint;
}

void Engine::switchTo(uint32_t number) {
  if (number >= threads_.size() || !threads_[number])
    return fail(errorf("damaged log: a switch to thread {}, which has not begun", number));
  if (m_.tracer) m_.tracer->onSwitch(running_, number);
  park();
  running_ = number;
  unpark();
  pop(); // last: behind it the thread that was left may begin anew
  if (m_.observer) m_.observer->onSwitch(number);
}

} // namespace faultline::replay

#include "replay/engine.h"

#include "replay/checkpoint.h"
#include "replay/handlers.h"
#include "replay/tracer.h"

#include <new>

namespace faultline::replay {

Engine::Engine(Program program, LogReader log, EngineOptions options)
    : program_(std::move(program)), log_(std::move(log)), options_(options), m_(options.memoryLimit) {
  m_.engine = this;
  m_.hook = plainHook();
  m_.operation = operationHandler(Mode::Plain);
  threads_.push_back(std::make_unique<Thread>());
  unpark();
  lookAhead();
}
Engine::~Engine() = default;

// Running code keeps the thread's top frame and frame top in the machine.
void Engine::park() {
  Thread& thread = t();
  thread.frameTop = m_.frameTop;
  thread.landException = m_.landException;
  thread.landSelector = m_.landSelector;
  if (thread.frames.data) thread.depth = size_t(m_.frame + 1 - thread.frames.data);
}
void Engine::unpark() {
  Thread& thread = t();
  thread.frames.reserve(64);
  thread.words.reserve(4 * kArgumentRoom);
  m_.thread = running_;
  m_.frameTop = thread.frameTop;
  m_.landException = thread.landException;
  m_.landSelector = thread.landSelector;
  m_.frame = thread.frames.data + thread.depth - 1;
  m_.frameLimit = thread.frames.data + thread.frames.capacity;
  m_.wordsLimit = thread.words.data + thread.words.capacity - kArgumentRoom;
}

Result<Engine::Stop> Engine::run(uint64_t limit, bool exact) {
  atBreak_ = false;
  try {
    while (step(limit, exact)) {
    }
  } catch (const std::bad_alloc&) {
    fail(errorf("there is not enough memory to replay this run"));
  }
  return finish(limit);
}

Result<Engine::Stop> Engine::runToInstance(uint64_t epoch, uint64_t globalId, uint64_t limit) {
  m_.breakEpoch = epoch;
  m_.breakId = globalId;
  Result<Stop> stop = run(limit, false);
  m_.breakEpoch = kNever;
  return stop;
}

Result<Engine::Stop> Engine::finish(uint64_t limit) {
  if (error_) return *error_;
  if (ending_.kind != Ending::None) return Stop::Ended;
  return atBreak_ ? Stop::Break : Stop::Limit;
}

// False: there is a reason to stop.
bool Engine::step(uint64_t limit, bool exact) {
  if (error_ || ending_.kind != Ending::None || atBreak_ || log_.position().chunk >= stopChunk_) return false;
  switch (t().place) {
  case Place::Outside:
    outside();
    return true;
  case Place::EpochPoint:
    epochPoint();
    return true;
  case Place::Code:
    if (m_.steps >= limit) return false;
    if (m_.steps >= options_.maxSteps)
      return fail(errorf("replay was stopped after {} instructions", m_.steps)), false;
    execute(limit, exact);
    return true;
  }
  return false;
}

// Fast code may run on for at most one function's length after the last place where it can stop.
bool Engine::chooseFast(const DecodedFunction& f, uint32_t position, uint64_t limit, bool exact) const {
  if (options_.onlyPlain || m_.observer || m_.tracer || f.plainToFast[position] == fir::kNone) return false;
  if (eventEpoch_ == m_.epoch || m_.breakEpoch == m_.epoch) return false;
  return !exact || limit == kNever || limit - m_.steps > program_.longestFunction() + 2;
}

void Engine::setLimits(bool fast, uint64_t limit, bool exact) {
  // At the epoch point that leads to the epoch of the next record the engine must have a look.
  uint64_t stop = eventEpoch_ == kNever ? kNever : eventEpoch_ ? eventEpoch_ - 1 : 0;
  if (options_.endEpoch < stop) stop = options_.endEpoch;
  if (!peek() && lastEpoch_ < stop && options_.endEpoch == kNever) stop = lastEpoch_;
  if (m_.breakEpoch != kNever && m_.breakEpoch && m_.breakEpoch - 1 < stop) stop = m_.breakEpoch - 1;
  uint64_t most = std::min(limit, options_.maxSteps);
  if (fast) {
    m_.epochStop = stop;
    m_.stepStop = limit == kNever ? most
                  : exact         ? most - std::min(most, program_.longestFunction() + 2)
                                  : most;
    return;
  }
  // Plain code for the log's sake goes back to fast code at the next epoch point.
  m_.epochStop = m_.observer || m_.tracer || options_.onlyPlain ? stop : 0;
  m_.limit = most;
  m_.trigger = m_.observer || m_.breakEpoch == m_.epoch ? 0 : most;
  m_.attention = m_.observer || eventEpoch_ == m_.epoch;
}

void Engine::execute(uint64_t limit, bool exact) {
  const DecodedFunction& f = *m_.frame->function;
  uint32_t position = t().position;
  bool fast = chooseFast(f, position, limit, exact);
  setLimits(fast, limit, exact);
  const Insn* ip = fast ? &f.fast[f.plainToFast[position]] : &f.plain[position];
  enterCode(m_, ip, wordsOf(*m_.frame), !fast);
  leave();
}

uint32_t Engine::plainIndex(const DecodedFunction& f, const Insn* ip) const {
  if (ip >= f.plain.data() && ip < f.plain.data() + f.plain.size()) return uint32_t(ip - f.plain.data());
  auto place = size_t(ip - f.fast.data());
  return m_.exit == Exit::Epoch || m_.exit == Exit::Step ? f.fastStart[place] : f.fastOrigin[place];
}

// Code has left: m_.exit says why.
void Engine::leave() {
  Thread& thread = t();
  thread.depth = size_t(m_.frame + 1 - thread.frames.data);
  thread.position = plainIndex(*m_.frame->function, m_.ip);
  thread.place = Place::Code;
  switch (m_.exit) {
  case Exit::Epoch:
    thread.place = Place::EpochPoint;
    return;
  case Exit::Step:
    atBreak_ = m_.breakEpoch == m_.epoch && currentId() == m_.breakId;
    return;
  case Exit::Call:
    return call(*static_cast<const CallSite*>(m_.ip->pointer), false);
  case Exit::CallReady:
    return call(*static_cast<const CallSite*>(m_.ip->pointer), true);
  case Exit::Return:
    return returnFrom(false);
  case Exit::ReturnReady:
    return returnFrom(true);
  case Exit::Engine: {
    auto& op = *static_cast<const Operation*>(m_.ip->pointer);
    if (!op.run(m_, op, m_.w)) return;
    ++m_.steps;
    ++thread.position;
    return;
  }
  case Exit::Fault:
    return fault(thread.position);
  case Exit::Stopped:
    return;
  case Exit::Error:
    memoryFailed();
    return;
  }
}

// Follows the stubs from an index of plain code to where the thread really stands.
void Engine::goTo(uint32_t index) {
  const DecodedFunction& f = *m_.frame->function;
  Thread& thread = t();
  thread.place = Place::Code;
  while (index >= f.instructionCount()) {
    const Stub& stub = f.stubs[index - f.instructionCount()];
    if (stub.kind == Stub::EpochPoint)
      thread.place = Place::EpochPoint;
    else
      takeEdge(&m_, *stub.edge, wordsOf(*m_.frame));
    index = stub.target;
  }
  thread.position = index;
}

uint64_t Engine::currentId() const {
  const Thread& thread = *threads_[running_];
  return thread.depth ? m_.frame->function->globalId(thread.position) : kNever;
}

Instance Engine::current() const {
  const Thread& thread = *threads_[running_];
  Instance i;
  i.time = m_.steps;
  i.epoch = m_.epoch;
  i.thread = running_;
  if (!thread.depth) return i;
  const Frame& frame = thread.frames.data[thread.depth - 1];
  const DecodedFunction& f = *frame.function;
  bool waits = thread.place == Place::Outside && frame.site;
  if (waits) --i.time; // the call was counted when it began
  i.module = f.module;
  i.function = f.number;
  i.local = f.localId(waits ? frame.site->index : thread.position);
  return i;
}

void Engine::setTracer(Tracer* tracer) {
  if (m_.tracer && !tracer) endTrace();
  m_.tracer = tracer;
  for (const auto& module : program_.modules())
    for (auto& f : module->functions) {
      if (!f || !f->ready) continue;
      if (tracer)
        tracer->attach(*f);
      else
        Tracer::detach(*f);
    }
  if (tracer) beginTrace();
}

void Engine::beginTrace() { m_.tracer->begin(m_.steps, topFrame(), t().position, t().place == Place::Code); }

// What the running thread has executed of the segment that it stands in, and the calls that are under way.
void Engine::endTrace() {
  const Frame* top = topFrame();
  if (!top) return;
  if (t().place == Place::Code) m_.tracer->onStop(*top, wordsOf(*top), t().position);
  if (t().place == Place::Outside && top->site)
    m_.tracer->onOutsideReturn({*this, *top->site, wordsOf(*top)}, running_, t().depth, {}, false);
}

std::vector<const Thread*> Engine::threads() const {
  std::vector<const Thread*> all;
  for (auto& thread : threads_)
    if (thread) all.push_back(thread.get());
  return all;
}

} // namespace faultline::replay

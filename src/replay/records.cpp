// Taking records from the log.
#include "replay/engine.h"
#include "replay/tracer.h"

namespace faultline::replay {

using recording::tagName;

void Engine::pop() {
  if (const Record* r = peek()) {
    if (r->hasEpoch()) lastEpoch_ = r->epoch;
    ++recordsTaken_;
  }
  log_.pop();
  lookAhead();
}

// Records that only tell of something are taken at once: they may hide one that belongs to this epoch.
void Engine::lookAhead() {
  const Record* r;
  while ((r = peek()) && (r->tag == FL_LOG_THREAD || r->tag == FL_LOG_FORK)) {
    if (r->tag == FL_LOG_THREAD) addThread(*r);
    ++recordsTaken_;
    log_.pop();
  }
  eventEpoch_ = r && r->hasEpoch() ? r->epoch : kNever;
  // Without this a damaged epoch would let the program run on until it is reached, perhaps for ever.
  if (eventEpoch_ != kNever && eventEpoch_ > options_.endEpoch)
    fail(errorf("damaged log: it has a record of epoch {}, but the program ended in epoch {}", eventEpoch_,
                options_.endEpoch));
  m_.attention = m_.observer || eventEpoch_ == m_.epoch;
  m_.epochStop = 0; // was for another record; the next epoch point makes it right
}

void Engine::addThread(const Record& r) {
  constexpr uint32_t kMostThreads = 1 << 16;
  if (r.thread >= kMostThreads) return fail(errorf("damaged log: thread {} begins", r.thread));
  if (r.thread >= threads_.size()) threads_.resize(r.thread + 1);
  // The number of a context that is over may be given to another.
  if (!threads_[r.thread] || r.thread != running_) threads_[r.thread] = std::make_unique<Thread>();
  Thread& thread = *threads_[r.thread];
  thread.number = r.thread;
  thread.frameTop = r.address;
  if (r.thread == running_) m_.frameTop = r.address;
}

void Engine::loadModule(const Record& first) {
  uint64_t hash = first.address, instructions = first.value, total = first.total;
  uint32_t base = first.id;
  std::vector<uint64_t> addresses;
  for (const Record* r = peek(); r; r = peek()) {
    bool continues = r->tag == FL_LOG_SYMBOLS && r->id == base;
    if (!continues && (!addresses.empty() || r->tag != FL_LOG_MODULE)) break;
    for (uint64_t k = 0; k < r->size; ++k) addresses.push_back(r->word(k));
    pop();
    if (addresses.size() >= total) break;
  }
  auto loaded = program_.load(hash, base, instructions, std::move(addresses), m_.memory);
  if (!loaded) fail(loaded.error());
}

void Engine::applyEffect(const Record& r) {
  if (m_.observer) m_.observer->onOutsideWrite(r.address, r.size);
  if (m_.tracer) {
    if (t().place == Place::Outside)
      m_.tracer->onOutsideWrite(r.address, r.size);
    else if (const Frame* frame = topFrame())
      m_.tracer->onNoticed(*frame->function, uint32_t(r.id - frame->function->globalId(0)), r.address,
                           r.size);
  }
  if (!m_.memory.write(r.address, r.bytes, r.size)) memoryFailed();
  pop();
}

bool Engine::beforeLoad(const Operation& op, uint64_t address, uint64_t size) {
  if (eventEpoch_ != m_.epoch) return true;
  const Record* r = peek();
  uint64_t id = op.function->globalId(op.index);
  if (r->tag >= FL_LOG_LOAD1 && r->tag <= FL_LOG_LOADN && r->id == id) {
    if (m_.observer) m_.observer->onOutsideWrite(address, r->size);
    if (m_.tracer) m_.tracer->onNoticed(*op.function, op.index, address, r->size);
    const void* bytes = r->tag == FL_LOG_LOADN ? static_cast<const void*>(r->bytes) : &r->value;
    if (r->size > size) {
      diverge(fmt::format("a value of at most {} bytes for this load", size));
      return m_.exit = Exit::Stopped, false;
    }
    if (!m_.memory.write(address, bytes, r->size)) return m_.exit = Exit::Error, false;
    pop();
    return true;
  }
  if (!takeEffects(op)) return false;
  bool write = op.instruction->op == fir::Op::AtomicRMW || op.instruction->op == fir::Op::CmpXchg;
  if (!matchesFault(address, size, write) && !(write && matchesFault(address, size, false))) return true;
  m_.exit = Exit::Fault;
  return false;
}

bool Engine::beforeStore(const Operation&, uint64_t address, uint64_t size) {
  if (matchesFault(address, size, true)) return m_.exit = Exit::Fault, false;
  if (m_.observer && size) m_.observer->onStore(address, size);
  return true;
}

bool Engine::beforeCopy(const Operation& op, uint64_t destination, uint64_t source, uint64_t size) {
  if (!takeEffects(op)) return false;
  if (matchesFault(source, size, false) || matchesFault(destination, size, true))
    return m_.exit = Exit::Fault, false;
  if (m_.observer && size) {
    m_.observer->onLoad(source, size, nullptr);
    m_.observer->onStore(destination, size);
  }
  return true;
}

bool Engine::takeEffects(const Operation& op) {
  uint64_t id = op.function->globalId(op.index);
  while (const Record* r = peek()) {
    if (r->tag != FL_LOG_EFFECT || !isHere(*r) || r->id != id) break;
    applyEffect(*r);
  }
  if (!error_) return true;
  m_.exit = Exit::Stopped;
  return false;
}

bool Engine::takeCell(const Operation& op, uint64_t& cell) {
  const Record* r = peek();
  if (!r || r->tag != FL_LOG_LOAD8 || !isHere(*r) || r->id != op.function->globalId(op.index)) return true;
  cell = r->value;
  pop();
  return true;
}

bool Engine::takeValue(const Operation& op, uint64_t* w) {
  const Record* r = peek();
  m_.exit = Exit::Stopped;
  if (!r || r->tag == FL_LOG_FINAL) {
    ending_.kind = Ending::LogEnded;
    return false;
  }
  if (r->tag != FL_LOG_VALUE || r->id != op.function->globalId(op.index) ||
      r->size > uint64_t(op.dstWords) * 8) {
    if (r->tag == FL_LOG_FAULT && isHere(*r)) return m_.exit = Exit::Fault, false;
    diverge("the result of an instruction that replay does not compute");
    return false;
  }
  if (op.dst != fir::kNone) {
    std::memset(w + op.dst, 0, size_t(op.dstWords) * 8);
    std::memcpy(w + op.dst, r->bytes, r->size);
  }
  pop();
  return true;
}

std::string Engine::describe(const Record* r) const {
  if (!r) return log_.damage().empty() ? "the end of the log" : log_.damage();
  std::string text = tagName(r->tag);
  if (r->hasEpoch()) text += fmt::format(", epoch {}", r->epoch);
  uint64_t id = r->tag == FL_LOG_MODULE || r->tag == FL_LOG_SYMBOLS ? kNever : r->id;
  switch (r->tag) {
  case FL_LOG_FAULT:
  case FL_LOG_SIGNAL:
    return text + fmt::format(", signal {}", r->signal);
  case FL_LOG_SWITCH:
    return text + fmt::format(", to thread {}", r->thread);
  case FL_LOG_EXIT:
  case FL_LOG_EXEC:
  case FL_LOG_FINAL:
    return text;
  default:
    break;
  }
  if (const LoadedModule* module = program_.moduleOf(id))
    text += ", " + describeInstruction(*module, uint32_t(id - module->base));
  return text;
}

void Engine::diverge(std::string expected) {
  if (error_) return;
  divergence_ = Divergence{current(), std::move(expected), describe(peek())};
  const Instance& at = divergence_->at;
  std::string where = at.module ? describeInstruction(*at.module, at.local) : "outside of instrumented code";
  error_ = errorf("replay left the recorded run in {}, instruction {}, epoch {}: expected {}, the log has {}",
                  where, at.time, at.epoch, divergence_->expected, divergence_->found);
}

void Engine::fail(Error error) {
  if (!error_) error_ = std::move(error);
}

bool Engine::memoryFailed() {
  if (m_.memory.error() == MemoryError::LimitReached)
    fail(errorf("the replayed program needs more than {} MiB of memory; give replay a higher limit",
                m_.memory.limit() >> 20));
  else
    diverge(fmt::format("no access to address {:#x}, where no memory can be", m_.memory.errorAddress()));
  return false;
}

} // namespace faultline::replay

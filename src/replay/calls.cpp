// Frames: calls between functions that have FIR, and their returns.
#include "program/operands.h"
#include "replay/decoder.h"
#include "replay/engine.h"
#include "replay/tracer.h"

#include "abi/state.h"

namespace faultline::replay {

DecodedFunction* Engine::functionFor(CodeTarget target) {
  auto& slot = target.module->functions[target.function];
  if (!slot) {
    slot = std::make_unique<DecodedFunction>();
    slot->module = target.module;
    slot->number = target.function;
    const fir::Function& f = target.module->image->functions[target.function];
    slot->fir = &f;
    slot->words = f.words;
    slot->frameSize = f.frameSize;
    slot->frameAlign = f.frameAlign;
    slot->guardOffset = f.guardOffset;
  }
  return slot.get();
}

bool Engine::prepare(DecodedFunction& f) {
  if (f.ready) return true;
  if (f.error.empty())
    decodeFunction(f, m_.cells, [this](uint64_t address) -> DecodedFunction* {
      CodeTarget target = program_.functionAt(address);
      return target ? functionFor(target) : nullptr;
    });
  if (!f.ready) fail(Error{f.error});
  if (f.ready && m_.tracer) m_.tracer->attach(f);
  return f.ready;
}

// Pushes a frame; its words are as they were left. The thread then stands before the function's entry.
bool Engine::push(DecodedFunction& f, Frame::Kind kind, uint32_t resume) {
  if (!prepare(f)) return false;
  Thread& thread = t();
  size_t start = thread.wordCount();
  // Frames count as well: a function may have no words, and recurse without end all the same.
  size_t frames = (thread.depth + 1) * sizeof(Frame) / sizeof(uint64_t);
  if (start + frames + f.words + kArgumentRoom > options_.stackWordsLimit)
    return fail(errorf(
               "the replayed program's stack has {} frames and {} MiB of words; that is over the limit",
               thread.depth, start >> 17)),
           false;
  thread.frames.reserve(thread.depth + 2);
  thread.words.reserve(start + f.words + 2 * kArgumentRoom);
  uint64_t top = m_.frameTop;
  Frame& frame = thread.frames.data[thread.depth++];
  frame = Frame{&f, nullptr, start, top, top, m_.epoch, fir::kNone, resume, kind};
  m_.frame = &frame;
  m_.frameLimit = thread.frames.data + thread.frames.capacity;
  m_.wordsLimit = thread.words.data + thread.words.capacity - kArgumentRoom;
  thread.place = Place::EpochPoint;
  thread.position = 0;
  if (m_.observer) m_.observer->onCall(f, kind != Frame::Called);
  if (m_.tracer && kind != Frame::Called) m_.tracer->onEnter(f, kind != Frame::FromOutside);
  return true;
}

void Engine::popFrame() {
  Thread& thread = t();
  m_.frameTop = m_.frame->topBefore;
  --thread.depth;
  --m_.frame;
}

void Engine::copyArguments(const CallSite& site, const DecodedFunction& f, const uint64_t* from,
                           uint64_t* to) {
  std::span<const fir::Argument> arguments = f.module->image->argumentsOf(*f.fir);
  for (size_t k = 0; k < arguments.size(); ++k) {
    uint32_t words = f.module->image->types[arguments[k].type].words;
    uint64_t* at = to + arguments[k].word;
    if (k >= site.arguments.size()) {
      std::memset(at, 0, size_t(words) * 8); // the call passes fewer than the function takes
      continue;
    }
    const Source& source = site.arguments[k];
    if (words == 1 && (source.constant || source.word < site.function->words)) { // nearly all are
      *at = *source.at(from);
      continue;
    }
    fir::Operand operand = site.function->module->image->operandsOf(*site.instruction)[k + 1];
    const fir::Image& image = *site.function->module->image;
    uint32_t available = 1;
    if (!source.constant)
      available = site.function->words - source.word;
    else if (fir::operandKind(operand) == fir::OperandKind::Constant)
      if (uint32_t wide = image.constants[fir::operandIndex(operand)].wide; wide != fir::kNone)
        available = uint32_t(std::min<size_t>(image.wideWords.size() - wide, words));
    uint32_t taken = std::min(words, available);
    std::memcpy(at, source.at(from), size_t(taken) * 8);
    std::memset(at + taken, 0, size_t(words - taken) * 8);
  }
}

void Engine::call(const CallSite& site, bool argumentsReady) {
  Thread& thread = t();
  const uint64_t number = site.globalId() + 2;
  // The run may have taken a function for an outside one that we know, if it got there through a stub.
  const Record* r = peek();
  bool entered = r && r->tag == FL_LOG_ENTER && isHere(*r) && r->site == number;
  DecodedFunction* target = nullptr;
  if ((site.kind == fir::CallKind::Inside || site.kind == fir::CallKind::Either) && site.info && !entered) {
    if (argumentsReady) {
      target = site.target;
    } else {
      uint64_t address = site.callee.value(m_.w);
      if (!site.target || site.targetAddress != address) {
        CodeTarget found = program_.functionAt(address);
        site.target = found ? functionFor(found) : nullptr;
        site.targetAddress = address;
      }
      target = site.target;
    }
  }
  ++m_.steps;
  m_.frame->site = &site;
  if (!target) {
    thread.place = Place::Outside;
    if (listener_ && site.info) listener_->onOutsideCall({*this, site, m_.w});
    if (m_.tracer) m_.tracer->onOutsideCall({*this, site, m_.w}, running_, thread.depth);
    return;
  }
  size_t caller = m_.frame->words;
  if (!push(*target, Frame::Called)) return;
  if (!argumentsReady)
    copyArguments(site, *target, thread.words.data + caller, thread.words.data + m_.frame->words);
}

void Engine::returnsToOutside(const DecodedFunction& f) {
  if (listener_) listener_->onReturnToOutside(current());
  const fir::Image& image = *f.module->image;
  if (f.fir->symbol < image.symbols.size() && image.string(image.symbols[f.fir->symbol].name) == "main")
    mainReturn_ = m_.steps;
}

// A function returns: to its caller, to outside code, or to where a signal had interrupted.
void Engine::returnFrom(bool ready) {
  Frame frame = *m_.frame;
  const DecodedFunction& f = *frame.function;
  const fir::Instruction& i = f.instruction(t().position);
  uint64_t guard = FL_FRAME_GUARD;
  const Record* r = peek();
  bool smashed = r && r->tag == FL_LOG_SMASHED && isHere(*r) && r->id == currentId();
  if (f.guardOffset != fir::kNone && !smashed) m_.memory.load(frame.base + f.guardOffset, guard);
  if (smashed) {
    // The program says so and aborts: as if the return were an outside call that does not come back.
    pop();
    ending_.smashed = true;
    m_.frame->site = static_cast<const CallSite*>(f.plain[t().position].pointer);
    ++m_.steps;
    t().place = Place::Outside;
    return;
  }
  if (guard != FL_FRAME_GUARD) return diverge("the report of an overwritten guard word");
  uint32_t words = i.operandCount ? f.module->image->types[i.type].words : 0;
  const uint64_t* value = &m_.returnValue;
  if (!ready && words) {
    fir::Operand o = f.module->image->operandsOf(i)[0];
    uint32_t index = fir::operandIndex(o);
    bool constant = fir::operandKind(o) == fir::OperandKind::Constant;
    uint32_t wide = constant ? f.module->image->constants[index].wide : fir::kNone;
    value = !constant            ? m_.w + index
            : wide == fir::kNone ? &f.module->constants[index]
                                 : &f.module->image->wideWords[wide];
  }
  if (frame.kind == Frame::FromOutside) returnsToOutside(f);
  ++m_.steps;
  if (m_.observer) m_.observer->onReturn();
  popFrame();
  if (m_.tracer && frame.kind != Frame::Called) m_.tracer->onLeave();
  switch (frame.kind) {
  case Frame::Called: {
    const CallSite& site = *m_.frame->site;
    if (m_.tracer) m_.tracer->onReturn(site);
    if (site.dst != fir::kNone && words == 1 && site.resultWords == 1)
      wordsOf(*m_.frame)[site.dst] = *value;
    else if (site.dst != fir::kNone)
      std::memmove(wordsOf(*m_.frame) + site.dst, value, size_t(std::min(words, site.resultWords)) * 8);
    return goTo(site.plainResume);
  }
  case Frame::FromOutside:
    t().place = Place::Outside;
    return;
  case Frame::SignalAtEpoch:
  case Frame::SignalAtFault:
    t().place = frame.kind == Frame::SignalAtEpoch ? Place::EpochPoint : Place::Code;
    t().position = frame.resume;
    return;
  }
}

} // namespace faultline::replay

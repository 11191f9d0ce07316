#include "depend/memory_walk.h"

#include "depend/bits.h"
#include "program/operands.h"

#include <algorithm>
#include <bit>

namespace faultline::depend {

using replay::TraceEvent;
using replay::TraceOther;

namespace {

constexpr uint64_t kLargest = uint64_t(1) << 32; // bytes of a copy that is followed
constexpr size_t kReads = 4096;

// Nobody has given any of the value, rather than some bits of it.
bool isWhole(uint64_t undefined) { return undefined && (undefined & (undefined + 1)) == 0; }

// Bits of the result that nobody has given, of those of one operand. Where it takes the operands' values to
// tell, a value that is only partly without a giver counts as given: better to miss one than to cry wolf.
uint64_t reached(const Use& use, uint64_t m, bool isAlone) {
  if (!m) return 0;
  switch (use.flow) {
  case Flow::Same:
    return isAlone || isWhole(m) ? m : 0;
  case Flow::Chosen:
    return m;
  case Flow::Carry:
    return ~lowBits(uint64_t(std::countr_zero(m)));
  case Flow::Mask:
    return m & use.parameter;
  case Flow::Up:
  case Flow::UpSigned:
    return use.parameter < 64 ? m >> use.parameter : 0;
  case Flow::Down:
    return use.parameter < 64 ? m << use.parameter : 0;
  case Flow::Extend:
    return m & lowBits(use.parameter);
  case Flow::ExtendSigned:
    return (m & lowBits(use.parameter)) | (m >> (use.parameter - 1) & 1 ? ~lowBits(use.parameter) : 0);
  default:
    return isWhole(m) ? kAllBits : 0;
  }
}

} // namespace

uint64_t firstOutside(const MemoryError& error) {
  if (!error.object || error.address < error.object->start) return error.address;
  return std::max(error.address, error.object->start + error.object->size);
}

MemoryWalk::MemoryWalk(RunCode& code, const replay::Program& program, MemoryWalkOptions options)
    : options_(options), code_(code, program, objects_), reads_(kReads) {}

void MemoryWalk::begin(const std::map<uint32_t, std::vector<StackFunction>>& stacks, uint32_t thread) {
  for (auto& [number, functions] : stacks) {
    Thread& t = threads_[number];
    for (const StackFunction& f : functions) {
      if (f.isAtStart) continue; // its first segment pushes it
      Frame frame;
      frame.function = &code_.function(f.module, f.function);
      frame.words = t.words.size();
      t.words.resize(t.words.size() + frame.function->words + 1);
      t.stack.push_back(std::move(frame));
    }
  }
  threadNumber_ = thread;
  thread_ = &threads_[thread];
}

void MemoryWalk::walk(const replay::Trace& trace, const Effects& effects) {
  code_.learnModules([&](uint64_t address, Provenance p) { memory_.store(address, 8, {p, 0}); });
  const uint64_t* words = trace.words.data();
  time_ = trace.start;
  for (size_t k = 0; k < trace.events.size(); ++k) {
    uint32_t event = trace.events[k], number = replay::eventNumber(event);
    switch (replay::eventKind(event)) {
    case TraceEvent::Segment: {
      const SegmentCode& code = *code_.segment(number).code;
      segment(number, 0, code.count, {words, 0});
      words += code.traceWords;
      break;
    }
    case TraceEvent::Return: {
      const PointerStep& call = code_.segment(number).steps.back();
      pop();
      if (thread_->stack.empty()) break;
      Word* w = thread_->words.data() + thread_->stack.back().words;
      for (uint32_t j = 0; j < call.words; ++j)
        w[call.dst + j] = j < thread_->result.size() ? thread_->result[j] : Word{};
      break;
    }
    case TraceEvent::Other: {
      const TraceOther& o = trace.others[number];
      if (o.kind != TraceOther::Part) {
        other(o, effects);
        break;
      }
      const SegmentCode& code = *code_.segment(o.segment).code;
      uint32_t to = o.from + o.count, before = code.steps[o.from].traced;
      segment(o.segment, o.from, to, {words, before});
      words += (to < code.count ? code.steps[to].traced : code.traceWords) - before;
      break;
    }
    }
  }
  time_ = trace.end;
}

void MemoryWalk::other(const TraceOther& o, const Effects& effects) {
  switch (o.kind) {
  case TraceOther::Outside:
    return outsideCall(o, o.number == replay::kNoCall ? nullptr : effects(o.number));
  case TraceOther::Enter:
    // What the call at hand was given, outside code may have written by now.
    if (!thread_->stack.empty() && thread_->stack.back().calling && !o.from) {
      Frame& frame = thread_->stack.back();
      frame.isCalledBack = true;
      const PointerStep& call = frame.calling->steps.back();
      std::vector<Provenance> open;
      for (uint32_t n = 0; n < call.count; ++n) {
        const PointerOperand& a = frame.calling->operands[call.more + n];
        open.push_back(thread_->words[frame.words + a.word].from | a.constant);
      }
      escape(std::move(open), onlyMoves(*frame.calling));
    }
    thread_->fromOutside = true;
    return;
  case TraceOther::Leave:
  case TraceOther::Unwound:
    return pop();
  case TraceOther::Switch:
    threadNumber_ = o.count;
    thread_ = &threads_[o.count];
    return;
  case TraceOther::OutsideWrite:
    return memory_.define(o.address, o.size);
  case TraceOther::VariableArguments:
    lists_.push_back(&o);
    return;
  default:
    return;
  }
}

// ---- frames

void MemoryWalk::push(const PointerSegment& first) {
  Thread& t = *thread_;
  Frame frame;
  frame.function = first.function;
  const PointerFunction& f = *frame.function;
  const Frame* caller = t.stack.empty() || t.fromOutside ? nullptr : &t.stack.back();
  frame.words = t.stack.empty() ? 0 : t.stack.back().words + t.stack.back().function->words + 1;
  frame.locals = t.locals.size();
  size_t needed = frame.words + f.words + 1;
  if (t.words.size() < needed) t.words.resize(std::max(needed, t.words.size() * 2));
  Word* w = t.words.data() + frame.words;
  w[f.words] = {};
  // A temporary is always given its value before it is used; a variable may not be.
  for (uint32_t v : f.variables) w[v] = options_.undefined ? Word{kUndefinedTag, kAllBits} : Word{};
  const PointerStep* call = caller && caller->calling ? &caller->calling->steps.back() : nullptr;
  for (uint32_t n = 0; n < f.arguments.size(); ++n) {
    auto [first, count] = f.arguments[n];
    const PointerOperand* a = call && n < call->count ? &caller->calling->operands[call->more + n] : nullptr;
    bool isConstant = a && a->word == caller->function->words;
    for (uint32_t j = 0; j < count; ++j) {
      w[first + j] = {};
      if (!a) continue;
      if (!isConstant) w[first + j] = t.words[caller->words + a->word + j];
      if (j == 0 && a->constant) w[first] = {a->constant, 0};
    }
  }
  if (call && call->count > f.arguments.size()) {
    const SegmentCode& from = *caller->calling->code;
    for (uint32_t n = uint32_t(f.arguments.size()); n < call->count; ++n) {
      const PointerOperand& a = caller->calling->operands[call->more + n];
      Word value = t.words[caller->words + a.word];
      value.from |= a.constant;
      frame.variable.push_back(value);
      frame.variablePassed.push_back(Passed(from.uses[from.steps.back().firstUse + 1 + n].bytes));
    }
  }
  t.fromOutside = false;
  t.stack.push_back(std::move(frame));
}

void MemoryWalk::pop() {
  Thread& t = *thread_;
  if (t.stack.empty()) return;
  for (size_t k = t.stack.back().locals; k < t.locals.size(); ++k)
    objects_.end(t.locals[k], MemoryObject::Left, stepId_, stepTime_);
  t.locals.resize(t.stack.back().locals);
  t.stack.pop_back();
}

// ---- segments

void MemoryWalk::segment(uint32_t number, uint32_t from, uint32_t to, StepWords words) {
  const PointerSegment& segment = code_.segment(number);
  const SegmentCode& code = *segment.code;
  if (code.beginsFunction && from == 0) push(segment);
  if (thread_->stack.empty()) {
    time_ += to - from;
    return;
  }
  Frame& frame = thread_->stack.back();
  if (code.beginsBlock && from == 0) {
    frame.before = frame.current;
    frame.current = code.block;
  }
  Word* w = thread_->words.data() + frame.words;
  for (uint32_t k = from; k < to; ++k) {
    stepTime_ = time_ + (k - from);
    stepId_ = code.firstId + k;
    step(segment, k, words, w, frame);
  }
  lists_.clear();
  time_ += to - from;
}

void MemoryWalk::step(const PointerSegment& segment, uint32_t k, StepWords words, Word* w, Frame& frame) {
  const PointerStep& p = segment.steps[k];
  const Word &a = w[p.a.word], &b = w[p.b.word];
  const Step& s = segment.code->steps[k];
  auto valueOf = [&](const Place& place) { return place.isConstant ? place.constant : words[place.traced]; };
  switch (p.act) {
  case PointerAct::Nothing:
    return;
  case PointerAct::Clear:
    for (uint32_t j = 0; j < p.words; ++j) w[p.dst + j] = {};
    return;
  case PointerAct::Move:
    if (p.words == 1) [[likely]] {
      w[p.dst] = {a.from | p.a.constant, a.undefined};
      return;
    }
    for (uint32_t j = 0; j < p.words; ++j)
      w[p.dst + j] = p.a.word == segment.functionWords ? Word{} : w[p.a.word + j];
    return;
  case PointerAct::Read:
    for (uint32_t j = 0; j < p.words; ++j) {
      Word value = w[p.a.word + j];
      if (value.undefined) [[unlikely]] {
        value.undefined &= lowBits(p.count);
        value = value.from == kUndefinedTag ? readUndefined(value.undefined, 0, 8) : value;
      }
      w[p.dst + j] = value;
    }
    return;
  case PointerAct::Join: {
    if (a.undefined | b.undefined) [[unlikely]]
      return undefinedResult(segment, k, w, frame);
    Provenance x = a.from | p.a.constant, y = b.from | p.b.constant;
    w[p.dst] = {x && y ? kManyObjects : x | y, 0};
    return;
  }
  case PointerAct::Difference: {
    if (a.undefined | b.undefined) [[unlikely]]
      return undefinedResult(segment, k, w, frame);
    Provenance x = a.from | p.a.constant, y = b.from | p.b.constant;
    w[p.dst] = {!y ? x : x == y && isObject(x) ? kNoObject : kManyObjects, 0};
    return;
  }
  case PointerAct::Distance: {
    if (a.undefined | b.undefined) [[unlikely]]
      return undefinedResult(segment, k, w, frame);
    Provenance x = a.from | p.a.constant, y = b.from | p.b.constant;
    w[p.dst] = {x == y && x != kManyObjects ? kNoObject : kManyObjects, 0};
    return;
  }
  case PointerAct::Number:
    if (a.undefined | b.undefined) [[unlikely]]
      return undefinedResult(segment, k, w, frame);
    w[p.dst] = {a.from == kManyObjects || b.from == kManyObjects ? kManyObjects : kNoObject, 0};
    return;
  case PointerAct::Element: {
    if (a.undefined | b.undefined) [[unlikely]]
      return undefinedResult(segment, k, w, frame);
    Provenance x = a.from | p.a.constant;
    w[p.dst] = {b.from ? kManyObjects : x, 0};
    return;
  }
  case PointerAct::Many:
  case PointerAct::Elements: {
    uint64_t undefined = a.undefined;
    bool isMixed = false;
    for (uint32_t n = p.more; n < p.more + p.count; ++n) {
      const Word& x = w[segment.operands[n].word];
      undefined |= x.undefined;
      isMixed |= p.act == PointerAct::Elements ? x.from != kNoObject : x.from == kManyObjects;
    }
    if (undefined) [[unlikely]]
      return undefinedResult(segment, k, w, frame);
    Provenance x = p.act == PointerAct::Elements ? a.from | p.a.constant : kNoObject;
    for (uint32_t j = 0; j < p.words; ++j) w[p.dst + j] = {isMixed ? kManyObjects : j ? kNoObject : x, 0};
    return;
  }
  case PointerAct::Load:
    return load(segment, k, words, w);
  case PointerAct::Store:
    return store(segment, k, words, w);
  case PointerAct::Copy:
    return copy(segment, k, words, w);
  case PointerAct::Fill:
    return fill(segment, k, words, w);
  case PointerAct::Update:
  case PointerAct::Exchange:
    return exchange(segment, k, words, w);
  case PointerAct::Select: {
    bool isFirst = valueOf(s.address) & 1;
    const PointerOperand& chosen = isFirst ? p.a : p.b;
    for (uint32_t j = 0; j < p.words; ++j)
      w[p.dst + j] = chosen.word == segment.functionWords ? Word{j ? kNoObject : chosen.constant, 0}
                                                          : w[chosen.word + j];
    return;
  }
  case PointerAct::Phi:
    if (k == 0 || segment.steps[k - 1].act != PointerAct::Phi) phis(segment, k, w, frame);
    return;
  case PointerAct::Branch:
    if (a.undefined) [[unlikely]]
      useUndefined(a, MemoryError::Branch, 0, {});
    return;
  case PointerAct::Call:
    frame.calling = &segment;
    frame.isCalledBack = false;
    return;
  case PointerAct::Return:
    thread_->result.clear();
    for (uint32_t j = 0; j < p.words; ++j)
      thread_->result.push_back(p.a.word == segment.functionWords ? Word{j ? kNoObject : p.a.constant, 0}
                                                                  : w[p.a.word + j]);
    return;
  case PointerAct::Local:
    return p.words ? local(p, words[s.traced], p.more, w, false) : void();
  case PointerAct::Dynamic: {
    // The trace has the count, unless that is a constant, and then the address.
    bool isConstant = p.a.word == segment.functionWords;
    uint64_t elements = isConstant ? p.count : words[s.traced];
    return local(p, words[s.traced + (isConstant ? 0 : 1)], elements * p.more, w, true);
  }
  case PointerAct::VariableList:
    return variableList(frame);
  case PointerAct::Extract:
    return extract(p, s, w);
  case PointerAct::Insert:
    return insert(p, w);
  }
}

// All phis of a block read before any of them is written.
void MemoryWalk::phis(const PointerSegment& segment, uint32_t first, Word* w, const Frame& frame) {
  std::vector<Word> values;
  uint32_t end = first;
  for (; end < segment.steps.size() && segment.steps[end].act == PointerAct::Phi; ++end) {
    const PointerStep& p = segment.steps[end];
    const PointerOperand* chosen = nullptr;
    for (uint32_t n = p.more; n < p.more + p.count && !chosen; ++n)
      if (segment.blocks[n] == frame.before) chosen = &segment.operands[n];
    for (uint32_t j = 0; j < p.words; ++j) {
      if (!chosen)
        values.push_back({});
      else if (chosen->word == segment.functionWords)
        values.push_back({j ? kNoObject : chosen->constant, 0});
      else
        values.push_back(w[chosen->word + j]);
    }
  }
  size_t next = 0;
  for (uint32_t k = first; k < end; ++k)
    for (uint32_t j = 0; j < segment.steps[k].words; ++j) w[segment.steps[k].dst + j] = values[next++];
}

// ---- accesses

void MemoryWalk::load(const PointerSegment& segment, uint32_t k, StepWords words, Word* w) {
  const PointerStep& p = segment.steps[k];
  const Step& s = segment.code->steps[k];
  uint64_t address = s.address.isConstant ? s.address.constant : words[s.address.traced];
  if (!p.isSafe) check(w[p.a.word].from | p.a.constant, address, s.bytes, false);
  for (uint32_t j = 0, left = s.bytes; j < p.words; ++j) {
    uint32_t size = std::min(left, 8u);
    Word value = size ? memory_.load(address + 8 * j, size) : Word{};
    if (value.undefined) [[unlikely]]
      value = readUndefined(value.undefined, address, s.bytes);
    w[p.dst + j] = value;
    left -= size;
  }
}

void MemoryWalk::store(const PointerSegment& segment, uint32_t k, StepWords words, const Word* w) {
  const PointerStep& p = segment.steps[k];
  const Step& s = segment.code->steps[k];
  uint64_t address = s.address.isConstant ? s.address.constant : words[s.address.traced];
  if (!p.isSafe) check(w[p.a.word].from | p.a.constant, address, s.bytes, true);
  bool isConstant = p.b.word == segment.functionWords;
  for (uint32_t j = 0, left = s.bytes; left; ++j) {
    uint32_t size = std::min(left, 8u);
    Word value = isConstant ? Word{j ? kNoObject : p.b.constant, 0} : j < p.words ? w[p.b.word + j] : Word{};
    if (isUndefined(value.from)) value.from = kNoObject;
    memory_.store(address + 8 * j, size, value);
    left -= size;
  }
}

void MemoryWalk::exchange(const PointerSegment& segment, uint32_t k, StepWords words, Word* w) {
  const PointerStep& p = segment.steps[k];
  const Step& s = segment.code->steps[k];
  uint64_t address = s.address.isConstant ? s.address.constant : words[s.address.traced];
  check(w[p.a.word].from | p.a.constant, address, s.bytes, true);
  bool isExchange = p.act == PointerAct::Exchange, isSwap = !isExchange && s.parameter == 0;
  Word value = isExchange || isSwap ? w[p.b.word] : Word{};
  value.from |= p.b.constant;
  Word old = s.bytes <= 8 ? memory_.load(address, s.bytes) : Word{};
  bool stores = !isExchange || s.source.isConstant || words[s.source.traced] >> s.parameter % 8 * 8 & 1;
  if (stores && s.bytes <= 8)
    memory_.store(address, s.bytes, {isUndefined(value.from) ? kNoObject : value.from, 0});
  else if (stores)
    memory_.define(address, s.bytes);
  for (uint32_t j = 0; j < p.words; ++j) w[p.dst + j] = {j ? kNoObject : old.from, 0};
}

void MemoryWalk::copy(const PointerSegment& segment, uint32_t k, StepWords words, Word* w) {
  const PointerStep& p = segment.steps[k];
  const Step& s = segment.code->steps[k];
  auto valueOf = [&](const Place& place) { return place.isConstant ? place.constant : words[place.traced]; };
  uint64_t to = valueOf(s.address), from = valueOf(s.source), size = valueOf(s.size);
  Provenance source = w[p.b.word].from | p.b.constant, target = w[p.a.word].from | p.a.constant;
  if (size) {
    check(source, from, size, false);
    check(target, to, size, true);
    if (size < kLargest) memory_.copy(to, from, size);
  }
  if (p.words) w[p.dst] = {target, w[p.a.word].undefined};
}

void MemoryWalk::fill(const PointerSegment& segment, uint32_t k, StepWords words, Word* w) {
  const PointerStep& p = segment.steps[k];
  const Step& s = segment.code->steps[k];
  uint64_t to = s.address.isConstant ? s.address.constant : words[s.address.traced];
  uint64_t size = s.size.isConstant ? s.size.constant : words[s.size.traced];
  Provenance target = w[p.a.word].from | p.a.constant;
  if (size) {
    check(target, to, size, true);
    if (size < kLargest) memory_.define(to, size);
  }
  if (p.words) w[p.dst] = {target, w[p.a.word].undefined};
}

void MemoryWalk::local(const PointerStep& p, uint64_t address, uint64_t size, Word* w, bool isDynamic) {
  Thread& t = *thread_;
  // A variable of variable size, made anew in a loop, lies where the last one did.
  while (isDynamic && t.locals.size() > t.stack.back().locals) {
    const MemoryObject* last = objects_.find(t.locals.back());
    if (!last || last->start >= address + size || address >= last->start + last->size) break;
    objects_.end(t.locals.back(), MemoryObject::Left, stepId_, stepTime_);
    t.locals.pop_back();
  }
  Provenance made = objects_.make(
      {.start = address, .kind = MemoryObject::Local, .size = size, .madeAt = stepTime_, .madeBy = stepId_});
  t.locals.push_back(made);
  if (options_.undefined && size <= kLargestObject)
    memory_.undefine(address, size);
  else
    memory_.define(address, std::min(size, kLargest));
  w[p.dst] = {made, 0};
}

void MemoryWalk::extract(const PointerStep& p, const Step& s, Word* w) {
  bool isWhole = p.more % 8 == 0;
  uint32_t first = p.a.word + p.more / 8;
  for (uint32_t j = 0; j < p.words; ++j) {
    Word value = w[first + j];
    if (!isWhole) value = {kNoObject, value.undefined >> p.more % 8 * 8};
    if (!value.undefined && isUndefined(value.from)) value.from = kNoObject;
    if (!isWhole && value.undefined) value.from = kUndefinedTag;
    w[p.dst + j] = value;
  }
}

void MemoryWalk::insert(const PointerStep& p, Word* w) {
  bool isConstant = p.b.constant != kNoObject;
  Word value = w[p.b.word];
  if (isConstant) value = {p.b.constant, 0};
  for (uint32_t j = 0; j < p.words; ++j) w[p.dst + j] = w[p.a.word + j];
  uint32_t at = p.dst + p.more / 8;
  if (p.more % 8 == 0 && p.count == 8) {
    w[at] = value;
    return;
  }
  // Of a part of a word: what the rest of it lacks is forgotten.
  for (uint32_t j = 0; j * 8 < p.count; ++j) w[at + j] = {};
}

// Arguments lie where machine code has put them.
void MemoryWalk::variableList(Frame& frame) {
  if (lists_.empty()) return;
  const TraceOther& o = *lists_.front();
  lists_.erase(lists_.begin());
  memory_.define(o.number, 24);
  memory_.define(o.address, 176);
  uint32_t general = o.from / 8, floating = (std::max(o.count, 48u) - 48) / 16, stack = 0;
  for (uint32_t n = 0; n < frame.variable.size(); ++n) {
    uint64_t address;
    switch (frame.variablePassed[n]) {
    case Passed::General:
      address = general < 6 ? o.address + 8 * general++ : o.size + 8 * stack++;
      break;
    case Passed::Floating:
      address = floating < 8 ? o.address + 48 + 16 * floating++ : o.size + 8 * stack++;
      break;
    default:
      stack += stack % 2;
      address = o.size + 8 * stack;
      stack += 2;
      memory_.define(address, 16);
      continue;
    }
    Provenance from = frame.variable[n].from;
    memory_.store(address, 8, {isUndefined(from) ? kNoObject : from, 0});
  }
}

// ---- values that nobody has given

MemoryWalk::Word MemoryWalk::readUndefined(uint64_t undefined, uint64_t address, uint64_t size) {
  if (!options_.undefined) return {};
  uint64_t number = readCount_++ % kReads;
  reads_[number] = {stepTime_, address, size, stepId_};
  return {kUndefinedTag | (number + 1), undefined};
}

void MemoryWalk::undefinedResult(const PointerSegment& segment, uint32_t k, Word* w, const Frame&) {
  const PointerStep& p = segment.steps[k];
  const Step& s = segment.code->steps[k];
  Provenance from = kUndefinedTag;
  std::vector<uint64_t> out(std::max<uint32_t>(1, p.words));
  for (uint32_t j = 0; j < s.useCount; ++j) {
    const Use& use = segment.code->uses[s.firstUse + j];
    for (uint32_t n = 0; n < use.words; ++n) {
      const Word& x = w[use.word + n];
      uint64_t m = reached(use, x.undefined, s.useCount == 1);
      if (!m) continue;
      from = x.from;
      bool isSame = use.flow == Flow::Same && p.words > 1;
      for (uint32_t d = 0; d < p.words; ++d)
        if (!isSame || d == n) out[d] |= m;
    }
  }
  for (uint32_t d = 0; d < p.words; ++d) w[p.dst + d] = out[d] ? Word{from, out[d]} : Word{};
}

void MemoryWalk::useUndefined(Word word, MemoryError::Use use, uint32_t argument,
                              const std::string& function) {
  MemoryError error{.kind = MemoryError::Uninitialised, .time = stepTime_, .id = stepId_};
  error.use = use;
  error.argument = argument;
  error.function = function;
  uint64_t number = word.from & 0xffffffff;
  if (isUndefined(word.from) && number) {
    const Read& read = reads_[(number - 1) % kReads];
    error.readAt = read.time;
    error.readBy = read.id;
    error.readAddress = read.address;
    error.readSize = read.size;
  } else {
    return; // nobody can say what was read
  }
  add(std::move(error));
}

// ---- errors

void MemoryWalk::doubt(Provenance p, uint64_t address, uint64_t size, bool isWrite,
                       const std::string& function) {
  if (isUndefined(p)) return useUndefined({p, kAllBits}, MemoryError::Address, 0, function);
  if (!isObject(p) || size == 0) return;
  MemoryError error{.isWrite = isWrite, .time = stepTime_, .id = stepId_, .address = address, .size = size};
  error.function = function;
  const MemoryObject* o = objects_.find(p);
  if (o) error.object = *o;
  switch (o ? o->state : MemoryObject::Left) {
  case MemoryObject::Unknown:
    return;
  case MemoryObject::Freed:
    error.kind = MemoryError::Freed;
    break;
  case MemoryObject::Moved:
    error.kind = MemoryError::Moved;
    break;
  case MemoryObject::Left:
    error.kind = o ? MemoryError::Returned : MemoryError::Freed;
    break;
  case MemoryObject::Alive: {
    if (address >= o->start && address - o->start <= o->size && size <= o->size - (address - o->start))
      return;
    // Text is often looked at a word at a time, up to the word that has its end.
    bool touches = address < o->start + o->size && o->start < address + size;
    if (!isWrite && touches && size == 8 && address % 8 == 0) return;
    error.kind = MemoryError::Outside;
  }
  }
  add(std::move(error));
}

void MemoryWalk::add(MemoryError error) {
  error.thread = threadNumber_;
  if (isDone() || !told_.insert({error.id, uint8_t(error.kind)}).second) return;
  if (error.kind == MemoryError::Outside)
    if (Provenance other = objects_.blockAround(firstOutside(error))) error.other = *objects_.find(other);
  errors_.push_back(std::move(error));
}

} // namespace faultline::depend

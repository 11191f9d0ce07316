#include "depend/instance_window.h"

#include "program/operands.h"
#include "replay/decoded.h"

#include <algorithm>

namespace faultline::depend {

using fir::Op;

void WriterMap::write(uint64_t address, uint64_t size, Maker maker) {
  while (size) {
    uint64_t number = address / kPage, in = address % kPage, count = std::min(size, kPage - in);
    Page& page = pages_[number];
    if (count == kPage) {
      page.all = maker;
      page.bytes.reset();
    } else {
      if (!page.bytes) {
        page.bytes = std::make_unique<std::array<Maker, kPage>>();
        page.bytes->fill(page.all);
      }
      std::fill_n(page.bytes->begin() + ptrdiff_t(in), count, maker);
    }
    address += count;
    size -= count;
  }
}

Maker WriterMap::at(uint64_t address) const {
  auto it = pages_.find(address / kPage);
  if (it == pages_.end()) return kMadeBefore;
  return it->second.bytes ? (*it->second.bytes)[address % kPage] : it->second.all;
}

uint64_t WriterMap::run(uint64_t address, uint64_t most, Maker maker) const {
  uint64_t count = 0;
  while (count < most) {
    uint64_t here = address + count, left = std::min(most - count, kPage - here % kPage);
    auto it = pages_.find(here / kPage);
    const Page* page = it == pages_.end() ? nullptr : &it->second;
    if (!page || !page->bytes) {
      if ((page ? page->all : kMadeBefore) != maker) return count;
      count += left;
      continue;
    }
    for (uint64_t k = 0; k < left; ++k, ++count)
      if ((*page->bytes)[here % kPage + k] != maker) return count;
  }
  return count;
}

size_t InstanceWindow::bytes() const {
  return records.size() * sizeof(InstanceRecord) + makers.size() * 4 +
         accesses.size() * sizeof(MemoryAccess) + pieces.size() * sizeof(MemoryPiece) +
         frames.size() * sizeof(InstanceFrame) + (branches.size() + writes.size()) * 4;
}

namespace {

// Effects of outside calls, with a note of those that are over.
class Effects : public replay::TraceListener {
public:
  explicit Effects(const CallModels& models) : calls(models) {}
  uint64_t onOutsideCall(const replay::OutsideCall& call) override { return calls.onOutsideCall(call); }
  void onOutsideWrite(uint64_t address, uint64_t size) override { calls.onOutsideWrite(address, size); }
  uint64_t onOutsideReturn(const replay::OutsideCall& call, uint64_t number, std::span<const uint64_t> result,
                           bool returned) override {
    uint64_t got = calls.onOutsideReturn(call, number, result, returned);
    over.push_back(got);
    return got;
  }
  void onVariableArguments(uint64_t saved, uint32_t general, uint32_t floating, uint64_t stack) override {
    if (variable) variable(saved, general, floating, stack);
  }
  OutsideCalls calls;
  std::vector<uint64_t> over;
  std::function<void(uint64_t saved, uint32_t general, uint32_t floating, uint64_t stack)> variable;
};

class Recorder : public replay::Observer {
public:
  Recorder(History& history, Effects& effects, InstanceWindow& window)
      : code_(history.code()), effects_(effects), w_(window) {
    isRunStart_ = window.start == history.replay().start();
    effects.variable = [this](uint64_t saved, uint32_t general, uint32_t floating, uint64_t stack) {
      passVariadic(saved, general, floating, stack);
    };
  }

  // The stacks as the replay has them now.
  void begin(const replay::Replay& replay) {
    thread_ = replay.thread();
    for (uint32_t thread : replay.threads()) {
      std::vector<replay::FrameView> frames = replay.frames(thread);
      Stack& stack = stacks_[thread];
      for (size_t k = frames.size(); k-- > 0;) {
        const replay::FrameView& view = frames[k];
        Frame& frame = push(stack, view.module, view.function);
        InstanceFrame& info = w_.frames[frame.number];
        info.isFromOutside = view.fromOutside;
        info.call = kMadeBefore;
        if (k + 1 < frames.size() && !view.fromOutside) {
          const replay::FrameView& caller = frames[k + 1];
          info.callId = replay.program().modules()[caller.module]->base + caller.instruction;
        }
        std::fill(frame.words.begin(), frame.words.end(), kMadeBefore);
        frame.block = blockOf(frame, view.instruction);
      }
    }
  }

  void onInstruction(const replay::Instance& i, std::span<const uint64_t> words) override {
    Stack& stack = stacks_[thread_ = i.thread];
    applyEffects();
    if (stack.empty()) return;
    Frame& frame = stack.back();
    if (i.time < w_.start) return approach(frame, i);
    const fir::Image& image = *i.module->image;
    const fir::Instruction& instruction = image.instructions[i.local];
    if (isApproaching_) noteStart(stack, instruction.op == Op::Entry);
    isApproaching_ = false;
    takeResult(frame, words);
    current_ = Maker(i.time - w_.start);
    if (current_ >= w_.records.size()) w_.records.resize(current_ + 1);
    if (instruction.op == Op::Entry) takeArguments(frame, words);
    if (instruction.op == Op::Entry && w_.records[current_].id != fir::kNone) return enterHandler(stack);
    takeJump(frame, image, i.local, words);
    uint32_t block = blockOf(frame, i.local);
    bool begins = i.local == firstOf(frame, block);
    if (begins) {
      frame.previousEnd = frame.ends[frame.block];
      frame.previous = frame.block;
      if (instruction.op == Op::Phi) frame.before = frame.words;
    }
    frame.block = block;
    if (begins || frame.control == kMadeNowhere) frame.control = controlOf(frame, block);
    frame.current = current_;
    InstanceRecord& r = w_.records[current_];
    r.id = i.module->base + i.local;
    r.frame = frame.number;
    r.control = frame.control;
    r.firstMaker = uint32_t(w_.makers.size());
    use(frame, image, i, instruction, words, r);
    finish(frame, image, instruction, r);
  }

  void onLoad(uint64_t address, uint64_t size, const void*) override {
    if (isApproaching_ || current_ >= w_.records.size()) return;
    MemoryAccess& access = accessOf(current_);
    access.address = access.source = address;
    access.size = size;
    access.firstPiece = uint32_t(w_.pieces.size());
    w_.memory.forEach(address, size, [&](uint64_t offset, uint64_t count, Maker maker) {
      w_.pieces.push_back({uint32_t(offset), uint32_t(count), maker});
    });
    access.pieceCount = uint32_t(w_.pieces.size()) - access.firstPiece;
  }
  void onStore(uint64_t address, uint64_t size) override {
    if (isApproaching_ || current_ >= w_.records.size()) return;
    MemoryAccess& access = accessOf(current_);
    access.address = address;
    access.size = size;
    w_.memory.write(address, size, current_);
  }
  void onCall(const replay::DecodedFunction& callee, bool fromOutside) override {
    applyEffects();
    Stack& stack = stacks_[thread_];
    uint32_t callerFrame = stack.empty() ? fir::kNone : stack.back().number;
    Maker calling = stack.empty() ? kMadeNowhere : stack.back().calling;
    Frame& made = push(stack, callee.module->number, callee.number);
    InstanceFrame& info = w_.frames[made.number];
    if (isApproaching_) {
      info.isFromOutside = fromOutside;
      if (stack.size() > 1 && !fromOutside) info.callId = stack[stack.size() - 2].last;
      std::fill(made.words.begin(), made.words.end(), kMadeBefore);
      return;
    }
    info.isSeen = true;
    info.isFromOutside = fromOutside;
    info.call = callerFrame == fir::kNone ? kMadeNowhere : calling;
    if (info.call < kLastMaker) info.callId = w_.records[info.call].id;
    std::fill(made.words.begin(), made.words.end(), kMadeNowhere);
    if (fromOutside || info.call >= kLastMaker) {
      std::fill(made.words.begin(), made.words.end(), kMadeOutside);
      return;
    }
    const fir::Image& image = *callee.module->image;
    for (const fir::Argument& a : image.argumentsOf(*callee.fir))
      for (uint32_t j = 0; j < image.types[a.type].words; ++j)
        made.words[a.word + j] = info.call | kAsArgument;
  }
  void onReturn() override {
    Stack& stack = stacks_[thread_];
    if (stack.empty()) return;
    const InstanceFrame info = w_.frames[stack.back().number];
    Maker ret = stack.back().current;
    stack.pop_back();
    if (isApproaching_) return;
    if (stack.empty() || info.isFromOutside || info.callId == fir::kNone) return;
    RunCode::Where at = code_.where(info.callId);
    if (!at) return;
    const fir::Instruction& call = at.module->image->instructions[at.local];
    if (call.op != Op::Call || call.dst == fir::kNone) return;
    Frame& caller = stack.back();
    for (uint32_t j = 0; j < at.module->image->types[call.type].words; ++j)
      if (call.dst + j < caller.words.size()) caller.words[call.dst + j] = ret;
  }
  void onSwitch(uint32_t thread) override {
    applyEffects();
    thread_ = thread;
  }
  void onUnwind() override {
    applyEffects();
    if (!stacks_[thread_].empty()) stacks_[thread_].pop_back();
  }
  // Known calls have been given what they wrote already; what is left nobody claims.
  void onOutsideWrite(uint64_t address, uint64_t size) override {
    applyEffects();
    if (isApproaching_) return;
    std::vector<MemoryPiece> unclaimed;
    w_.memory.forEach(address, size, [&](uint64_t offset, uint64_t count, Maker maker) {
      if (isPassed(maker) && isActive(w_.passed[maker & ~kPassed].call)) return; // a machine register, saved
      bool isEffect = maker < kLastMaker && w_.records[maker].extra < w_.effects.size() && isOutside(maker);
      if (!isEffect) unclaimed.push_back({uint32_t(offset), uint32_t(count), maker});
    });
    for (const MemoryPiece& p : unclaimed)
      w_.memory.write(address + p.offset, p.size, claimant(address + p.offset, p.size));
  }

  void end(const replay::Replay& replay) {
    applyEffects();
    uint64_t time = std::max(replay.now(), w_.start); // the run may be over before
    w_.end = time;
    // Results of what was executed last.
    for (auto& [thread, stack] : stacks_) {
      std::vector<replay::FrameView> frames = replay.frames(thread);
      for (size_t k = 0; k < stack.size() && k < frames.size(); ++k)
        if (stack[k].pending != stack[k].calling || stack[k].pending >= kLastMaker)
          takeResult(stack[k], frames[frames.size() - 1 - k].words);
    }
    w_.records.resize(std::max<size_t>(w_.records.size(), time - w_.start));
    for (auto& [thread, stack] : stacks_)
      for (Frame& frame : stack)
        w_.stacks[thread].push_back(
            {frame.number, std::move(frame.words), std::move(frame.ends), frame.current, frame.calling});
  }

private:
  struct Frame {
    uint32_t number = 0;
    const FunctionCode* code = nullptr;
    const fir::Image* image = nullptr;
    std::vector<Maker> words, before; // before: as the block was entered
    std::vector<Maker> ends;          // of each block: who ended it last
    uint32_t block = 0, previous = fir::kNone;
    uint32_t last = fir::kNone; // id of what was executed before the window
    Maker previousEnd = kMadeBefore;
    Maker current = kMadeBefore, calling = kMadeBefore;
    Maker control = kMadeNowhere; // not found yet
    Maker pending = kMadeNowhere; // its result is in the frame when the next instruction comes
  };
  using Stack = std::vector<Frame>;

  Frame& push(Stack& stack, uint32_t module, uint32_t function) {
    const FunctionCode& code = code_.function(module, function);
    stack.emplace_back();
    Frame& frame = stack.back();
    frame.number = uint32_t(w_.frames.size());
    frame.code = &code;
    frame.image = imageOf(module);
    frame.words.resize(code.words + 1);
    frame.ends.resize(code.blocks, kMadeBefore);
    w_.frames.push_back({thread_, uint32_t(stack.size() - 1), module, function});
    return frame;
  }
  const fir::Image* imageOf(uint32_t module) { return &code_.image(module); }
  uint32_t blockOf(const Frame& frame, uint32_t local) { return code_.blockOf(frame.code->module, local); }
  uint32_t firstOf(const Frame& frame, uint32_t block) const {
    const fir::Function& f = frame.image->functions[frame.code->function];
    return frame.image->blocksOf(f)[block].first;
  }

  Maker controlOf(const Frame& frame, uint32_t block) const {
    Maker found = kMadeBefore;
    for (uint32_t parent : frame.code->control->parents(block))
      if (Maker end = frame.ends[parent]; end < kLastMaker && (found == kMadeBefore || end > found))
        found = end;
    if (found != kMadeBefore) return found;
    const InstanceFrame& info = w_.frames[frame.number];
    return info.isSeen ? info.call : kMadeBefore;
  }

  void noteStart(const Stack& stack, bool isInnermostNew) {
    w_.firstThread = thread_;
    for (size_t k = 0; k + isInnermostNew < stack.size(); ++k) {
      const InstanceFrame& info = w_.frames[stack[k].number];
      w_.before.push_back({info.module, info.function});
    }
  }

  // The result of the frame's last instruction is there now.
  void takeResult(Frame& frame, std::span<const uint64_t> words) {
    if (frame.pending >= kLastMaker) return;
    InstanceRecord& r = w_.records[frame.pending];
    if (r.frame != frame.number) { // it faulted: what a handler executed first has its time
      frame.pending = kMadeNowhere;
      return;
    }
    const fir::Instruction& i = frame.image->instructions[r.id - baseOf(frame)];
    r.value = words[i.dst];
    if (uint32_t count = fir::resultWords(*frame.image, i); count > 1)
      w_.wide[frame.pending].assign(words.begin() + i.dst, words.begin() + i.dst + count);
    frame.pending = kMadeNowhere;
  }
  // The instruction below faulted: it was not executed, so the handler's entry has the same time. The one
  // that faulted is what may be asked about; it has no result.
  void enterHandler(Stack& stack) {
    stack.back().block = 0;
    stack.back().control = controlOf(stack.back(), 0);
    if (stack.size() > 1) stack[stack.size() - 2].pending = kMadeNowhere;
  }
  // Before the window begins, only where control is counts.
  void approach(Frame& frame, const replay::Instance& i) {
    uint32_t block = blockOf(frame, i.local);
    if (i.local == firstOf(frame, block)) {
      frame.previous = frame.block;
      frame.before = frame.words;
    }
    frame.block = block;
    frame.last = i.module->base + i.local;
  }
  Maker giveFromOutside(uint64_t value) {
    w_.given.push_back(value);
    return kGivenOutside | uint32_t(w_.given.size() - 1);
  }
  // What outside code passed to a function that it called.
  void takeArguments(Frame& frame, std::span<const uint64_t> words) {
    for (const fir::Argument& a : frame.image->argumentsOf(frame.image->functions[frame.code->function]))
      for (uint32_t j = 0; j < frame.image->types[a.type].words; ++j)
        if (frame.words[a.word + j] == kMadeOutside ||
            (isRunStart_ && frame.words[a.word + j] == kMadeBefore))
          frame.words[a.word + j] = giveFromOutside(words[a.word + j]);
  }
  // A setjmp that returns once more has another result, and was not executed again.
  void takeJump(Frame& frame, const fir::Image& image, uint32_t local, std::span<const uint64_t> words) {
    if (local == 0) return;
    const fir::Instruction& before = image.instructions[local - 1];
    if (before.op != Op::Call || fir::CallKind(before.sub) != fir::CallKind::SetJmp ||
        before.dst == fir::kNone)
      return;
    bool isFirst = frame.current < kLastMaker && w_.records[frame.current].id == baseOf(frame) + local - 1;
    if (!isFirst) frame.words[before.dst] = giveFromOutside(words[before.dst]);
  }
  uint32_t baseOf(const Frame& frame) { return code_.base(frame.code->module); }

  void use(Frame& frame, const fir::Image& image, const replay::Instance& i,
           const fir::Instruction& instruction, std::span<const uint64_t> words, InstanceRecord& r) {
    std::span<const fir::Operand> operands = image.operandsOf(instruction);
    uint32_t taken = fir::kNone;
    if (instruction.op == Op::Phi) {
      PhiChoice choice;
      for (uint32_t k = 0; k + 1 < operands.size(); k += 2)
        if (fir::operandIndex(operands[k]) == frame.previous) choice.operand = taken = k + 1;
      choice.edge = frame.previousEnd;
      choice.block = frame.previous;
      r.extra = uint32_t(w_.phis.size());
      w_.phis.push_back(choice);
    }
    bool isPhi = instruction.op == Op::Phi;
    fir::forEachValue(image, instruction, [&](uint32_t k, uint32_t count) {
      if (isPhi && k != taken) return;
      bool isWord = fir::operandKind(operands[k]) == fir::OperandKind::Word;
      for (uint32_t j = 0; j < count; ++j) {
        uint32_t word = fir::operandIndex(operands[k]) + j;
        const std::vector<Maker>& from = isPhi ? frame.before : frame.words;
        w_.makers.push_back(isWord && word < from.size() ? from[word] : kMadeNowhere);
      }
    });
    if (uint32_t shown = shownOperand(instruction); shown < operands.size())
      show(i, instruction, operands[shown], words, r);
  }
  // One that makes nothing is known by what it uses.
  static uint32_t shownOperand(const fir::Instruction& i) {
    switch (i.op) {
    case Op::Store:
    case Op::StoreVar:
    case Op::Fill:
      return 1;
    case Op::Ret:
    case Op::CondBr:
    case Op::Switch:
    case Op::IndirectBr:
      return 0;
    default:
      return fir::kNone;
    }
  }
  void show(const replay::Instance& i, const fir::Instruction& instruction, fir::Operand o,
            std::span<const uint64_t> words, InstanceRecord& r) {
    const fir::Image& image = *i.module->image;
    uint32_t index = fir::operandIndex(o), count = image.types[instruction.type].words;
    bool isWord = fir::operandKind(o) == fir::OperandKind::Word;
    std::span<const uint64_t> all = isWord ? words.subspan(index)
                                    : image.constants[index].wide != fir::kNone
                                        ? image.wideWords.subspan(image.constants[index].wide)
                                        : std::span(&i.module->constants[index], 1);
    r.value = all[0];
    bool isValue = instruction.op == Op::Store || instruction.op == Op::StoreVar || instruction.op == Op::Ret;
    if (isValue && count > 1) {
      std::vector<uint64_t>& wide = w_.wide[current_];
      wide.assign(all.begin(), all.begin() + std::min<size_t>(count, all.size()));
      wide.resize(count);
    }
  }
  void finish(Frame& frame, const fir::Image& image, const fir::Instruction& i, InstanceRecord& r) {
    uint32_t first = i.dst, count = fir::resultWords(image, i);
    if (i.op == Op::StoreVar) {
      first = fir::operandIndex(image.operandsOf(i)[0]);
      count = image.types[i.type].words;
    }
    if (first != fir::kNone) {
      for (uint32_t j = 0; j < count && first + j < frame.words.size(); ++j)
        frame.words[first + j] = current_;
      if (i.op != Op::StoreVar && count) frame.pending = current_;
    }
    if (fir::isTerminator(image, i)) frame.ends[frame.block] = current_;
    if (i.op == Op::CondBr || i.op == Op::Switch || i.op == Op::IndirectBr) w_.branches.push_back(current_);
    if (i.op == Op::Store) w_.writes.push_back(current_);
    if (i.op == Op::Call) {
      frame.calling = current_;
      r.extra = fir::kNone;
    }
  }

  MemoryAccess& accessOf(Maker maker) {
    InstanceRecord& r = w_.records[maker];
    if (r.extra == fir::kNone || r.extra >= w_.accesses.size()) {
      r.extra = uint32_t(w_.accesses.size());
      w_.accesses.emplace_back();
    }
    return w_.accesses[r.extra];
  }

  bool isOutside(Maker maker) {
    RunCode::Where at = code_.where(w_.records[maker].id);
    return at && at.module->image->instructions[at.local].op == Op::Call;
  }

  // Outside calls are over that nobody has been told of yet.
  void applyEffects() {
    if (effects_.over.empty()) return;
    std::vector<uint64_t> over = std::move(effects_.over);
    effects_.over.clear();
    for (uint64_t number : over) apply(effects_.calls[number]);
  }
  void apply(const OutsideEffect& effect) {
    if (isApproaching_ || effect.time == kNoTime || effect.time < w_.start ||
        effect.time - w_.start >= w_.records.size())
      return;
    auto maker = Maker(effect.time - w_.start);
    OutsideInstance made{effect, {}};
    constexpr uint64_t kMost = 1 << 16; // bytes of a source that are looked at
    for (const OutsideFlow& flow : effect.flows)
      for (const FlowSource& source : flow.sources) {
        std::vector<MemoryPiece>& pieces = made.pieces.emplace_back();
        if (source.kind != FlowSource::Memory) continue;
        w_.memory.forEach(source.address, std::min(source.size, kMost),
                          [&](uint64_t offset, uint64_t size, Maker m) {
                            pieces.push_back({uint32_t(offset), uint32_t(size), m});
                          });
      }
    for (const OutsideFlow& flow : effect.flows) {
      if (flow.toResult) continue;
      if (flow.ifNoticed)
        noticed_.push_back({flow.address, flow.size, maker});
      else
        w_.memory.write(flow.address, flow.size, maker);
    }
    w_.records[maker].extra = uint32_t(w_.effects.size());
    w_.effects.push_back(std::move(made));
  }
  // The last call that may have written there.
  Maker claimant(uint64_t address, uint64_t size) const {
    size_t tried = 0;
    for (auto it = noticed_.rbegin(); it != noticed_.rend() && tried < 1000; ++it, ++tried)
      if (address < it->address + it->size && it->address < address + size) return it->maker;
    return kMadeOutside;
  }

  // x86-64: variable arguments fill the registers that the fixed ones left, then the stack.
  void passVariadic(uint64_t saved, uint32_t general, uint32_t floating, uint64_t stack) {
    Stack& frames = stacks_[thread_];
    if (frames.empty()) return;
    Maker call = w_.frames[frames.back().number].call;
    if (call >= kLastMaker || isApproaching_) return;
    const SegmentCode& code = code_.segmentOf(w_.records[call].id);
    const Step& step = code.steps[w_.records[call].id - code.firstId];
    constexpr uint32_t kGeneralEnd = 48, kFloatingEnd = 176;
    auto put = [&](uint64_t address, uint64_t size, uint32_t operand) {
      w_.memory.write(address, size, kPassed | uint32_t(w_.passed.size()));
      w_.passed.push_back({call, operand});
    };
    for (uint32_t n = uint32_t(step.parameter); n + 1 < step.useCount; ++n) {
      switch (Passed(code.uses[step.firstUse + 1 + n].bytes)) {
      case Passed::General:
        if (general < kGeneralEnd)
          put(saved + general, 8, n + 1), general += 8;
        else
          put(stack, 8, n + 1), stack += 8;
        break;
      case Passed::Floating:
        if (floating < kFloatingEnd)
          put(saved + floating, 8, n + 1), floating += 16;
        else
          put(stack, 8, n + 1), stack += 8;
        break;
      case Passed::Memory:
        stack = (stack + 15) & ~uint64_t(15);
        put(stack, 16, n + 1), stack += 16;
        break;
      }
    }
  }

  bool isActive(Maker call) {
    const Stack& stack = stacks_[thread_];
    return std::any_of(stack.begin(), stack.end(),
                       [&](const Frame& frame) { return w_.frames[frame.number].call == call; });
  }

  struct Noticed {
    uint64_t address, size;
    Maker maker;
  };
  RunCode& code_;
  Effects& effects_;
  InstanceWindow& w_;
  std::map<uint32_t, Stack> stacks_;
  std::vector<Noticed> noticed_;
  bool isRunStart_ = false, isApproaching_ = true;
  uint32_t thread_ = 0;
  Maker current_ = kMadeBefore;
};

} // namespace

Result<std::shared_ptr<const InstanceWindow>> recordInstances(History& history, uint64_t from, uint64_t to) {
  auto window = std::make_shared<InstanceWindow>();
  window->start = from;
  window->records.reserve(std::min<uint64_t>(to - from, 1 << 20));
  Effects effects(history.models());
  Recorder recorder(history, effects, *window);
  // A little before, to know by which way control came.
  constexpr uint64_t kBefore = 64;
  uint64_t first = std::max(history.replay().start(), from > kBefore ? from - kBefore : 0);
  FL_CHECK(history.replay().seek(first));
  recorder.begin(history.replay());
  FL_CHECK(history.observe(first, to, recorder, effects));
  recorder.end(history.replay());
  return std::shared_ptr<const InstanceWindow>(std::move(window));
}

} // namespace faultline::depend

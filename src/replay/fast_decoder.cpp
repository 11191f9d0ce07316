#include "replay/fast_decoder.h"

#include "program/operands.h"
#include "replay/fp_ops.h"
#include "replay/thread.h"

namespace faultline::replay {

using fir::Op;

namespace {
// The thread may have to change to plain code behind these.
bool endsSegment(Op op) { return op == Op::Call || op == Op::Opaque; }
} // namespace

void FastDecoder::run() {
  analyse();
  for (uint32_t b = 0; b < blocks_.size(); ++b)
    if (labels_[b] == fir::kNone) emitBlock(b);
  finish();
}

// Which words must hold their value where a segment ends, and how often each block is entered.
void FastDecoder::analyse() {
  exposed_.assign(f_.words, false);
  predecessors_.assign(blocks_.size(), 0);
  labels_.assign(blocks_.size(), fir::kNone);
  bodies_ = labels_;
  f_.plainToFast.assign(count(), fir::kNone);
  std::vector<uint32_t> madeIn(f_.words, fir::kNone); // segment, named by its first instruction
  for (uint32_t b = 0; b < blocks_.size(); ++b) {
    uint32_t segment = firstOf(b);
    for (uint32_t k = firstOf(b), end = k + blocks_[b].count; k < end; ++k) {
      const fir::Instruction& i = at(k);
      forEachValue(image_, i, [&](uint32_t o, uint32_t words) {
        fir::Operand operand = this->operand(i, o);
        if (isConstant(operand)) return;
        uint32_t first = fir::operandIndex(operand);
        for (uint32_t w = first; w < first + words; ++w)
          if (i.op == Op::Phi || madeIn[w] != segment) exposed_[w] = true;
      });
      uint32_t dst = i.op == Op::StoreVar ? fir::operandIndex(operand(i, 0)) : i.dst;
      uint32_t words = i.op == Op::StoreVar ? type(i.type).words : resultWords(image_, i);
      bool inHeader = i.op == Op::Phi || i.op == Op::LandingPad;
      if (dst != fir::kNone)
        for (uint32_t w = dst; w < dst + words; ++w) madeIn[w] = inHeader ? fir::kNone : segment;
      if (endsSegment(i.op)) {
        segment = k + 1;
        if (dst != fir::kNone) // the engine writes it, between the segments
          for (uint32_t w = dst; w < dst + words; ++w) exposed_[w] = true;
      }
      if (k + 1 == end) forEachSuccessor(image_, i, [&](uint32_t s) { ++predecessors_[s]; });
    }
  }
}

// A branch to this block needs no code: the block is put right behind it.
bool FastDecoder::continues(uint32_t to) const {
  return predecessors_[to] == 1 && !blocks_[to].epoch && firstOf(to) == bodyOf(to) &&
         labels_[to] == fir::kNone;
}

void FastDecoder::emitBlock(uint32_t block) {
  labels_[block] = uint32_t(code_.size());
  uint32_t body = bodyOf(block), start = body;
  bool lands = body > firstOf(block) && at(body - 1).op == Op::LandingPad;
  if (blocks_[block].epoch && block != 0) {
    if (lands) { // its epoch begins behind the landing pad
      count_ = 0;
      f_.plainToFast[body - 1] = uint32_t(code_.size());
      startSegment(body - 1, body);
      instruction(body - 1);
      ++count_;
      Insn code = insn(branchEpochHandler());
      code.dst = sizeof(Insn);
      code.n = count_;
      emit(code, body);
      lands = false;
    } else {
      Insn code = insn(epochPointHandler(Mode::Fast));
      code.dst = sizeof(Insn);
      emit(code, body);
    }
  }
  bodies_[block] = uint32_t(code_.size());
  count_ = 0;
  if (lands) start = body - 1;
  f_.plainToFast[start] = uint32_t(code_.size());
  while (block != fir::kNone) {
    block = emitBody(block, start);
    if (block == fir::kNone) break;
    labels_[block] = bodies_[block] = uint32_t(code_.size()); // only we come here
    start = firstOf(block);
  }
}

// Emits the block from `index` on. Returns the block to go on with, if one follows at once.
uint32_t FastDecoder::emitBody(uint32_t block, uint32_t index) {
  uint32_t end = firstOf(block) + blocks_[block].count;
  startSegment(index, end);
  for (; index < end; ++index) {
    ++count_;
    const fir::Instruction& i = at(index);
    if (index + 1 == end) {
      current_ = index;
      if (i.op == Op::Br)
        if (uint32_t to = fir::operandIndex(operand(i, 0)); continues(to)) return to;
      terminator(block, index);
      break;
    }
    current_ = index;
    if (!endsSegment(i.op)) {
      instruction(index);
      continue;
    }
    if (i.op == Op::Call) {
      call(block, index);
    } else {
      Insn code = insn(exitHandler(Mode::Fast, Exit::Engine));
      code.pointer = &operation(index);
      code.n = count_;
      emit(code, index);
    }
    count_ = 0;
    f_.plainToFast[index + 1] = uint32_t(code_.size());
    resumes_[index] = uint32_t(code_.size());
    startSegment(index + 1, end);
  }
  return fir::kNone;
}

void FastDecoder::terminator(uint32_t block, uint32_t index) {
  const fir::Instruction& i = at(index);
  switch (i.op) {
  case Op::Br: {
    uint32_t to = fir::operandIndex(operand(i, 0));
    bool epoch = blocks_[to].epoch && firstOf(to) == bodyOf(to);
    Insn code = insn(epoch ? branchEpochHandler() : branchHandler(Mode::Fast));
    code.n = count_;
    fixups_.push_back({emit(code, index), epoch ? Fixup::Body : Fixup::Dst, block, to});
    return;
  }
  case Op::CondBr:
    return branchOn(block, index);
  case Op::Switch:
  case Op::IndirectBr:
    return switchOver(block, index);
  case Op::Call:
    return call(block, index);
  case Op::Ret:
    return ret(index);
  default: { // Resume, Unreachable
    Insn code = insn(exitHandler(Mode::Fast, i.op == Op::Resume ? Exit::Call : Exit::Fault));
    if (i.op == Op::Resume) code.pointer = &callSite(index);
    code.n = count_;
    emit(code, index);
  }
  }
}

void FastDecoder::branchOn(uint32_t block, uint32_t index) {
  const fir::Instruction& i = at(index);
  uint32_t yes = fir::operandIndex(operand(i, 1)), no = fir::operandIndex(operand(i, 2));
  Insn code = insn(condBranchHandler(Mode::Fast));
  fir::Operand condition = operand(i, 0);
  bool fused = false;
  if (!isConstant(condition)) {
    uint32_t word = fir::operandIndex(condition);
    while (pending_.count(word) && pending_[word].kind == Pending::Not && !pending_[word].value.constant) {
      std::swap(yes, no);
      word = pending_[word].value.word;
    }
    auto it = pending_.find(word);
    if (it != pending_.end() && it->second.kind == Pending::Compare) {
      const Pending& p = it->second;
      const fir::Instruction& compare = at(p.instruction);
      const fir::Type& t = type(compare.type);
      Kinds kinds = p.other.constant ? Kinds::WordConstant : Kinds::WordWord;
      code.handler = compare.op == Op::FCmp ? fpCompareBranchHandler(p.predicate, t.kind, kinds)
                                            : intCompareBranchHandler(p.predicate, t.bits, kinds);
      code.a = p.value.word;
      code.imm = p.other.constant ? p.other.number() : p.other.word;
      fused = true;
    } else if (it != pending_.end() && it->second.kind == Pending::LowBit) {
      code.a = it->second.value.word;
      fused = true;
    } else {
      condition = makeOperand(fir::OperandKind::Word, word);
    }
  }
  if (!fused) {
    Value v = read(condition);
    if (v.constant) {
      code.handler = branchHandler(Mode::Fast);
      if (!(v.number() & 1)) yes = no;
    } else {
      code.a = v.word;
    }
  }
  code.n = count_;
  uint32_t place = emit(code, index);
  fixups_.push_back({place, Fixup::Dst, block, yes});
  if (code.handler != branchHandler(Mode::Fast)) fixups_.push_back({place, Fixup::B, block, no});
}

void FastDecoder::switchOver(uint32_t block, uint32_t index) {
  const fir::Instruction& i = at(index);
  Value v = read(operand(i, 0));
  SwitchTable& table = f_.switches.emplace_back();
  Insn code = insn(i.op == Op::Switch ? switchHandler(Mode::Fast) : indirectHandler(Mode::Fast));
  if (v.constant) { // rare: give it a word
    Insn move = insn(moveHandler(Mode::Fast, true));
    move.imm = v.number();
    move.dst = f_.words; // behind the frame, where only a call's arguments would be
    emit(move, index);
    v.word = f_.words;
  }
  code.a = v.word;
  code.pointer = &table;
  code.n = count_;
  uint32_t place = emit(code, index);
  auto add = [&](uint64_t value, uint32_t to) {
    fixups_.push_back({place, Fixup::Case, block, to, &table, uint32_t(table.cases.size())});
    table.cases.push_back({value, 0});
  };
  if (i.op == Op::Switch) {
    fixups_.push_back({place, Fixup::Otherwise, block, fir::operandIndex(operand(i, 1)), &table});
    for (uint32_t k = 2; k + 1 < i.operandCount; k += 2)
      add(constant(operand(i, k)), fir::operandIndex(operand(i, k + 1)));
    return;
  }
  for (uint32_t k = 1; k < i.operandCount; ++k) {
    uint32_t to = fir::operandIndex(operand(i, k));
    for (uint64_t address : blockAddresses(*f_.module, f_.number, to)) add(address, to);
  }
}

// A call of a function that we know, with arguments of a word each: they are put where its frame will be.
bool FastDecoder::directCall(CallSite& site) {
  const fir::Instruction& i = *site.instruction;
  if (site.kind != fir::CallKind::Inside || !isConstant(operand(i, 0))) return false;
  DecodedFunction* target = functionAt_(constant(operand(i, 0)));
  if (!target || target->words > kArgumentRoom) return false;
  // What is passed for "..." has no place in the new frame; whoever reads a va_list looks for it in ours.
  if (target->fir->flags & fir::kVariadic) return false;
  const fir::Image& image = *target->module->image;
  if (target->fir->firstArgument > image.arguments.size() ||
      target->fir->argumentCount > image.arguments.size() - target->fir->firstArgument)
    return false;
  std::span<const fir::Argument> arguments = image.argumentsOf(*target->fir);
  if (arguments.size() > site.arguments.size()) return false;
  for (const fir::Argument& a : arguments)
    if (a.type >= image.types.size() || image.types[a.type].words != 1 || a.word >= target->words)
      return false;
  for (uint32_t k = 0; k < arguments.size(); ++k) {
    fir::Operand o = operand(i, k + 1);
    if (isConstant(o) && image_.constants[fir::operandIndex(o)].wide != fir::kNone) return false;
  }
  for (uint32_t k = 0; k < arguments.size(); ++k)
    moveTo(f_.words + arguments[k].word, read(operand(i, k + 1)));
  site.target = target;
  site.targetAddress = constant(operand(i, 0));
  return true;
}

void FastDecoder::call(uint32_t block, uint32_t index) {
  CallSite& site = callSite(index);
  const CallSite* plain = static_cast<const CallSite*>(f_.plain[index].pointer);
  site.plainResume = plain->plainResume;
  site.plainUnwind = plain->plainUnwind;
  Insn code = insn(callHandler());
  code.a = f_.words;
  if (!directCall(site)) {
    code.handler = exitHandler(Mode::Fast, Exit::Call);
    auto resolve = [&](fir::Operand o, Source& source) {
      if (isConstant(o)) return;
      Value v = read(o);
      source = v.constant ? Source{v.pointer, 0} : Source{nullptr, v.word};
    };
    resolve(operand(*site.instruction, 0), site.callee);
    for (uint32_t k = 0; k < site.arguments.size(); ++k)
      resolve(operand(*site.instruction, k + 1), site.arguments[k]);
  }
  code.pointer = &site;
  code.n = count_;
  emit(code, index);
  if (site.info->normalBlock != fir::kNone) invokes_[index] = {block, site.info->normalBlock};
}

void FastDecoder::ret(uint32_t index) {
  const fir::Instruction& i = at(index);
  uint32_t words = i.operandCount ? type(i.type).words : 0;
  bool guarded = f_.guardOffset != fir::kNone;
  Insn code = insn(returnHandler(ReturnForm::Void, guarded));
  if (words == 1) {
    Value v = read(operand(i, 0));
    code.handler = returnHandler(v.constant ? ReturnForm::Constant : ReturnForm::Word, guarded);
    code.a = v.word;
    if (v.constant) code.imm = v.number();
  } else if (words > 1) {
    code.handler = exitHandler(Mode::Fast, Exit::Return);
  }
  code.n = count_;
  emit(code, index);
}

uint32_t FastDecoder::label(uint32_t from, uint32_t to) {
  const Edge* e = edge(from, to);
  if (!e) return labels_[to];
  auto [it, added] = edgeLabels_.try_emplace({from, to}, uint32_t(code_.size()));
  if (!added) return it->second;
  uint32_t phis = 0;
  for (uint32_t k = firstOf(to); at(k).op == Op::Phi; ++k) ++phis;
  Insn code = insn(phiEdgeHandler(Mode::Fast));
  code.pointer = e;
  if (e->moves.size() == 1 && e->moves[0].words == 1) {
    const Edge::Move& move = e->moves[0];
    code.handler = phiMoveHandler(move.source.constant != nullptr);
    code.a = move.source.word;
    code.b = move.dst;
    if (move.source.constant) code.imm = *move.source.constant;
  }
  code.n = phis;
  code.dst = uint32_t((int64_t(labels_[to]) - int64_t(it->second)) * int64_t(sizeof(Insn)));
  emit(code, bodyOf(to));
  return it->second;
}

void FastDecoder::finish() {
  auto distance = [](uint32_t from, uint32_t to) {
    return uint32_t((int64_t(to) - int64_t(from)) * int64_t(sizeof(Insn)));
  };
  for (const Fixup& f : fixups_) {
    uint32_t to = distance(f.insn, f.field == Fixup::Body ? bodies_[f.to] : label(f.from, f.to));
    switch (f.field) {
    case Fixup::Dst:
    case Fixup::Body:
      code_[f.insn].dst = to;
      break;
    case Fixup::B:
      code_[f.insn].b = to;
      break;
    case Fixup::Case:
      f.table->cases[f.which].distance = int32_t(to);
      break;
    case Fixup::Otherwise:
      f.table->otherwise = int32_t(to);
      break;
    }
  }
  for (auto& [call, blocks] : invokes_) resumes_[call] = label(blocks.first, blocks.second);
  f_.fast = std::move(code_);
  f_.fastOrigin = std::move(origin_);
  f_.fastStart.assign(f_.fast.size(), fir::kNone);
  for (uint32_t k = 0; k < count(); ++k)
    if (f_.plainToFast[k] != fir::kNone) f_.fastStart[f_.plainToFast[k]] = k;
  for (SwitchTable& table : f_.switches)
    if (table.dense.empty()) table.sort();
  for (CallSite& site : f_.calls)
    if (auto it = resumes_.find(site.index); it != resumes_.end()) site.fastResume = &f_.fast[it->second];
  f_.fastEntry = f_.fast.data() + f_.plainToFast[0];
}

} // namespace faultline::replay

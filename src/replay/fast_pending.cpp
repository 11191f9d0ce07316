// Notes on values that have no Insn yet (fast_decoder.h).
#include "replay/fast_decoder.h"

#include "program/operands.h"

namespace faultline::replay {

using fir::Op;

// How often each result is used before it is made anew, or before the segment ends.
void FastDecoder::startSegment(uint32_t index, uint32_t end) {
  uses_.clear();
  pending_.clear();
  definedBy_.clear();
  lastRead_.clear();
  lastWrite_.clear();
  remaining_.clear();
  loadAt_ = fir::kNone;
  for (uint32_t k = index; k < end; ++k)
    if (at(k).op == Op::Call || at(k).op == Op::Opaque) end = k + 1;
  std::map<uint32_t, uint32_t> uses;
  for (uint32_t k = end; k-- > index;) {
    const fir::Instruction& i = at(k);
    if (i.dst != fir::kNone) {
      uint32_t words = std::max(1u, resultWords(image_, i));
      uses_[k] = uses[i.dst];
      for (uint32_t w = i.dst; w < i.dst + words; ++w) uses.erase(w);
    }
    forEachValue(image_, i, [&](uint32_t o, uint32_t words) {
      fir::Operand operand = this->operand(i, o);
      if (isConstant(operand)) return;
      for (uint32_t w = 0; w < words; ++w) ++uses[fir::operandIndex(operand) + w];
    });
  }
}

bool FastDecoder::isLocal(uint32_t index) const {
  const fir::Instruction& i = at(index);
  return i.dst != fir::kNone && resultWords(image_, i) == 1 && !exposed_[i.dst];
}

void FastDecoder::defer(uint32_t index, Pending p) {
  uint32_t word = at(index).dst;
  beforeWrite(word);
  p.instruction = index;
  p.usesLeft = uses_[index];
  forget(word);
  if (p.usesLeft) pending_[word] = std::move(p);
}

FastDecoder::Pending FastDecoder::alias(Value v) {
  Pending p;
  p.kind = Pending::Alias;
  p.value = v;
  return p;
}

void FastDecoder::forget(uint32_t word) {
  definedBy_.erase(word);
  remaining_.erase(word);
}

FastDecoder::Value FastDecoder::peek(fir::Operand o) const {
  if (isConstant(o)) return {true, 0, source(o).constant};
  auto it = pending_.find(fir::operandIndex(o));
  if (it != pending_.end() && it->second.kind == Pending::Alias) return it->second.value;
  return {false, fir::operandIndex(o), nullptr};
}

FastDecoder::Value FastDecoder::read(fir::Operand o) {
  return isConstant(o) ? peek(o) : readWord(fir::operandIndex(o));
}

FastDecoder::Value FastDecoder::readWord(uint32_t word) {
  auto it = pending_.find(word);
  if (it != pending_.end() && it->second.kind == Pending::Alias) {
    Value v = it->second.value;
    if (--it->second.usesLeft == 0) pending_.erase(it);
    return v;
  }
  if (it != pending_.end()) materialise(word);
  if (auto left = remaining_.find(word); left != remaining_.end() && left->second) --left->second;
  return {false, word, nullptr};
}

bool FastDecoder::reliesOn(const Pending& p, uint32_t word) {
  auto is = [&](const Value& v) { return !v.constant && v.word == word; };
  switch (p.kind) {
  case Pending::MakeAddress:
    return p.address.base == word || p.address.index == word;
  case Pending::Compare:
    return is(p.value) || is(p.other);
  default:
    return is(p.value);
  }
}

// Something is about to write `word`: values that need its present content are made now.
void FastDecoder::beforeWrite(uint32_t word) {
  pending_.erase(word);
  std::vector<uint32_t> affected;
  for (auto& [other, p] : pending_)
    if (reliesOn(p, word)) affected.push_back(other);
  for (uint32_t other : affected)
    if (pending_.count(other)) materialise(other);
}

void FastDecoder::materialise(uint32_t word) {
  Pending p = std::move(pending_[word]);
  pending_.erase(word);
  uint32_t uses = p.usesLeft;
  uint32_t from = p.instruction;
  const fir::Instruction& i = at(from);
  switch (p.kind) {
  case Pending::Alias: {
    Insn code = insn(moveHandler(Mode::Fast, p.value.constant));
    code.a = p.value.word;
    if (p.value.constant) code.imm = p.value.number();
    emitTo(word, code, from, {p.value.constant ? fir::kNone : p.value.word});
    break;
  }
  case Pending::MakeAddress: {
    Insn code = addressed(p.address, [](AddressForm form) { return addressHandler(Mode::Fast, form); });
    emitTo(word, code, from, {p.address.base.value_or(fir::kNone), p.address.index.value_or(fir::kNone)});
    break;
  }
  case Pending::Compare: {
    const fir::Type& t = type(i.type);
    Kinds kinds = p.other.constant ? Kinds::WordConstant : Kinds::WordWord;
    Insn code = insn(i.op == Op::FCmp ? fpCompareHandler(Mode::Fast, p.predicate, t.kind, kinds)
                                      : intCompareHandler(Mode::Fast, p.predicate, t.bits, kinds));
    code.a = p.value.word;
    code.b = p.other.word;
    if (p.other.constant) code.imm = p.other.number();
    emitTo(word, code, from, {p.value.word, p.other.constant ? fir::kNone : p.other.word});
    break;
  }
  case Pending::Not: {
    Insn code = insn(intBinaryHandler(Mode::Fast, Op::Xor, 1, Kinds::WordConstant));
    Value v = readWord(p.value.word);
    code.a = v.word;
    code.imm = 1;
    emitTo(word, code, from, {v.word});
    break;
  }
  default: { // Sign32, LowBit: casts
    if (p.kind == Pending::Sign32 && extendLoad(p.value.word, 32, 64, word)) break;
    Insn code = insn(castHandler(Mode::Fast, i.op, type(i.aux), type(i.type)));
    code.a = p.value.word;
    code.imm = uint64_t(p.kind == Pending::LowBit);
    emitTo(word, code, from, {p.value.word});
  }
  }
  remaining_[word] = uses;
}

uint32_t FastDecoder::emit(Insn code, uint32_t origin, std::initializer_list<uint32_t> reads) {
  auto index = uint32_t(code_.size());
  for (uint32_t word : reads)
    if (word != fir::kNone) lastRead_[word] = index;
  code_.push_back(code);
  origin_.push_back(origin);
  return index;
}

uint32_t FastDecoder::emitTo(uint32_t word, Insn code, uint32_t origin,
                             std::initializer_list<uint32_t> reads) {
  beforeWrite(word);
  code.dst = word;
  forget(word);
  uint32_t index = emit(code, origin, reads);
  definedBy_[word] = index;
  lastWrite_[word] = index;
  return index;
}

AddressForm FastDecoder::formOf(const Address& a) {
  if (!a.index) return a.base ? AddressForm::Base : AddressForm::Absolute;
  if (a.index32) return a.base ? AddressForm::BaseIndex32 : AddressForm::AbsoluteIndex32;
  return a.base ? AddressForm::BaseIndex64 : AddressForm::AbsoluteIndex64;
}

Insn FastDecoder::addressed(const Address& a, const std::function<Handler(AddressForm)>& pick) const {
  Insn code = insn(pick(formOf(a)));
  code.a = a.base.value_or(0);
  code.b = a.index.value_or(0);
  code.n = a.index ? a.scale : 1;
  code.imm = a.offset;
  return code;
}

// Adds `more` to an address, if one Insn can still make the sum.
bool FastDecoder::combine(Address& a, const Address& more) const {
  if ((a.base && more.base) || (a.index && more.index)) return false;
  if (more.base) a.base = more.base;
  if (more.index) {
    a.index = more.index;
    a.index32 = more.index32;
    a.scale = more.scale;
  }
  a.offset += more.offset;
  return true;
}

// The address that an operand holds, as deep as it is still a note.
FastDecoder::Address FastDecoder::addressOf(fir::Operand o) {
  Address a;
  if (isConstant(o)) {
    a.offset = constant(o);
    return a;
  }
  uint32_t word = fir::operandIndex(o);
  if (auto it = pending_.find(word); it != pending_.end() && it->second.kind == Pending::MakeAddress) {
    a = it->second.address;
    if (--it->second.usesLeft == 0) pending_.erase(it);
    return a;
  }
  Value v = readWord(word);
  if (v.constant)
    a.offset = v.number();
  else
    a.base = v.word;
  return a;
}

// The Insn that made `word` writes `to` instead, if nothing in between minds. Later users of `word` read
// `to`.
bool FastDecoder::redirect(uint32_t word, uint32_t to) {
  auto made = definedBy_.find(word);
  auto left = remaining_.find(word);
  if (made == definedBy_.end() || left == remaining_.end()) return false;
  uint32_t at = made->second, uses = left->second;
  auto touched = [&](const std::map<uint32_t, uint32_t>& places, uint32_t which, uint32_t from) {
    auto it = places.find(which);
    return it != places.end() && it->second >= from;
  };
  if (touched(lastRead_, word, at + 1) || touched(lastRead_, to, at + 1) || touched(lastWrite_, to, at))
    return false;
  for (auto& [other, p] : pending_)
    if (other != to && (reliesOn(p, to) || reliesOn(p, word))) return false;
  pending_.erase(to);
  forget(to);
  forget(word);
  code_[at].dst = to;
  definedBy_[to] = lastWrite_[to] = at;
  lastWrite_.erase(word);
  if (uses) {
    Pending p = alias({false, to, nullptr});
    p.usesLeft = uses;
    p.instruction = origin_[at];
    pending_[word] = p;
  }
  return true;
}

// word <- v
void FastDecoder::moveTo(uint32_t word, Value v) {
  if (!v.constant && v.word == word) return;
  if (!v.constant && redirect(v.word, word)) return;
  Insn code = insn(moveHandler(Mode::Fast, v.constant));
  code.a = v.word;
  if (v.constant) code.imm = v.number();
  emitTo(word, code, current_, {v.constant ? fir::kNone : v.word});
}

} // namespace faultline::replay

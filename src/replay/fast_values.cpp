// Straight-line code of the fused form.
#include "replay/fast_decoder.h"

#include "program/operands.h"
#include "replay/fp_ops.h"
#include "replay/int_ops.h"

namespace faultline::replay {

using fir::Op;
using fir::TypeKind;

namespace {

bool isScalar(const fir::Type& t) {
  return t.words == 1 && t.kind != TypeKind::Vector && t.kind != TypeKind::Aggregate;
}

// The same comparison with its operands exchanged.
uint8_t exchanged(const fir::Instruction& i) {
  if (i.op == Op::FCmp) { // bit 1: greater, bit 2: less
    uint8_t greater = (i.sub >> 1) & 1, less = (i.sub >> 2) & 1;
    return uint8_t((i.sub & 9) | greater << 2 | less << 1);
  }
  switch (i.sub) {
  case UGT:
    return ULT;
  case UGE:
    return ULE;
  case ULT:
    return UGT;
  case ULE:
    return UGE;
  case SGT:
    return SLT;
  case SGE:
    return SLE;
  case SLT:
    return SGT;
  case SLE:
    return SGE;
  default:
    return i.sub;
  }
}

bool commutes(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::And || op == Op::Or || op == Op::Xor;
}

} // namespace

void FastDecoder::instruction(uint32_t index) {
  current_ = index;
  const fir::Instruction& i = at(index);
  bool done = false;
  switch (i.op) {
  case Op::Nop:
  case Op::Phi:
    return;
  case Op::Entry:
    if (f_.frameSize || f_.guardOffset != fir::kNone) emit(insn(entryHandler(Mode::Fast)), index);
    return;
  case Op::LoadVar:
    if (type(i.type).words == 1) {
      Value v{false, fir::operandIndex(operand(i, 0)), nullptr};
      isLocal(index) ? defer(index, alias(readWord(v.word))) : moveTo(i.dst, readWord(v.word));
      return;
    }
    break;
  case Op::StoreVar:
    if (type(i.type).words == 1) return moveTo(fir::operandIndex(operand(i, 0)), read(operand(i, 1)));
    break;
  case Op::Alloca:
    if (i.dst != fir::kNone) {
      Insn code = insn(allocaHandler(Mode::Fast));
      code.imm = i.imm;
      emitTo(i.dst, code, index);
    }
    return;
  case Op::Gep:
    done = address(index);
    break;
  case Op::Load:
    done = load(index);
    break;
  case Op::Store:
    done = store(index);
    break;
  case Op::Select:
    done = select(index);
    break;
  default:
    if ((i.op >= Op::Add && i.op <= Op::FRem) || i.op == Op::ICmp || i.op == Op::FCmp) done = binary(index);
    if (i.op >= Op::Trunc && i.op <= Op::BitCast) done = cast(index);
  }
  if (!done) asOperation(index);
}

// An instruction's one-word result; remembers how many users it has.
void FastDecoder::emitResult(uint32_t index, Insn code, std::initializer_list<uint32_t> reads) {
  emitTo(at(index).dst, code, index, reads);
  if (isLocal(index)) remaining_[at(index).dst] = uses_[index];
}

void FastDecoder::asOperation(uint32_t index) {
  const fir::Instruction& i = at(index);
  Operation& op = operation(index);
  std::vector<uint32_t> reads;
  forEachValue(image_, i, [&](uint32_t k, uint32_t words) {
    fir::Operand o = operand(i, k);
    if (isConstant(o)) return;
    uint32_t word = fir::operandIndex(o);
    if (words == 1) {
      Value v = readWord(word);
      op.sources[k] = v.constant ? Source{v.pointer, 0} : Source{nullptr, v.word};
      if (!v.constant) reads.push_back(v.word);
      return;
    }
    for (uint32_t w = word; w < word + words; ++w) {
      if (pending_.count(w)) materialise(w);
      reads.push_back(w);
    }
  });
  uint32_t first = i.op == Op::StoreVar ? fir::operandIndex(operand(i, 0)) : op.dst;
  uint32_t words = i.op == Op::StoreVar ? type(i.type).words : op.dstWords;
  if (first != fir::kNone)
    for (uint32_t w = first; w < first + words; ++w) {
      beforeWrite(w);
      forget(w);
    }
  Insn code = insn(operationHandler(Mode::Fast));
  code.pointer = &op;
  uint32_t place = emit(code, index);
  for (uint32_t w : reads) lastRead_[w] = place;
  if (first != fir::kNone)
    for (uint32_t w = first; w < first + words; ++w) lastWrite_[w] = place;
}

bool FastDecoder::binary(uint32_t index) {
  const fir::Instruction& i = at(index);
  const fir::Type& t = type(i.type);
  fir::Operand a = operand(i, 0), b = operand(i, 1);
  if (i.dst == fir::kNone || !isScalar(t)) return false;
  bool compare = i.op == Op::ICmp || i.op == Op::FCmp;
  Value x = peek(a), y = peek(b);
  if (x.constant && y.constant) return false;
  if (isDivision(i.op) && y.constant &&
      (y.number() == 0 || (y.number() | ~uint64_t(maskBits(t.bits))) == ~uint64_t(0)))
    return false; // knows what the compiler makes of them
  uint8_t predicate = i.sub;
  bool swap = x.constant && (compare || commutes(i.op));
  if (swap) predicate = exchanged(i);
  Kinds kinds = (swap ? x : y).constant ? Kinds::WordConstant
                : x.constant            ? Kinds::ConstantWord
                                        : Kinds::WordWord;
  Handler handler = i.op == Op::ICmp   ? intCompareHandler(Mode::Fast, predicate, t.bits, kinds)
                    : i.op == Op::FCmp ? fpCompareHandler(Mode::Fast, predicate, t.kind, kinds)
                    : isFp(t.kind)     ? fpBinaryHandler(Mode::Fast, i.op, t.kind, kinds)
                                       : intBinaryHandler(Mode::Fast, i.op, t.bits, kinds);
  if (!handler) return false;
  if (i.op == Op::Xor && t.bits == 1 && y.constant && y.number() == 1 && !isConstant(a) && isLocal(index)) {
    Pending p;
    p.kind = Pending::Not;
    p.value.word = fir::operandIndex(a);
    defer(index, p);
    return true;
  }
  x = read(a);
  y = read(b);
  if (swap) std::swap(x, y);
  if (compare && isLocal(index)) {
    Pending p;
    p.kind = Pending::Compare;
    p.predicate = predicate;
    p.value = x;
    p.other = y;
    defer(index, p);
    return true;
  }
  Insn code = insn(handler);
  code.a = x.word;
  code.b = y.word;
  if (x.constant || y.constant) code.imm = (x.constant ? x : y).number();
  emitResult(index, code, {x.constant ? fir::kNone : x.word, y.constant ? fir::kNone : y.word});
  return true;
}

bool FastDecoder::cast(uint32_t index) {
  const fir::Instruction& i = at(index);
  const fir::Type &from = type(i.aux), &to = type(i.type);
  fir::Operand a = operand(i, 0);
  if (i.dst == fir::kNone || !isScalar(from) || !isScalar(to) || peek(a).constant) return false;
  bool same = i.op == Op::ZExt || i.op == Op::BitCast || (i.op == Op::Trunc && from.bits == to.bits);
  Handler handler = castHandler(Mode::Fast, i.op, from, to);
  if (!same && !handler) return false;
  bool local = isLocal(index);
  if (same) {
    Value v = read(a);
    local ? defer(index, alias(v)) : moveTo(i.dst, v);
    return true;
  }
  bool sign32 = i.op == Op::SExt && from.bits == 32 && to.bits == 64;
  if (local && (sign32 || (i.op == Op::Trunc && to.bits == 1))) {
    Pending p = alias(read(a));
    p.kind = sign32 ? Pending::Sign32 : Pending::LowBit;
    defer(index, p);
    return true;
  }
  Value v = read(a);
  if (i.op == Op::SExt) {
    beforeWrite(i.dst);
    if (extendLoad(v.word, from.bits, to.bits, i.dst)) {
      if (local) remaining_[i.dst] = uses_[index];
      return true;
    }
  }
  Insn code = insn(handler);
  code.a = v.word;
  code.imm = uint64_t(maskBits(to.bits));
  emitResult(index, code, {v.word});
  return true;
}

// If the value was just loaded, and only for this: a load that extends.
bool FastDecoder::extendLoad(uint32_t word, unsigned from, unsigned to, uint32_t dst) {
  auto made = definedBy_.find(word);
  auto left = remaining_.find(word);
  if (made == definedBy_.end() || left == remaining_.end() || left->second != 0 ||
      made->second + 1 != code_.size() || loadAt_ != made->second || loadBytes_ * 8 != from ||
      (to != 32 && to != 64))
    return false;
  for (auto& [other, p] : pending_)
    if (reliesOn(p, word)) return false;
  Handler handler =
      loadHandler(loadForm_, loadBytes_, to == 64 ? LoadExtension::Sign64 : LoadExtension::Sign32);
  if (!handler) return false;
  uint32_t at = made->second;
  forget(word);
  forget(dst);
  code_[at].handler = handler;
  code_[at].dst = dst;
  definedBy_[dst] = lastWrite_[dst] = at;
  loadAt_ = fir::kNone;
  return true;
}

bool FastDecoder::load(uint32_t index) {
  const fir::Instruction& i = at(index);
  const fir::Type& t = type(i.type);
  if (i.dst == fir::kNone || !isScalar(t) || i.imm * 8 != t.bits) return false;
  if (!loadHandler(AddressForm::Base, unsigned(i.imm), LoadExtension::Zero)) return false;
  Address a = addressOf(operand(i, 0));
  beforeWrite(i.dst);
  Insn code =
      addressed(a, [&](AddressForm f) { return loadHandler(f, unsigned(i.imm), LoadExtension::Zero); });
  emitResult(index, code, {a.base.value_or(fir::kNone), a.index.value_or(fir::kNone)});
  loadAt_ = uint32_t(code_.size() - 1);
  loadForm_ = formOf(a);
  loadBytes_ = unsigned(i.imm);
  return true;
}

bool FastDecoder::store(uint32_t index) {
  const fir::Instruction& i = at(index);
  const fir::Type& t = type(i.type);
  if (!isScalar(t) || !storeHandler(AddressForm::Base, unsigned(i.imm), false)) return false;
  Value v = peek(operand(i, 1));
  if (v.constant && i.imm == 8 && int64_t(v.number()) != int64_t(int32_t(v.number()))) return false;
  v = read(operand(i, 1));
  Address a = addressOf(operand(i, 0));
  Insn code = addressed(a, [&](AddressForm f) { return storeHandler(f, unsigned(i.imm), v.constant); });
  code.dst = v.constant ? uint32_t(v.number()) : v.word;
  emit(code, index,
       {a.base.value_or(fir::kNone), a.index.value_or(fir::kNone), v.constant ? fir::kNone : v.word});
  return true;
}

bool FastDecoder::select(uint32_t index) {
  const fir::Instruction& i = at(index);
  if (i.dst == fir::kNone || !isScalar(type(i.type)) || !isScalar(type(i.aux))) return false;
  for (uint32_t k = 0; k < 3; ++k)
    if (peek(operand(i, k)).constant) return false;
  Value c = read(operand(i, 0)), x = read(operand(i, 1)), y = read(operand(i, 2));
  Insn code = insn(selectHandler(Mode::Fast));
  code.a = c.word;
  code.b = x.word;
  code.n = y.word;
  emitResult(index, code, {c.word, x.word, y.word});
  return true;
}

// A small copy between two words' addresses, as of a struct.
bool FastDecoder::copy(uint32_t index) {
  const fir::Instruction& i = at(index);
  Value size = peek(operand(i, 2));
  if (!size.constant || !copyHandler(size.number())) return false;
  if (i.dst != fir::kNone || peek(operand(i, 0)).constant || peek(operand(i, 1)).constant) return false;
  auto place = [&](fir::Operand o, uint32_t& word) -> int32_t { // word + distance
    auto note = pending_.find(fir::operandIndex(o));
    if (note != pending_.end() && note->second.kind == Pending::MakeAddress) {
      const Address& a = note->second.address;
      if (a.base && !a.index && int64_t(a.offset) == int32_t(a.offset)) {
        word = *a.base;
        auto distance = int32_t(a.offset);
        if (--note->second.usesLeft == 0) pending_.erase(note);
        return distance;
      }
    }
    word = readWord(fir::operandIndex(o)).word;
    return 0;
  };
  uint32_t to, from;
  int32_t toDistance = place(operand(i, 0), to), fromDistance = place(operand(i, 1), from);
  Insn code = insn(copyHandler(size.number()));
  code.a = to;
  code.b = from;
  code.imm = uint64_t(uint32_t(toDistance)) | uint64_t(uint32_t(fromDistance)) << 32;
  emit(code, index, {to, from});
  return true;
}

bool FastDecoder::address(uint32_t index) {
  const fir::Instruction& i = at(index);
  if (i.dst == fir::kNone) return false;
  for (uint32_t k = 1; k + 2 < i.operandCount; k += 3) {
    uint32_t width = fir::operandIndex(operand(i, k + 2));
    if (!isConstant(operand(i, k + 1))) return false;
    bool known = peek(operand(i, k)).constant;
    if (!known && ((width != 64 && width != 32) || constant(operand(i, k + 1)) > 0x7fffffff)) return false;
  }
  Address sum = addressOf(operand(i, 0));
  sum.offset += i.imm;
  for (uint32_t k = 1; k + 2 < i.operandCount; k += 3) {
    fir::Operand o = operand(i, k);
    uint32_t width = std::min(fir::operandIndex(operand(i, k + 2)), 64u);
    uint64_t scale = constant(operand(i, k + 1));
    if (Value v = peek(o); v.constant) {
      sum.offset += uint64_t(signExtend(read(o).number(), width)) * scale;
      continue;
    }
    Address more;
    more.scale = uint32_t(scale);
    more.index32 = width == 32;
    auto note = pending_.find(fir::operandIndex(o));
    if (width == 64 && note != pending_.end() && note->second.kind == Pending::Sign32) {
      more.index32 = true;
      more.index = note->second.value.word;
      if (--note->second.usesLeft == 0) pending_.erase(note);
    } else {
      more.index = read(o).word;
    }
    if (combine(sum, more)) continue;
    // The words that the sum needs may be this instruction's own only after they were read.
    Insn code = addressed(sum, [](AddressForm f) { return addressHandler(Mode::Fast, f); });
    emitTo(i.dst, code, index, {sum.base.value_or(fir::kNone), sum.index.value_or(fir::kNone)});
    if (more.index == i.dst) return true; // cannot be: a value is not its own operand
    sum = more;
    sum.base = i.dst;
  }
  bool own = sum.base == i.dst || sum.index == i.dst;
  if (isLocal(index) && !own) {
    Pending p;
    p.kind = Pending::MakeAddress;
    p.address = sum;
    defer(index, p);
    return true;
  }
  Insn code = addressed(sum, [](AddressForm f) { return addressHandler(Mode::Fast, f); });
  emitResult(index, code, {sum.base.value_or(fir::kNone), sum.index.value_or(fir::kNone)});
  return true;
}

} // namespace faultline::replay

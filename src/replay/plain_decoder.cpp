#include "replay/decoder.h"
#include "replay/fp_ops.h"
#include "replay/int_ops.h"

#include <algorithm>

namespace faultline::replay {

using fir::Op;

void PlainDecoder::run() {
  f_.plain.resize(count());
  epochStubs_.assign(blocks_.size(), fir::kNone);
  addStub({Stub::EpochPoint, 0}); // the entry's
  for (uint32_t b = 1; b < blocks_.size(); ++b)
    if (blocks_[b].epoch) epochStubs_[b] = addStub({Stub::EpochPoint, bodyOf(b)});
  for (uint32_t k = 0; k < count(); ++k) {
    Insn decoded = decode(k); // may add stubs, which moves the code
    f_.plain[k] = decoded;
  }
}

uint32_t PlainDecoder::addStub(Stub stub) {
  auto index = uint32_t(f_.plain.size());
  Insn code =
      insn(stub.kind == Stub::EpochPoint ? epochPointHandler(Mode::Plain) : phiEdgeHandler(Mode::Plain));
  code.dst = distance(index, stub.target);
  code.n = 0;
  code.pointer = stub.edge;
  f_.plain.push_back(code);
  f_.stubs.push_back(stub);
  return index;
}

uint32_t PlainDecoder::blockStart(uint32_t block) {
  uint32_t first = firstOf(block);
  return first == bodyOf(block) && epochStubs_[block] != fir::kNone ? epochStubs_[block] : first;
}

uint32_t PlainDecoder::target(uint32_t from, uint32_t to) {
  const Edge* e = edge(from, to);
  if (!e) return blockStart(to);
  auto [it, added] = edgeStubs_.try_emplace({from, to}, 0);
  if (added) it->second = addStub({Stub::PhiEdge, blockStart(to), e});
  return it->second;
}

Insn PlainDecoder::asOperation(uint32_t index) {
  Insn code = insn(operationHandler(Mode::Plain));
  code.pointer = &operation(index);
  return code;
}

Insn PlainDecoder::asCall(uint32_t index, Exit reason) {
  CallSite& site = callSite(index);
  if (site.info) {
    uint32_t block = blockOf(index);
    bool invoke = site.info->normalBlock != fir::kNone;
    site.plainResume = invoke ? target(block, site.info->normalBlock) : index + 1;
    if (invoke) site.plainUnwind = target(block, site.info->unwindBlock);
  }
  Insn code = insn(exitHandler(Mode::Plain, reason));
  code.pointer = &site;
  return code;
}

Insn PlainDecoder::decodeBinary(uint32_t index) {
  const fir::Instruction& i = at(index);
  const fir::Type& t = type(i.type);
  fir::Operand a = operand(i, 0), b = operand(i, 1);
  Kinds kinds;
  if (i.dst == fir::kNone || t.words != 1 || t.kind == fir::TypeKind::Vector || !kindsOf(a, b, kinds))
    return asOperation(index);
  bool fp = isFp(t.kind);
  bool isOdd =
      isConstant(b) && (constant(b) == 0 || (constant(b) | ~uint64_t(maskBits(t.bits))) == ~uint64_t(0));
  if (isDivision(i.op) && isOdd) return asOperation(index); // knows what the compiler makes of 0 and -1
  Handler handler = i.op == Op::ICmp   ? intCompareHandler(Mode::Plain, i.sub, t.bits, kinds)
                    : i.op == Op::FCmp ? fpCompareHandler(Mode::Plain, i.sub, t.kind, kinds)
                    : fp               ? fpBinaryHandler(Mode::Plain, i.op, t.kind, kinds)
                                       : intBinaryHandler(Mode::Plain, i.op, t.bits, kinds);
  if (!handler) return asOperation(index);
  Insn code = insn(handler);
  code.dst = i.dst;
  code.a = isConstant(a) ? 0 : fir::operandIndex(a);
  code.b = isConstant(b) ? 0 : fir::operandIndex(b);
  if (kinds != Kinds::WordWord) code.imm = constant(isConstant(a) ? a : b);
  return code;
}

Insn PlainDecoder::decodeBranch(uint32_t index) {
  const fir::Instruction& i = at(index);
  uint32_t block = blockOf(index);
  auto to = [&](uint32_t k) { return distance(index, target(block, fir::operandIndex(operand(i, k)))); };
  Insn code = insn(branchHandler(Mode::Plain));
  switch (i.op) {
  case Op::Br:
    code.dst = to(0);
    return code;
  case Op::CondBr:
    if (isConstant(operand(i, 0))) {
      code.dst = to(constant(operand(i, 0)) & 1 ? 1 : 2);
      return code;
    }
    code.handler = condBranchHandler(Mode::Plain);
    code.a = fir::operandIndex(operand(i, 0));
    code.dst = to(1);
    code.b = to(2);
    return code;
  case Op::Switch:
    decodeSwitch(index, code);
    return code;
  default:
    decodeIndirect(index, code);
    return code;
  }
}

void PlainDecoder::decodeSwitch(uint32_t index, Insn& code) {
  const fir::Instruction& i = at(index);
  uint32_t block = blockOf(index);
  auto to = [&](uint32_t k) {
    return int32_t(distance(index, target(block, fir::operandIndex(operand(i, k)))));
  };
  SwitchTable& table = f_.switches.emplace_back();
  table.otherwise = to(1);
  for (uint32_t k = 2; k + 1 < i.operandCount; k += 2)
    table.cases.push_back({constant(operand(i, k)), to(k + 1)});
  table.sort();
  if (isConstant(operand(i, 0))) {
    code.dst = uint32_t(table.find(constant(operand(i, 0))));
    return;
  }
  code.handler = switchHandler(Mode::Plain);
  code.a = fir::operandIndex(operand(i, 0));
  code.pointer = &table;
}

void PlainDecoder::decodeIndirect(uint32_t index, Insn& code) {
  const fir::Instruction& i = at(index);
  uint32_t block = blockOf(index);
  SwitchTable& table = f_.switches.emplace_back();
  for (uint32_t k = 1; k < i.operandCount; ++k) {
    uint32_t to = fir::operandIndex(operand(i, k));
    for (uint64_t address : blockAddresses(*f_.module, f_.number, to))
      table.cases.push_back({address, int32_t(distance(index, target(block, to)))});
  }
  table.sort();
  code.pointer = &table;
  if (isConstant(operand(i, 0))) {
    uint32_t known = uint32_t(table.find(constant(operand(i, 0))));
    code.handler = known ? branchHandler(Mode::Plain) : exitHandler(Mode::Plain, Exit::Fault);
    code.dst = known;
    return;
  }
  code.handler = indirectHandler(Mode::Plain);
  code.a = fir::operandIndex(operand(i, 0));
}

// A scalar of a register's size at an address in a word.
Insn PlainDecoder::decodeAccess(uint32_t index) {
  const fir::Instruction& i = at(index);
  const fir::Type& t = type(i.type);
  Insn code = asOperation(index);
  bool load = i.op == Op::Load;
  bool scalar = t.words == 1 && t.kind != fir::TypeKind::Vector && t.kind != fir::TypeKind::Aggregate;
  if (!scalar || i.imm * 8 != t.bits || isConstant(operand(i, 0))) return code;
  if (load ? i.dst == fir::kNone : isConstant(operand(i, 1))) return code;
  Handler handler = load ? plainLoadHandler(unsigned(i.imm)) : plainStoreHandler(unsigned(i.imm));
  if (!handler) return code;
  code.handler = handler;
  code.a = fir::operandIndex(operand(i, 0));
  code.dst = i.dst;
  if (!load) code.b = fir::operandIndex(operand(i, 1));
  return code;
}

// base + offset, or one index more.
Insn PlainDecoder::decodeAddress(uint32_t index) {
  const fir::Instruction& i = at(index);
  fir::Operand base = operand(i, 0);
  if (i.dst == fir::kNone || i.operandCount > 4) return asOperation(index);
  bool absolute = isConstant(base);
  Insn code = insn(nullptr);
  AddressForm form = absolute ? AddressForm::Absolute : AddressForm::Base;
  if (i.operandCount == 4) {
    uint32_t width = fir::operandIndex(operand(i, 3));
    bool simple = !isConstant(operand(i, 1)) && isConstant(operand(i, 2)) && (width == 32 || width == 64);
    if (!simple || constant(operand(i, 2)) > 0x7fffffff) return asOperation(index);
    form = absolute ? (width == 32 ? AddressForm::AbsoluteIndex32 : AddressForm::AbsoluteIndex64)
                    : (width == 32 ? AddressForm::BaseIndex32 : AddressForm::BaseIndex64);
    code.b = fir::operandIndex(operand(i, 1));
    code.n = uint32_t(constant(operand(i, 2)));
  }
  code.handler = addressHandler(Mode::Plain, form);
  code.dst = i.dst;
  code.a = absolute ? 0 : fir::operandIndex(base);
  code.imm = i.imm + (absolute ? constant(base) : 0);
  return code;
}

Insn PlainDecoder::decode(uint32_t index) {
  const fir::Instruction& i = at(index);
  auto word = [&](uint32_t k) { return fir::operandIndex(operand(i, k)); };
  if ((i.op >= Op::Add && i.op <= Op::FRem) || i.op == Op::ICmp || i.op == Op::FCmp)
    return decodeBinary(index);
  switch (i.op) {
  case Op::Entry:
    return insn(entryHandler(Mode::Plain));
  case Op::Br:
  case Op::CondBr:
  case Op::Switch:
  case Op::IndirectBr:
    return decodeBranch(index);
  case Op::Call:
    return asCall(index, Exit::Call);
  case Op::Resume:
    return asCall(index, Exit::Call);
  case Op::Ret:
    return asCall(index, Exit::Return);
  case Op::Phi:
  case Op::LandingPad: {
    Insn code = asOperation(index);
    code.handler = headerHandler();
    uint32_t block = blockOf(index);
    bool last = index + 1 == bodyOf(block);
    code.dst = distance(index, last && epochStubs_[block] != fir::kNone ? epochStubs_[block] : index + 1);
    return code;
  }
  case Op::Load:
  case Op::Store:
    return decodeAccess(index);
  case Op::Gep:
    return decodeAddress(index);
  case Op::Alloca: {
    if (i.dst == fir::kNone) return asOperation(index);
    Insn code = insn(allocaHandler(Mode::Plain));
    code.dst = i.dst;
    code.imm = i.imm;
    return code;
  }
  case Op::LoadVar:
  case Op::StoreVar: {
    bool store = i.op == Op::StoreVar;
    if (type(i.type).words != 1) return asOperation(index);
    fir::Operand value = operand(i, store ? 1 : 0);
    Insn code = insn(moveHandler(Mode::Plain, isConstant(value)));
    code.dst = store ? word(0) : i.dst;
    code.a = isConstant(value) ? 0 : fir::operandIndex(value);
    if (isConstant(value)) code.imm = constant(value);
    return code;
  }
  default:
    break;
  }
  if (i.op >= Op::Trunc && i.op <= Op::BitCast && i.dst != fir::kNone && !isConstant(operand(i, 0)))
    if (Handler handler = castHandler(Mode::Plain, i.op, type(i.aux), type(i.type))) {
      Insn code = insn(handler);
      code.dst = i.dst;
      code.a = word(0);
      code.imm = uint64_t(maskBits(type(i.type).bits));
      return code;
    }
  return asOperation(index);
}

} // namespace faultline::replay

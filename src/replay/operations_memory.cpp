#include "replay/engine.h"
#include "replay/fp_ops.h"
#include "replay/int_ops.h"
#include "replay/operations.h"
#include "replay/tracer.h"

#include <algorithm>

namespace faultline::replay {

using fir::Op;

namespace {

bool memoryError(Machine& m) {
  m.exit = Exit::Error;
  return false;
}

// Bits above the type's own are zero in a frame word.
void trim(const fir::Type& type, uint64_t* words) {
  if (type.kind == fir::TypeKind::Int && type.bits < 64 && type.words)
    words[0] &= uint64_t(maskBits(type.bits));
}

bool runLoad(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t address = op.sources[0].value(w), size = op.instruction->imm;
  if (m.attention && !m.engine->beforeLoad(op, address, size)) return false;
  uint64_t word = 0, *words = &word;
  if (op.type->words > 1) {
    m.scratch.assign(op.type->words, 0);
    words = m.scratch.data();
  }
  if (!m.memory.read(address, words, size)) return memoryError(m);
  trim(*op.type, words);
  writeResult(op, w, words);
  if (m.observer) m.observer->onLoad(address, size, words);
  return true;
}

bool runStore(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t address = op.sources[0].value(w), size = op.instruction->imm;
  if (m.attention && !m.engine->beforeStore(op, address, size)) return false;
  return m.memory.write(address, op.sources[1].at(w), size) || memoryError(m);
}

bool runCopy(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t destination = op.sources[0].value(w), source = op.sources[1].value(w);
  uint64_t size = op.instruction->op == Op::VaCopy ? 24 : op.sources[2].value(w);
  if (m.attention && !m.engine->beforeCopy(op, destination, source, size)) return false;
  if (size && !m.memory.copy(destination, source, size)) return memoryError(m);
  if (op.dstWords == 1) writeResult(op, w, &destination);
  return true;
}

bool runFill(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t address = op.sources[0].value(w), size = op.sources[2].value(w);
  if (m.attention && !m.engine->beforeStore(op, address, size)) return false;
  if (size && !m.memory.fill(address, uint8_t(op.sources[1].value(w)), size)) return memoryError(m);
  if (op.dstWords == 1) writeResult(op, w, &address);
  return true;
}

// llvm::AtomicRMWInst::BinOp. False: the instrumented code does not know the new value either, and leaves
// the shadow as it is.
bool updated(const Operation& op, U128 old, U128 operand, U128& result) {
  unsigned bits = op.type->bits;
  auto kind = op.type->kind;
  auto greater = [&](bool isSigned) { return compareInt(isSigned ? SGT : UGT, bits, old, operand); };
  switch (op.instruction->sub) {
  case 0:
    result = operand;
    return true;
  case 1:
    result = computeInt(Op::Add, bits, old, operand);
    return true;
  case 2:
    result = computeInt(Op::Sub, bits, old, operand);
    return true;
  case 3:
    result = old & operand;
    return true;
  case 4:
    result = ~(old & operand) & maskBits(bits);
    return true;
  case 5:
    result = old | operand;
    return true;
  case 6:
    result = old ^ operand;
    return true;
  case 7:
    result = greater(true) ? old : operand;
    return true;
  case 8:
    result = greater(true) ? operand : old;
    return true;
  case 9:
    result = greater(false) ? old : operand;
    return true;
  case 10:
    result = greater(false) ? operand : old;
    return true;
  case 11:
    if (!isFp(kind)) return false;
    result = computeFp(Op::FAdd, kind, old, operand);
    return true;
  case 12:
    if (!isFp(kind)) return false;
    result = computeFp(Op::FSub, kind, old, operand);
    return true;
  default:
    return false;
  }
}

bool isRegisterSize(const fir::Type& t) {
  return t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64;
}

bool runAtomicUpdate(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t address = op.sources[0].value(w), size = op.type->bytes, old = 0;
  if (m.attention && !m.engine->beforeLoad(op, address, size)) return false;
  if (op.type->words != 1 || !isRegisterSize(*op.type)) return true; // nothing is recorded of it
  if (!m.memory.read(address, &old, size)) return memoryError(m);
  U128 now;
  if (updated(op, old, op.sources[1].value(w), now)) {
    uint64_t word = uint64_t(now);
    if (m.observer) m.observer->onLoad(address, size, &old), m.observer->onStore(address, size);
    if (!m.memory.write(address, &word, size)) return memoryError(m);
  }
  writeResult(op, w, &old);
  return true;
}

bool runCompareExchange(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t address = op.sources[0].value(w), size = op.type->bytes, old = 0;
  if (m.attention && !m.engine->beforeLoad(op, address, size)) return false;
  if (op.type->words != 1 || !isRegisterSize(*op.type)) return true;
  if (!m.memory.read(address, &old, size)) return memoryError(m);
  bool equal = old == op.sources[1].value(w);
  if (m.observer) m.observer->onLoad(address, size, &old);
  if (equal) {
    if (m.observer) m.observer->onStore(address, size);
    if (!m.memory.write(address, op.sources[2].at(w), size)) return memoryError(m);
  }
  m.scratch.assign(op.auxType->words + 1, 0);
  std::memcpy(m.scratch.data(), &old, size);
  reinterpret_cast<uint8_t*>(m.scratch.data())[op.instruction->imm] = equal;
  writeResult(op, w, m.scratch.data());
  return true;
}

bool runVaStart(Machine& m, const Operation& op, uint64_t* w) {
  if (m.attention && !m.engine->takeEffects(op)) return false;
  if (!m.tracer) return true;
  uint64_t list = op.sources[0].value(w), content[3] = {};
  if (!m.memory.read(list, content, sizeof content)) return memoryError(m);
  m.tracer->onVariableArguments(list, content);
  return true;
}

bool runThreadLocal(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t& cell = m.cells[op.cell];
  if (m.attention && !m.engine->takeCell(op, cell)) return false;
  writeResult(op, w, &cell);
  return true;
}

bool runOpaque(Machine& m, const Operation& op, uint64_t* w) { return m.engine->takeValue(op, w); }

} // namespace

Operation::Run memoryOperationFor(Op op) {
  switch (op) {
  case Op::Load:
    return runLoad;
  case Op::Store:
    return runStore;
  case Op::Copy:
  case Op::VaCopy:
    return runCopy;
  case Op::Fill:
    return runFill;
  case Op::AtomicRMW:
    return runAtomicUpdate;
  case Op::CmpXchg:
    return runCompareExchange;
  case Op::VaStart:
    return runVaStart;
  case Op::ThreadLocal:
    return runThreadLocal;
  case Op::Opaque:
    return runOpaque;
  default:
    return nullptr;
  }
}

} // namespace faultline::replay

#include "replay/operations.h"

#include "replay/fp_ops.h"
#include "replay/int_ops.h"
#include "replay/machine.h"

#include <algorithm>

namespace faultline::replay {

using fir::Op;

void writeResult(const Operation& op, uint64_t* w, const uint64_t* words) {
  if (op.dst != fir::kNone) std::memmove(w + op.dst, words, size_t(op.dstWords) * 8);
}

namespace {

// Zeroed room for a result of the operation (at least `words`); operands may lie in dst itself.
uint64_t* room(Machine& m, const Operation& op, uint32_t words = 0) {
  m.scratch.assign(std::max({op.dstWords, words, 2u}), 0);
  return m.scratch.data();
}

bool runBinary(Machine& m, const Operation& op, uint64_t* w) {
  const uint64_t *a = op.sources[0].at(w), *b = op.sources[1].at(w);
  uint64_t* out = room(m, op, op.type->words);
  unsigned bits = op.element->bits;
  bool fp = isFp(op.element->kind);
  Op o = op.instruction->op;
  for (uint32_t lane = 0; lane < op.type->lanes; ++lane) {
    U128 x = getLane(a, bits, lane), y = getLane(b, bits, lane);
    // With a constant divisor the compiler has made other code of it, which does not fault.
    if (!fp && isDivision(o) && divisionFaults(o, bits, x, y) && !op.sources[1].constant) {
      m.exit = Exit::Fault;
      return false;
    }
    setLane(out, bits, lane, fp ? computeFp(o, op.element->kind, x, y) : computeInt(o, bits, x, y));
  }
  writeResult(op, w, out);
  return true;
}

bool runNegate(Machine& m, const Operation& op, uint64_t* w) {
  const uint64_t* a = op.sources[0].at(w);
  uint64_t* out = room(m, op, op.type->words);
  unsigned bits = op.element->bits;
  for (uint32_t lane = 0; lane < op.type->lanes; ++lane)
    setLane(out, bits, lane, computeFp(Op::FNeg, op.element->kind, getLane(a, bits, lane), 0));
  writeResult(op, w, out);
  return true;
}

bool runCompare(Machine& m, const Operation& op, uint64_t* w) {
  const uint64_t *a = op.sources[0].at(w), *b = op.sources[1].at(w);
  uint64_t* out = room(m, op, (op.type->lanes + 63) / 64);
  unsigned bits = op.element->bits;
  uint8_t predicate = op.instruction->sub;
  for (uint32_t lane = 0; lane < op.type->lanes; ++lane) {
    U128 x = getLane(a, bits, lane), y = getLane(b, bits, lane);
    bool r = op.instruction->op == Op::FCmp ? compareFp(predicate, op.element->kind, x, y)
                                            : compareInt(predicate, bits, x, y);
    setLane(out, 1, lane, r);
  }
  writeResult(op, w, out);
  return true;
}

U128 castOne(Op op, const fir::Type& from, const fir::Type& to, U128 a) {
  switch (op) {
  case Op::SExt:
    return U128(signExtend(a, from.bits)) & maskBits(to.bits);
  case Op::FPToUI:
  case Op::FPToSI:
    return fpToInt(from.kind, op == Op::FPToSI, to.bits, a);
  case Op::UIToFP:
  case Op::SIToFP:
    return intToFp(to.kind, op == Op::SIToFP, from.bits, a);
  case Op::FPTrunc:
  case Op::FPExt:
    return convertFp(from.kind, to.kind, a);
  default:
    return a & maskBits(to.bits); // Trunc, ZExt
  }
}

bool runCast(Machine& m, const Operation& op, uint64_t* w) {
  const uint64_t* a = op.sources[0].at(w);
  uint64_t* out = room(m, op, op.type->words);
  const fir::Image& image = *op.function->module->image;
  const fir::Type& from =
      op.auxType->kind == fir::TypeKind::Vector ? image.types[op.auxType->element] : *op.auxType;
  for (uint32_t lane = 0; lane < op.type->lanes; ++lane)
    setLane(out, op.element->bits, lane,
            castOne(op.instruction->op, from, *op.element, getLane(a, from.bits, lane)));
  writeResult(op, w, out);
  return true;
}

bool runBitCast(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t* out = room(m, op, std::max(op.type->words, op.auxType->words));
  std::memcpy(out, op.sources[0].at(w), size_t(op.auxType->words) * 8);
  writeResult(op, w, out);
  return true;
}

bool runSelect(Machine& m, const Operation& op, uint64_t* w) {
  const uint64_t *c = op.sources[0].at(w), *a = op.sources[1].at(w), *b = op.sources[2].at(w);
  if (op.auxType->kind != fir::TypeKind::Vector) {
    writeResult(op, w, *c & 1 ? a : b);
    return true;
  }
  uint64_t* out = room(m, op, op.type->words);
  unsigned bits = op.element->bits;
  for (uint32_t lane = 0; lane < op.type->lanes; ++lane)
    setLane(out, bits, lane, getLane(getLane(c, 1, lane) ? a : b, bits, lane));
  writeResult(op, w, out);
  return true;
}

bool runGep(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t address = op.sources[0].value(w) + op.instruction->imm;
  for (size_t k = 1; k + 2 < op.sources.size(); k += 3) {
    unsigned width = std::min(op.sources[k + 2].word, 64u);
    address += uint64_t(signExtend(op.sources[k].value(w), width)) * op.sources[k + 1].value(w);
  }
  writeResult(op, w, &address);
  return true;
}

bool runMove(Machine&, const Operation& op, uint64_t* w) { // LoadVar
  writeResult(op, w, op.sources[0].at(w));
  return true;
}
bool runStoreVar(Machine&, const Operation& op, uint64_t* w) {
  std::memmove(w + op.sources[0].word, op.sources[1].at(w), size_t(op.type->words) * 8);
  return true;
}
bool runNothing(Machine&, const Operation&, uint64_t*) { return true; }

bool runAlloca(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t address = m.frame->base + op.instruction->imm;
  writeResult(op, w, &address);
  return true;
}
bool runAllocaDynamic(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t align = std::max<uint64_t>(op.instruction->aux, 16);
  m.frameTop = (m.frameTop - op.sources[0].value(w) * op.instruction->imm) & ~(align - 1);
  writeResult(op, w, &m.frameTop);
  return true;
}
bool runStackSave(Machine& m, const Operation& op, uint64_t* w) {
  writeResult(op, w, &m.frameTop);
  return true;
}
bool runStackRestore(Machine& m, const Operation& op, uint64_t* w) {
  m.frameTop = op.sources[0].value(w);
  return true;
}

bool runExtract(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t* out = room(m, op, op.type->words);
  std::memcpy(out, reinterpret_cast<const uint8_t*>(op.sources[0].at(w)) + op.instruction->imm,
              op.type->bytes);
  if (op.type->kind == fir::TypeKind::Int && op.type->bits < 64) out[0] &= uint64_t(maskBits(op.type->bits));
  writeResult(op, w, out);
  return true;
}
bool runInsert(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t* out = room(m, op, op.type->words);
  std::memcpy(out, op.sources[0].at(w), size_t(op.type->words) * 8);
  std::memcpy(reinterpret_cast<uint8_t*>(out) + op.instruction->imm, op.sources[1].at(w), op.auxType->bytes);
  writeResult(op, w, out);
  return true;
}

bool runExtractLane(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t index = op.sources[1].value(w);
  uint64_t* out = room(m, op, op.type->words);
  if (index < op.auxType->lanes)
    setLane(out, op.auxType->bits, 0, getLane(op.sources[0].at(w), op.auxType->bits, unsigned(index)));
  writeResult(op, w, out);
  return true;
}
bool runInsertLane(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t index = op.sources[2].value(w);
  U128 value = getLane(op.sources[1].at(w), op.auxType->bits, 0);
  uint64_t* out = room(m, op, op.type->words);
  std::memcpy(out, op.sources[0].at(w), size_t(op.type->words) * 8);
  if (index < op.auxType->lanes) setLane(out, op.auxType->bits, unsigned(index), value);
  writeResult(op, w, out);
  return true;
}
bool runShuffle(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t* out = room(m, op, op.type->words);
  uint32_t lanes = op.auxType->lanes;
  unsigned bits = op.auxType->bits;
  for (uint32_t k = 0; k < op.type->lanes; ++k) {
    uint32_t from = op.sources[2 + k].word;
    if (from < lanes)
      setLane(out, bits, k, getLane(op.sources[0].at(w), bits, from));
    else if (from - lanes < lanes)
      setLane(out, bits, k, getLane(op.sources[1].at(w), bits, from - lanes));
  }
  writeResult(op, w, out);
  return true;
}

bool runLandingPad(Machine& m, const Operation& op, uint64_t* w) {
  uint64_t* out = room(m, op);
  out[0] = m.landException;
  out[1] = uint32_t(m.landSelector);
  writeResult(op, w, out);
  return true;
}

// The run stops before it, unless a handler takes the signal.
bool runTrap(Machine& m, const Operation&, uint64_t*) {
  m.exit = Exit::Fault;
  return false;
}

} // namespace

Operation::Run operationFor(const fir::Instruction& i) {
  if (auto run = memoryOperationFor(i.op)) return run;
  if (i.op >= Op::Add && i.op <= Op::FRem) return runBinary;
  switch (i.op) {
  case Op::FNeg:
    return runNegate;
  case Op::ICmp:
  case Op::FCmp:
    return runCompare;
  case Op::BitCast:
    return runBitCast;
  case Op::Select:
    return runSelect;
  case Op::Gep:
    return runGep;
  case Op::LoadVar:
    return runMove;
  case Op::StoreVar:
    return runStoreVar;
  case Op::Alloca:
    return runAlloca;
  case Op::AllocaDyn:
    return runAllocaDynamic;
  case Op::StackSave:
    return runStackSave;
  case Op::StackRestore:
    return runStackRestore;
  case Op::Extract:
    return runExtract;
  case Op::Insert:
    return runInsert;
  case Op::ExtractLane:
    return runExtractLane;
  case Op::InsertLane:
    return runInsertLane;
  case Op::Shuffle:
    return runShuffle;
  case Op::LandingPad:
    return runLandingPad;
  case Op::Intrinsic:
    return runIntrinsic;
  case Op::Trap:
  case Op::Unreachable:
    return runTrap;
  case Op::Phi: // done on the edge
  case Op::Nop:
    return runNothing;
  default:
    return i.op >= Op::Trunc && i.op <= Op::FPExt ? runCast : nullptr;
  }
}

} // namespace faultline::replay

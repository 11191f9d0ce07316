// Which operands of an instruction are values, and how many frame words each takes.
#pragma once

#include "program/image.h"

namespace faultline::fir {

// The instruction writes `words` words from dst on (StoreVar: its variable's).
inline uint32_t resultWords(const fir::Image& image, const fir::Instruction& i) {
  const fir::Type& type = image.types[i.type];
  switch (i.op) {
  case fir::Op::ICmp:
  case fir::Op::FCmp:
    return (type.lanes + 63) / 64;
  case fir::Op::CmpXchg:
    return image.types[i.aux].words;
  case fir::Op::Store:
  case fir::Op::StoreVar:
  case fir::Op::Ret:
  case fir::Op::Resume:
  case fir::Op::Switch:
  case fir::Op::Nop:
    return 0;
  default:
    return type.words;
  }
}

// visit(k, words) for each operand k that is a value. Expects checked types (validate.h).
template <class Visit> void forEachValue(const fir::Image& image, const fir::Instruction& i, Visit&& visit) {
  using fir::Op;
  const uint32_t own = image.types[i.type].words;
  auto all = [&](uint32_t words) {
    for (uint32_t k = 0; k < i.operandCount; ++k) visit(k, words);
  };
  switch (i.op) {
  case Op::Entry:
  case Op::Alloca:
  case Op::StackSave:
  case Op::Br:
  case Op::Unreachable:
  case Op::LandingPad:
  case Op::ThreadLocal:
  case Op::Opaque: // computed outside; its operands are only for the dependence analysis
  case Op::Nop:
  case Op::Trap:
    return;
  case Op::Trunc:
  case Op::ZExt:
  case Op::SExt:
  case Op::FPToUI:
  case Op::FPToSI:
  case Op::UIToFP:
  case Op::SIToFP:
  case Op::FPTrunc:
  case Op::FPExt:
  case Op::BitCast:
    return visit(0, image.types[i.aux].words);
  case Op::Select:
    return visit(0, image.types[i.aux].words), visit(1, own), visit(2, own);
  case Op::Gep:
    visit(0, 1);
    for (uint32_t k = 1; k + 2 < i.operandCount; k += 3) visit(k, 1), visit(k + 1, 1);
    return;
  case Op::Store:
  case Op::AtomicRMW:
    return visit(0, 1), visit(1, own);
  case Op::StoreVar:
    return visit(1, own);
  case Op::CmpXchg:
    return visit(0, 1), visit(1, own), visit(2, own);
  case Op::CondBr:
  case Op::IndirectBr:
    return visit(0, 1);
  case Op::Switch:
    return visit(0, own);
  case Op::Phi:
    for (uint32_t k = 1; k < i.operandCount; k += 2) visit(k, own);
    return;
  case Op::Extract:
    return visit(0, uint32_t((i.imm + image.types[i.type].bytes + 7) / 8));
  case Op::Insert:
    return visit(0, own), visit(1, image.types[i.aux].words);
  case Op::ExtractLane:
    return visit(0, image.types[i.aux].words), visit(1, 1);
  case Op::InsertLane:
    return visit(0, own), visit(1, image.types[image.types[i.aux].element].words), visit(2, 1);
  case Op::Shuffle:
    return visit(0, image.types[i.aux].words), visit(1, image.types[i.aux].words);
  case Op::Intrinsic:
    for (uint32_t k = 0; k < i.operandCount; ++k) {
      auto which = fir::Intrinsic(i.sub);
      bool flag = k > 0 && (which == fir::Intrinsic::Abs || which == fir::Intrinsic::CtLz ||
                            which == fir::Intrinsic::CtTz || which == fir::Intrinsic::IsFPClass ||
                            which == fir::Intrinsic::PtrMask || which == fir::Intrinsic::Expect);
      visit(k, flag ? 1 : image.types[i.aux].words);
    }
    return;
  case Op::Load:
  case Op::AllocaDyn:
  case Op::StackRestore:
  case Op::Copy:
  case Op::Fill:
  case Op::Call: // how many words an argument takes, its callee knows
  case Op::VaStart:
  case Op::VaCopy:
    return all(1);
  default:
    return all(own); // arithmetic, comparisons, LoadVar, Ret, Resume
  }
}

inline bool isTerminator(const fir::Image& image, const fir::Instruction& i) {
  switch (i.op) {
  case fir::Op::Ret:
  case fir::Op::Br:
  case fir::Op::CondBr:
  case fir::Op::Switch:
  case fir::Op::IndirectBr:
  case fir::Op::Unreachable:
  case fir::Op::Resume:
    return true;
  case fir::Op::Call:
    return image.calls[i.aux].normalBlock != fir::kNone;
  default:
    return false;
  }
}

// visit(block) for each block that the terminator may go to.
template <class Visit>
void forEachSuccessor(const fir::Image& image, const fir::Instruction& i, Visit&& visit) {
  std::span<const fir::Operand> operands = image.operandsOf(i);
  auto block = [&](uint32_t k) { visit(fir::operandIndex(operands[k])); };
  switch (i.op) {
  case fir::Op::Br:
    return block(0);
  case fir::Op::CondBr:
    return block(1), block(2);
  case fir::Op::Switch:
    block(1);
    for (uint32_t k = 3; k < operands.size(); k += 2) block(k);
    return;
  case fir::Op::IndirectBr:
    for (uint32_t k = 1; k < operands.size(); ++k) block(k);
    return;
  case fir::Op::Call:
    if (image.calls[i.aux].normalBlock == fir::kNone) return;
    return visit(image.calls[i.aux].normalBlock), visit(image.calls[i.aux].unwindBlock);
  default:
    return;
  }
}

} // namespace faultline::fir

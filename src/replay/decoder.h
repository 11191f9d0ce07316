// Turns a validated FIR function into threaded code. Decoder holds what both forms need; PlainDecoder makes
// one Insn per instruction, FastDecoder (fast_decoder.h) the fused form.
#pragma once

#include "base/result.h"
#include "replay/decoded.h"
#include "replay/handlers.h"

#include <functional>
#include <map>

namespace faultline::replay {

class Decoder {
public:
  Decoder(DecodedFunction& f, std::vector<uint64_t>& cells)
      : f_(f), image_(*f.module->image), blocks_(image_.blocksOf(*f.fir)), cells_(cells) {}

protected:
  const fir::Instruction& at(uint32_t index) const { return f_.instruction(index); }
  uint32_t count() const { return f_.instructionCount(); }
  fir::Operand operand(const fir::Instruction& i, uint32_t k) const {
    return image_.operands[i.operands + k];
  }
  const fir::Type& type(uint32_t index) const { return image_.types[index]; }
  uint32_t firstOf(uint32_t block) const { return blocks_[block].first - f_.fir->firstInstruction; }
  uint32_t blockOf(uint32_t index) const;
  // Index of the first instruction behind the phis and the landing pad of a block.
  uint32_t bodyOf(uint32_t block) const;
  bool hasPhis(uint32_t block) const { return at(firstOf(block)).op == fir::Op::Phi; }

  Source source(fir::Operand o) const;
  bool isConstant(fir::Operand o) const { return fir::operandKind(o) == fir::OperandKind::Constant; }
  uint64_t constant(fir::Operand o) const { return f_.module->constants[fir::operandIndex(o)]; }
  Operation& operation(uint32_t index);
  CallSite& callSite(uint32_t index);
  const Edge* edge(uint32_t from, uint32_t to); // null: no phis
  static Insn insn(Handler handler) { return Insn{handler, 0, 0, 0, 1, {0}}; }

  DecodedFunction& f_;
  const fir::Image& image_;
  std::span<const fir::Block> blocks_;
  std::vector<uint64_t>& cells_; // grows by one per ThreadLocal

private:
  std::map<std::pair<uint32_t, uint32_t>, const Edge*> edges_;
};

class PlainDecoder : Decoder {
public:
  using Decoder::Decoder;
  void run();

private:
  Insn decode(uint32_t index);
  Insn decodeBinary(uint32_t index);
  Insn decodeBranch(uint32_t index);
  Insn asOperation(uint32_t index);
  Insn decodeAccess(uint32_t index);
  Insn decodeAddress(uint32_t index);
  Insn asCall(uint32_t index, Exit reason);
  void decodeSwitch(uint32_t index, Insn& insn);
  void decodeIndirect(uint32_t index, Insn& insn);
  // Plain index where block `to` is entered from block `from`: an instruction or a stub.
  uint32_t target(uint32_t from, uint32_t to);
  uint32_t blockStart(uint32_t block); // behind the phi moves
  uint32_t addStub(Stub stub);
  static uint32_t distance(uint32_t from, uint32_t to) {
    return uint32_t((int64_t(to) - int64_t(from)) * int64_t(sizeof(Insn)));
  }

  std::vector<uint32_t> epochStubs_; // by block; kNone
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> edgeStubs_;
};

// Validates and decodes; on failure f.error says why.
bool decodeFunction(DecodedFunction& f, std::vector<uint64_t>& cells,
                    const std::function<DecodedFunction*(uint64_t address)>& functionAt);

// How operands combine for handlers of two; false if both are constants.
bool kindsOf(fir::Operand a, fir::Operand b, Kinds& kinds);

} // namespace faultline::replay

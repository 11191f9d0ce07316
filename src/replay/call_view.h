// A call that a stopped frame is in: who is called, and with what.
#pragma once

#include "replay/source_expression.h"

namespace faultline::replay {

class CallView {
public:
  // Nothing if the frame does not stand at a call.
  static std::optional<CallView> of(const FrameView& frame, const MemoryView& memory,
                                    const SymbolView& symbols);

  const std::string& linkerName() const { return name_; } // empty: not known
  std::string shownName() const;                          // as the source has it
  bool isByPointer() const { return byPointer_; }
  size_t argumentCount() const { return operands_.size() - 1; }
  fir::Operand operand(size_t argument) const { return operands_[argument + 1]; }
  fir::Operand callee() const { return operands_[0]; }
  std::optional<uint64_t> argument(size_t number) const; // from 0
  // The text that the argument points to, from memory or from the program's own constants.
  std::optional<std::string> textArgument(size_t number) const;

private:
  CallView(const FrameView& frame, const MemoryView& memory, const SymbolView& symbols)
      : frame_(&frame), memory_(&memory), symbols_(&symbols) {}
  const FrameView* frame_;
  const MemoryView* memory_;
  const SymbolView* symbols_;
  std::span<const fir::Operand> operands_;
  std::string name_;
  bool byPointer_ = false;
};

struct SymbolAt {
  size_t module;
  uint32_t symbol;
};
std::optional<SymbolAt> symbolAt(const SymbolView& symbols, uint64_t address);

// At most `limit` bytes up to the NUL; nothing if even the first was never seen.
std::optional<std::string> textAt(const MemoryView& memory, const SymbolView& symbols, uint64_t address,
                                  size_t limit = 4096);

} // namespace faultline::replay

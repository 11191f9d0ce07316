#include "replay/call_view.h"

#include "replay/symbol_name.h"

#include <algorithm>

namespace faultline::replay {

std::optional<SymbolAt> symbolAt(const SymbolView& symbols, uint64_t address) {
  for (size_t m = 0; address != 0 && m < symbols.moduleCount(); ++m)
    for (uint32_t s = 0; s < symbols.image(m).symbols.size(); ++s)
      if (symbols.address(m, s) == address) return SymbolAt{m, s};
  return std::nullopt;
}

namespace {

// A constant of the program that no code has read yet is in its image all the same.
std::optional<std::string> textInImage(const SymbolView& symbols, uint64_t address, size_t limit) {
  for (size_t m = 0; m < symbols.moduleCount(); ++m) {
    const fir::Image& image = symbols.image(m);
    for (uint32_t k = 0; k < image.symbols.size(); ++k) {
      const fir::Symbol& s = image.symbols[k];
      uint64_t start = symbols.address(m, k);
      bool holds = start != 0 && address >= start && address - start < s.size && (s.flags & fir::kConstant);
      if (!holds || s.initial >= image.bytes.size()) continue;
      auto bytes = image.bytes.subspan(s.initial, std::min<uint64_t>(s.size, image.bytes.size() - s.initial));
      if (address - start >= bytes.size()) continue;
      bytes = bytes.subspan(address - start);
      auto end = std::find(bytes.begin(), bytes.begin() + std::min(limit, bytes.size()), uint8_t(0));
      return std::string(bytes.begin(), end);
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> textAt(const MemoryView& memory, const SymbolView& symbols, uint64_t address,
                                  size_t limit) {
  if (address == 0) return std::nullopt;
  if (auto text = textInImage(symbols, address, limit)) return text;
  std::string text;
  for (uint8_t c; text.size() < limit; text += char(c)) {
    if (!memory.read(address + text.size(), {&c, 1}))
      return text.empty() ? std::nullopt : std::optional(text);
    if (c == 0) break;
  }
  return text;
}

std::optional<CallView> CallView::of(const FrameView& frame, const MemoryView& memory,
                                     const SymbolView& symbols) {
  if (!functionOf(frame) || frame.instruction >= frame.image->instructions.size()) return std::nullopt;
  const fir::Instruction& i = frame.image->instructions[frame.instruction];
  if (i.op != fir::Op::Call || i.operandCount == 0) return std::nullopt;
  CallView call(frame, memory, symbols);
  call.operands_ = frame.image->operandsOf(i);
  uint32_t symbol = i.aux < frame.image->calls.size() ? frame.image->calls[i.aux].symbol : fir::kNone;
  call.byPointer_ = symbol == fir::kNone;
  if (symbol < frame.image->symbols.size()) {
    call.name_ = frame.image->string(frame.image->symbols[symbol].name);
  } else if (auto address = operandValue(frame, symbols, call.operands_[0])) {
    if (auto found = symbolAt(symbols, *address)) {
      const fir::Image& image = symbols.image(found->module);
      call.name_ = image.string(image.symbols[found->symbol].name);
    }
  }
  return call;
}

std::string CallView::shownName() const { return functionName(name_); }

std::optional<uint64_t> CallView::argument(size_t number) const {
  if (number >= argumentCount()) return std::nullopt;
  return operandValue(*frame_, *symbols_, operand(number));
}

std::optional<std::string> CallView::textArgument(size_t number) const {
  auto address = argument(number);
  return address ? textAt(*memory_, *symbols_, *address) : std::nullopt;
}

} // namespace faultline::replay

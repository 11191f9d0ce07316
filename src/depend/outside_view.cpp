#include "depend/outside_view.h"

#include "replay/call_view.h"
#include "replay/engine.h"

#include <algorithm>
#include <cstring>

namespace faultline::depend {

using replay::CallSite;
using replay::Frame;
using replay::ListArguments;
using replay::OutsideCall;
using replay::VariableArguments;

bool EngineView::read(uint64_t address, std::span<uint8_t> out) const {
  // Reading fills the memory's table of hot pages, nothing else changes.
  replay::Memory& memory = const_cast<replay::Engine*>(engine_)->memory();
  bool all = true;
  while (!out.empty()) { // page by page
    size_t size = std::min<size_t>(out.size(), replay::kPageSize - address % replay::kPageSize);
    bool known = address < replay::kAddressLimit && memory.isPresent(address) &&
                 memory.read(address, out.data(), size);
    if (!known) std::memset(out.data(), 0, size);
    all &= known;
    out = out.subspan(size);
    address += size;
  }
  return all;
}

size_t EngineView::moduleCount() const { return engine_->program().modules().size(); }
const fir::Image& EngineView::image(size_t module) const {
  return *engine_->program().modules()[module]->image;
}
uint64_t EngineView::address(size_t module, uint32_t symbol) const {
  const std::vector<uint64_t>& addresses = engine_->program().modules()[module]->addresses;
  return symbol < addresses.size() ? addresses[symbol] : 0;
}

const std::string& CalleeNames::of(const OutsideCall& call) {
  uint32_t symbol = call.site.info ? call.site.info->symbol : fir::kNone;
  if (symbol != fir::kNone) {
    auto [it, isNew] = bySite_.try_emplace(&call.site);
    const fir::Image& image = *call.site.function->module->image;
    if (isNew) it->second = image.string(image.symbols[symbol].name);
    return it->second;
  }
  auto [it, isNew] = byAddress_.try_emplace(call.site.callee.value(call.words));
  if (isNew) {
    EngineView view(call.engine);
    if (auto found = replay::symbolAt(view, it->first)) {
      const fir::Image& image = view.image(found->module);
      it->second = image.string(image.symbols[found->symbol].name);
    }
  }
  return it->second;
}

namespace {

VariableArguments argumentsFrom(const CallSite& site, const uint64_t* words, size_t first) {
  return [&site, words, first](size_t n) -> const uint64_t* {
    return first + n < site.arguments.size() ? site.arguments[first + n].at(words) : nullptr;
  };
}

// How many arguments va_arg has taken from the list: how far its two offsets have moved from where va_start
// puts them in this function. Nothing once the arguments that came in registers are used up.
std::optional<size_t> takenFrom(const EngineView& view, uint64_t list,
                                const replay::DecodedFunction& function) {
  const fir::Image& image = *function.module->image;
  uint32_t offsets[2], general = 0, floating = 0;
  if (!view.read(list, {reinterpret_cast<uint8_t*>(offsets), sizeof offsets})) return std::nullopt;
  for (const fir::Argument& a : image.argumentsOf(*function.fir)) {
    fir::TypeKind kind = image.types[a.type].kind;
    bool isFloating = kind == fir::TypeKind::Float || kind == fir::TypeKind::Double;
    if (isFloating) ++floating;
    if (!isFloating && kind != fir::TypeKind::X87 && a.byValueSize == 0) ++general;
  }
  uint32_t generalStart = std::min(general, 6u) * 8, floatingStart = 48 + std::min(floating, 8u) * 16;
  bool isUsedUp =
      offsets[0] > 48 || offsets[1] > 176 || offsets[0] < generalStart || offsets[1] < floatingStart;
  if (isUsedUp) return std::nullopt;
  return (offsets[0] - generalStart) / 8 + (offsets[1] - floatingStart) / 16;
}

// The innermost function with "..." has made the list; the frame of its caller still has what that passed.
ListArguments listArguments(const OutsideCall& call, const EngineView& view, uint64_t list) {
  const replay::Thread& thread = call.engine.thread();
  for (size_t k = thread.depth; k-- > 1;) {
    const Frame& frame = thread.frames.data[k];
    if (!(frame.function->fir->flags & fir::kVariadic)) continue;
    const Frame& caller = thread.frames.data[k - 1];
    auto taken = takenFrom(view, list, *frame.function);
    if (frame.kind != Frame::Called || !caller.site || !taken) return {};
    size_t first = frame.function->fir->argumentCount + *taken;
    return {argumentsFrom(*caller.site, thread.words.data + caller.words, first), uint32_t(thread.depth - k),
            uint32_t(first + 1)};
  }
  return {};
}

} // namespace

CallState callState(const OutsideCall& call, const EngineView& view) {
  CallState state;
  state.words = argumentsFrom(call.site, call.words, 0);
  state.argumentCount = uint32_t(call.site.arguments.size());
  state.resultUsed = call.site.resultUsed;
  state.memory = &view;
  state.list = [&call, &view](uint64_t list) { return listArguments(call, view, list); };
  return state;
}

uint64_t addressOf(const replay::SymbolView& symbols, std::string_view variable) {
  for (size_t m = 0; m < symbols.moduleCount(); ++m) {
    const fir::Image& image = symbols.image(m);
    for (uint32_t k = 0; k < image.symbols.size(); ++k)
      if (image.string(image.symbols[k].name) == variable)
        if (uint64_t address = symbols.address(m, k)) return address;
  }
  return 0;
}

static const fir::Type* resultType(const OutsideCall& call) {
  const fir::Image& image = *call.site.function->module->image;
  uint32_t type = call.site.instruction->type;
  return type < image.types.size() ? &image.types[type] : nullptr;
}

std::optional<uint64_t> resultValue(const OutsideCall& call, std::span<const uint64_t> result) {
  if (result.empty()) return std::nullopt;
  const fir::Type* type = resultType(call);
  bool isNarrow = type && type->kind == fir::TypeKind::Int && type->bits > 1 && type->bits < 64;
  if (!isNarrow) return result[0];
  unsigned unused = 64 - type->bits;
  return uint64_t(int64_t(result[0] << unused) >> unused);
}

uint32_t resultBytes(const OutsideCall& call) {
  const fir::Type* type = resultType(call);
  return type && type->bytes ? type->bytes : call.site.resultWords * 8;
}

} // namespace faultline::depend

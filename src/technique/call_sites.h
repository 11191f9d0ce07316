// What serves the whole program: functions that are called from many places do what they are told.
#pragma once

#include "replay/replay.h"

#include <string_view>

namespace faultline::technique {

inline bool isCalledByMany(const replay::Program& program, const fir::Image& own, uint32_t function) {
  constexpr size_t kMany = 5; // calls in the code, of all its files
  if (function == fir::kNone) return false;
  auto nameOf = [](const fir::Image& image, uint32_t symbol) {
    return symbol < image.symbols.size() ? image.string(image.symbols[symbol].name) : std::string_view();
  };
  const std::string_view name = nameOf(own, own.functions[function].symbol);
  size_t calls = 0;
  for (const auto& module : program.modules())
    for (const fir::CallInfo& call : module->image->calls)
      if (nameOf(*module->image, call.symbol) == name && ++calls >= kMany) return true;
  return false;
}

inline bool isCalledByMany(const replay::Replay& replay, const replay::FrameView& frame) {
  return isCalledByMany(replay.program(), *frame.image, frame.function);
}

} // namespace faultline::technique

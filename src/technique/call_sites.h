// What serves the whole program: functions that are called from many places do what they are told.
#pragma once

#include "replay/replay.h"

#include <string_view>

namespace faultline::technique {

inline bool isCalledByMany(const replay::Replay& replay, const replay::FrameView& frame) {
  constexpr size_t kMany = 5; // calls in the code, of all its files
  if (frame.function == fir::kNone) return false;
  auto nameOf = [](const fir::Image& image, uint32_t symbol) {
    return symbol < image.symbols.size() ? image.string(image.symbols[symbol].name) : std::string_view();
  };
  const std::string_view name = nameOf(*frame.image, frame.image->functions[frame.function].symbol);
  size_t calls = 0;
  for (const auto& module : replay.program().modules())
    for (const fir::CallInfo& call : module->image->calls)
      if (nameOf(*module->image, call.symbol) == name && ++calls >= kMany) return true;
  return false;
}

} // namespace faultline::technique

// Checks one function of an untrusted FIR image before it is made ready to run: afterwards every operand,
// type, block and constant that it names exists, values fit their words, and every cycle of blocks passes an
// epoch point, so that running it touches nothing else and always makes progress.
#pragma once

#include "base/result.h"
#include "program/image.h"

namespace faultline::replay {

inline constexpr uint32_t kMaxFrameWords = 1u << 20;
inline constexpr uint32_t kMaxTypeWords = 1u << 16;

Result<void> validateFunction(const fir::Image& image, const fir::Function& function);

} // namespace faultline::replay

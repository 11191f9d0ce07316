// Numbers, characters, enumerators and texts of the program, as its source would write them.
#pragma once

#include "replay/debug_type.h"

#include <span>
#include <string>

namespace faultline::replay {

// 'a' (97), '\n' (10), 200; wider than a byte: as a code point.
std::string characterText(uint64_t code, bool isSigned);

// In quotes, escaped as C would, valid UTF-8 left as it is; cut: `...` behind it.
std::string quotedText(std::span<const uint8_t> bytes, bool cut = false);

// The shortest number that reads back as the same value. size: 2 (_Float16), 4, 8, 10 to 16 (long double).
std::string floatText(std::span<const uint8_t> bytes, bool isQuad);

// Decimal; up to 16 bytes, little-endian.
std::string integerText(std::span<const uint8_t> bytes, bool isSigned);

// RED; READ | WRITE where the enumerators are bits; else the number.
std::string enumText(TypeRef type, uint64_t value);

} // namespace faultline::replay

// Text of programs and their sources need not be UTF-8; what we print must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace faultline::report {

// Bytes of the character that the text begins with, if all of them are there and it can be shown; else 0.
// ASCII control characters are 1, the others (C1) are 0.
size_t sequenceLength(std::string_view text);

// With U+FFFD for every byte that is not part of a character.
std::string validUtf8(std::string_view text);

// Valid, and at most so many characters; `...` stands for what is missing.
std::string cutUtf8(std::string_view text, size_t most);

// The column (from 1) in characters of a column in bytes. An invalid byte counts as one.
uint32_t codePointColumn(std::string_view line, uint32_t byteColumn);

} // namespace faultline::report

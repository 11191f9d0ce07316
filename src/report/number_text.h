// A number as the source has it: characters, other bases, suffixes.
//
//   h = h * 31 + (*s & 0x7fu);     127 stands there as "0x7fu"; 255 would be written "0xffu"
//   if (c >= 'a')                  97 stands there as "'a'"; 65 would be written "'A'"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace faultline::report {

struct SpelledNumber {
  std::string own, other;
};

// `own` is looked for at the column or behind it, and must stand at one place only. Nothing: it does not, or
// the other cannot be written in the same way.
std::optional<SpelledNumber> spelledAs(std::string_view line, size_t column, int64_t own, int64_t other);

} // namespace faultline::report

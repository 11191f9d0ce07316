// One conversion of a printf format, taken apart: %-5.2f, %*d, %2$s.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faultline::replay {

// A field that is wider than this is not worth our memory; a number in a format never becomes larger.
inline constexpr int kWidestField = 1 << 20;

enum class PrintfLength : uint8_t { None, Char, Short, Long, LongLong, LongDouble };

struct PrintfConversion {
  std::string flags;
  std::optional<int> width, precision;
  bool widthIsArgument = false, precisionIsArgument = false;
  std::optional<uint32_t> argument, widthFrom, precisionFrom; // positional: %3$*1$d
  PrintfLength length = PrintfLength::None;
  char letter = 0;
  size_t end = 0; // behind it, in the format
};

// `at` is behind the '%'. Nothing if the format ends within it.
std::optional<PrintfConversion> parseConversion(std::string_view format, size_t at);

} // namespace faultline::replay

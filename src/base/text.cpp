#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace faultline {
namespace {

// Two significant digits where one would be coarse: 1.2 but 12 and 120.
std::string shortNumber(double value) {
  return value < 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

} // namespace

std::string withThousands(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

std::string humanSize(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr std::array units{"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  // 999.5 would print as "1000 kB".
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1000;
  return shortNumber(value) + " " + units[unit];
}

std::string humanDuration(double seconds) {
  if (seconds <= 0) return "0 s";
  if (seconds < 0.9995e-3) return shortNumber(seconds * 1e6) + " µs";
  if (seconds < 0.9995) return shortNumber(seconds * 1e3) + " ms";
  if (seconds < 59.5) return shortNumber(seconds) + " s";
  auto whole = static_cast<uint64_t>(std::llround(std::min(seconds, 1e15)));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string shellWord(std::string_view word) {
  constexpr std::string_view harmless = "@%+=:,./-_";
  bool plain = !word.empty();
  for (unsigned char c : word)
    plain &= std::isalnum(c) || harmless.find(static_cast<char>(c)) != harmless.npos;
  if (plain) return std::string(word);
  std::string quoted = "'";
  for (char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shellCommand(std::span<const std::string> argv) {
  std::string command;
  for (const std::string& word : argv) command += (command.empty() ? "" : " ") + shellWord(word);
  return command;
}

Result<uint64_t> parseSize(std::string_view text) {
  double number = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, size_t(text.data() + text.size() - end));
  if (!unit.empty() && (unit.back() == 'B' || unit.back() == 'b')) unit.remove_suffix(1);
  double scale = 0;
  if (unit.empty())
    scale = 1;
  else if (unit == "K" || unit == "k")
    scale = 1e3;
  else if (unit == "M" || unit == "m")
    scale = 1e6;
  else if (unit == "G" || unit == "g")
    scale = 1e9;
  else if (unit == "T" || unit == "t")
    scale = 1e12;
  if (failed != std::errc() || scale == 0 || number < 0 || number * scale > 1e18)
    return errorf("'{}' is no size: write a number and K, M, G or T, as in 500M", text);
  return uint64_t(number * scale);
}

} // namespace faultline

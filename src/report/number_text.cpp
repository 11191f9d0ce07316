#include "report/number_text.h"

#include <array>
#include <cctype>
#include <charconv>
#include <fmt/format.h>

namespace faultline::report {
namespace {

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

constexpr std::array kEscapes{std::pair('\n', 'n'), std::pair('\t', 't'),  std::pair('\r', 'r'),
                              std::pair('\0', '0'), std::pair('\\', '\\'), std::pair('\'', '\''),
                              std::pair('\f', 'f'), std::pair('\v', 'v'),  std::pair('\b', 'b')};

std::optional<std::string> characterText(int64_t value) {
  if (value < 0 || value > 126) return std::nullopt;
  for (auto [character, letter] : kEscapes)
    if (character == value) return fmt::format("'\\{}'", letter);
  if (value < ' ') return std::nullopt;
  return fmt::format("'{}'", char(value));
}

// "0x7fu": 16, 127, "u".
struct Written {
  size_t length = 0;
  int base = 10;
  int64_t value = 0;
  bool isUpper = false;
  std::string_view suffix = {};
};

std::optional<Written> writtenAt(std::string_view line, size_t at) {
  size_t end = at;
  while (end < line.size() && (isWordCharacter(line[end]) || line[end] == '.')) ++end;
  std::string_view token = line.substr(at, end - at);
  Written out{.length = token.size()};
  std::string_view digits = token;
  if (digits.starts_with("0x") || digits.starts_with("0X"))
    out.base = 16;
  else if (digits.size() > 1 && digits[0] == '0')
    out.base = 8;
  if (out.base == 16) digits.remove_prefix(2);
  uint64_t value = 0;
  auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, out.base);
  if (error != std::errc() || rest == digits.data()) return std::nullopt;
  out.suffix = digits.substr(size_t(rest - digits.data()));
  if (out.suffix.find_first_not_of("uUlL") != out.suffix.npos) return std::nullopt;
  out.value = int64_t(value);
  out.isUpper = digits.find_first_of("ABCDEF") != digits.npos;
  return out;
}

std::optional<std::string> writtenLike(const Written& own, int64_t other) {
  if (own.base == 10) return fmt::format("{}{}", other, own.suffix);
  if (other < 0) return std::nullopt;
  if (own.base == 8) return fmt::format("0{:o}{}", other, own.suffix);
  return fmt::format("{}{}", own.isUpper ? fmt::format("0x{:X}", other) : fmt::format("0x{:x}", other),
                     own.suffix);
}

} // namespace

std::optional<SpelledNumber> spelledAs(std::string_view line, size_t column, int64_t own, int64_t other) {
  std::optional<SpelledNumber> found;
  const auto character = characterText(own), another = characterText(other);
  bool isAmbiguous = false;
  auto note = [&](std::string_view text, const std::optional<std::string>& instead) {
    isAmbiguous |= found.has_value() || !instead;
    if (instead) found = SpelledNumber{std::string(text), *instead};
  };
  for (size_t k = column; k < line.size(); ++k) {
    if (k > 0 && isWordCharacter(line[k - 1])) continue;
    if (character && line.substr(k, character->size()) == *character) note(*character, another);
    if (!std::isdigit(static_cast<unsigned char>(line[k]))) continue;
    if (auto number = writtenAt(line, k); number && number->value == own)
      note(line.substr(k, number->length), writtenLike(*number, other));
  }
  return isAmbiguous ? std::nullopt : found;
}

} // namespace faultline::report

#include "replay/scalar_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace faultline::replay {

namespace {

// Letter of the escape, or 0.
char escapeLetter(uint8_t c) {
  switch (c) {
  case '\a':
    return 'a';
  case '\b':
    return 'b';
  case '\f':
    return 'f';
  case '\n':
    return 'n';
  case '\r':
    return 'r';
  case '\t':
    return 't';
  case '\v':
    return 'v';
  default:
    return 0;
  }
}

bool isPrintable(uint64_t c) { return c >= 0x20 && c < 0x7f; }

// Bytes of the valid UTF-8 sequence that begins here; 0 if there is none. Overlong forms, surrogates and C1
// control codes do not count: a terminal must be safe from them.
size_t utf8Length(std::span<const uint8_t> bytes) {
  uint8_t lead = bytes[0];
  size_t length = lead >= 0xf0 && lead < 0xf5   ? 4
                  : lead >= 0xe0 && lead < 0xf0 ? 3
                  : lead >= 0xc2 && lead < 0xe0 ? 2
                                                : 0;
  if (length == 0 || length > bytes.size()) return 0;
  uint32_t code = lead & (0xff >> (length + 1));
  for (size_t k = 1; k < length; ++k) {
    if ((bytes[k] & 0xc0) != 0x80) return 0;
    code = (code << 6) | (bytes[k] & 0x3f);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0xa0, 0x800, 0x10000};
  bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < kSmallest[length] || surrogate || code > 0x10ffff ? 0 : length;
}

double halfToDouble(uint16_t half) {
  int exponent = (half >> 10) & 31;
  double fraction = half & 1023;
  double value = exponent == 0    ? std::ldexp(fraction, -24)
                 : exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                                  : std::ldexp(fraction + 1024, exponent - 25);
  return half >> 15 ? -value : value;
}

template <class T> T fromBytes(std::span<const uint8_t> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

bool areBits(TypeRef type) {
  for (const fir::Member& m : type.members())
    if ((m.flags & fir::kEnumerator) && m.bitOffset != 0 && !std::has_single_bit(m.bitOffset)) return false;
  return true;
}

std::string flagsText(TypeRef type, uint64_t value) {
  std::string text;
  for (const fir::Member& m : type.members()) {
    if (!(m.flags & fir::kEnumerator) || m.bitOffset == 0 || !(value & m.bitOffset)) continue;
    if (!text.empty()) text += " | ";
    text += type.memberName(m);
    value &= ~m.bitOffset;
  }
  if (value != 0 && !text.empty()) text += fmt::format(" | {:#x}", value);
  return text;
}

} // namespace

std::string characterText(uint64_t code, bool isSigned) {
  std::string number = isSigned ? fmt::format("{}", int64_t(code)) : fmt::format("{}", code);
  if (code == '\'' || code == '\\') return fmt::format("'\\{}' ({})", char(code), number);
  if (isPrintable(code)) return fmt::format("'{}' ({})", char(code), number);
  if (char letter = code < 0x20 ? escapeLetter(uint8_t(code)) : 0)
    return fmt::format("'\\{}' ({})", letter, number);
  return code == 0 ? "'\\0' (0)" : number;
}

std::string quotedText(std::span<const uint8_t> bytes, bool cut) {
  std::string text = "\"";
  for (size_t k = 0; k < bytes.size();) {
    uint8_t c = bytes[k];
    size_t length = 1;
    if (c == '"' || c == '\\')
      text += {'\\', char(c)};
    else if (isPrintable(c))
      text += char(c);
    else if (char letter = escapeLetter(c))
      text += {'\\', letter};
    else if ((length = utf8Length(bytes.subspan(k))))
      text.append(reinterpret_cast<const char*>(&bytes[k]), length);
    else
      text += fmt::format("\\{:03o}", c), length = 1;
    k += length;
  }
  return text + (cut ? "\"..." : "\"");
}

std::string floatText(std::span<const uint8_t> bytes, bool isQuad) {
  if (isQuad)
    return fmt::format("{:#x}{:016x}", fromBytes<uint64_t>(bytes.subspan(8)), fromBytes<uint64_t>(bytes));
  switch (bytes.size()) {
  case 2:
    return fmt::format("{}", float(halfToDouble(fromBytes<uint16_t>(bytes))));
  case 4:
    return fmt::format("{}", fromBytes<float>(bytes));
  case 8:
    return fmt::format("{}", fromBytes<double>(bytes));
  default:
    return fmt::format("{}", fromBytes<long double>(bytes));
  }
}

std::string integerText(std::span<const uint8_t> bytes, bool isSigned) {
  uint8_t wide[16];
  bool negative = isSigned && !bytes.empty() && (bytes.back() & 0x80);
  std::memset(wide, negative ? 0xff : 0, sizeof wide);
  std::memcpy(wide, bytes.data(), std::min(bytes.size(), sizeof wide));
  auto value = fromBytes<unsigned __int128>(wide);
  return negative ? fmt::format("{}", __int128(value)) : fmt::format("{}", value);
}

std::string enumText(TypeRef type, uint64_t value) {
  uint64_t size = std::min<uint64_t>(sizeOf(type), 8);
  uint64_t mask = size == 0 || size == 8 ? ~uint64_t(0) : (uint64_t(1) << (size * 8)) - 1;
  for (const fir::Member& m : type.members())
    if ((m.flags & fir::kEnumerator) && ((m.bitOffset ^ value) & mask) == 0)
      return std::string(type.memberName(m));
  std::string flags = areBits(type) ? flagsText(type, value & mask) : "";
  return flags.empty() ? fmt::format("{}", int64_t(value)) : flags;
}

} // namespace faultline::replay

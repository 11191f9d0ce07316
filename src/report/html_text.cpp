#include "report/html_text.h"

#include "report/utf8.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace faultline::report {
namespace {

// U+200E, 200F, 202A-202E, 2066-2069: marks of direction, by which a line can seem to say something else.
bool turnsText(std::string_view c) {
  if (c.size() != 3 || c[0] != '\xe2') return false;
  auto a = uint8_t(c[1]), b = uint8_t(c[2]);
  return (a == 0x80 && (b == 0x8e || b == 0x8f || (b >= 0xaa && b <= 0xae))) ||
         (a == 0x81 && b >= 0xa6 && b <= 0xa9);
}

std::string codePoint(std::string_view c) {
  uint32_t value = (uint8_t(c[0]) & 15u) << 12 | (uint8_t(c[1]) & 63u) << 6 | (uint8_t(c[2]) & 63u);
  return fmt::format("<span class=\"odd\">U+{:04X}</span>", value);
}

std::string one(std::string_view c) {
  switch (c[0]) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  case '\t':
    return "\t";
  default:
    break;
  }
  auto byte = uint8_t(c[0]);
  if (c.size() == 1 && (byte < 0x20 || byte == 0x7f))
    return fmt::format("<span class=\"odd\">\\x{:02x}</span>", byte);
  return turnsText(c) ? codePoint(c) : std::string(c);
}

} // namespace

std::string html(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t length = sequenceLength(text);
    out += length ? one(text.substr(0, length))
                  : fmt::format("<span class=\"odd\">\\x{:02x}</span>", uint8_t(text[0]));
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string htmlWithCode(std::string_view text) {
  std::string out;
  while (true) {
    size_t open = text.find('`');
    size_t close = open == text.npos ? text.npos : text.find('`', open + 1);
    if (close == text.npos) return out + html(text);
    out += html(text.substr(0, open)) + "<code>" + html(text.substr(open + 1, close - open - 1)) + "</code>";
    text.remove_prefix(close + 1);
  }
}

} // namespace faultline::report

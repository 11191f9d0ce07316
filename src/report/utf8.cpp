#include "report/utf8.h"

#include <algorithm>

namespace faultline::report {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Sequences that are too long for what they say, surrogates, and what lies beyond the last character.
bool isForbidden(uint8_t lead, uint8_t next) {
  return (lead == 0xe0 && next < 0xa0) || (lead == 0xed && next >= 0xa0) || (lead == 0xf0 && next < 0x90) ||
         (lead == 0xf4 && next >= 0x90) || (lead == 0xc2 && next < 0xa0);
}

} // namespace

size_t sequenceLength(std::string_view text) {
  if (text.empty()) return 0;
  auto lead = uint8_t(text[0]);
  size_t length = lead < 0x80                   ? 1
                  : lead >= 0xc2 && lead < 0xe0 ? 2
                  : lead >= 0xe0 && lead < 0xf0 ? 3
                  : lead >= 0xf0 && lead < 0xf5 ? 4
                                                : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k)
    if ((uint8_t(text[k]) & 0xc0) != 0x80) return 0;
  return length > 1 && isForbidden(lead, uint8_t(text[1])) ? 0 : length;
}

std::string validUtf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t length = sequenceLength(text);
    out += length ? text.substr(0, length) : kReplacement;
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string cutUtf8(std::string_view text, size_t most) {
  std::string valid = validUtf8(text);
  auto isStart = [](char c) { return (uint8_t(c) & 0xc0) != 0x80; };
  if (size_t(std::count_if(valid.begin(), valid.end(), isStart)) <= most) return valid;
  size_t keep = most > 3 ? most - 3 : 0, at = 0;
  for (size_t seen = 0; at < valid.size(); ++at)
    if (isStart(valid[at]) && seen++ == keep) break;
  return valid.substr(0, at) + std::string(std::min<size_t>(most, 3), '.');
}

uint32_t codePointColumn(std::string_view line, uint32_t byteColumn) {
  uint32_t column = 1;
  for (size_t at = 0; at + 1 < byteColumn && at < line.size(); ++column)
    at += std::max<size_t>(sequenceLength(line.substr(at)), 1);
  return column;
}

} // namespace faultline::report

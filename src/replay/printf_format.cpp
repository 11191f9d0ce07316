#include "replay/printf_format.h"

#include "replay/printf_spec.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace faultline::replay {
namespace {

using Conversion = PrintfConversion;
using Length = PrintfLength;

constexpr uint64_t kLongest = uint64_t(1) << 24;

template <class T> std::string printed(const std::string& spec, T value) {
  int size = std::snprintf(nullptr, 0, spec.c_str(), value);
  if (size < 0) return "";
  std::string text(size_t(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), spec.c_str(), value);
  text.resize(size_t(size));
  return text;
}

std::string utf8(uint32_t c) {
  if (c < 0x80) return {char(c)};
  if (c < 0x800) return {char(0xc0 | (c >> 6)), char(0x80 | (c & 0x3f))};
  if (c < 0x10000) return {char(0xe0 | (c >> 12)), char(0x80 | ((c >> 6) & 0x3f)), char(0x80 | (c & 0x3f))};
  return {char(0xf0 | (c >> 18)), char(0x80 | ((c >> 12) & 0x3f)), char(0x80 | ((c >> 6) & 0x3f)),
          char(0x80 | (c & 0x3f))};
}

class Formatter {
public:
  Formatter(std::string_view format, const VariableArguments& arguments, const MemoryView& memory)
      : format_(format), arguments_(arguments), memory_(memory) {}

  std::vector<FormatPart> run() {
    while (at_ < format_.size()) {
      size_t percent = std::min(format_.find('%', at_), format_.size());
      if (percent > at_) literal(percent);
      if (at_ < format_.size() && !conversion()) break;
    }
    return std::move(parts_);
  }

private:
  void literal(size_t end) {
    FormatPart part;
    part.text = format_.substr(at_, end - at_);
    part.offset = at_;
    parts_.push_back(std::move(part));
    at_ = end;
  }

  // False: the format is not one that printf understands, so nobody knows what comes.
  bool conversion() {
    auto c = parseConversion(format_, at_ + 1);
    FormatPart part;
    part.offset = at_;
    part.spec = format_.substr(at_, c ? c->end - at_ : format_.npos);
    at_ += part.spec.size();
    bool understood = c && std::strchr("diouxXcCsSpneEfFgGaAm%", c->letter);
    if (!understood)
      part.isKnown = false;
    else if (c->letter == '%')
      part.text = "%", part.spec.clear();
    else
      fill(*c, part);
    parts_.push_back(std::move(part));
    return understood;
  }

  void fill(Conversion& c, FormatPart& part) {
    if (!resolve(c)) part.isKnown = false;
    if (c.letter == 'm') return void(part.isKnown = false); // errno is nobody's variable
    part.argument = c.argument.value_or(next_++);
    const uint64_t* words = arguments_(part.argument);
    if (!words) part.isKnown = false;
    if (part.isKnown && c.letter != 'n') value(c, words, part);
  }

  // Turns '*' into numbers.
  bool resolve(Conversion& c) {
    if (c.widthIsArgument) {
      const uint64_t* words = arguments_(c.widthFrom.value_or(next_));
      if (!c.widthFrom) ++next_;
      if (!words) return false;
      int64_t width = int32_t(*words);
      if (width < 0) c.flags += '-', width = -width;
      c.width = int(std::min<int64_t>(width, kWidestField + 1));
    }
    if (c.precisionIsArgument) {
      const uint64_t* words = arguments_(c.precisionFrom.value_or(next_));
      if (!c.precisionFrom) ++next_;
      if (!words) return false;
      if (int32_t(*words) >= 0) c.precision = int32_t(*words);
    }
    return c.width.value_or(0) <= kWidestField &&
           (c.letter == 's' || c.precision.value_or(0) <= kWidestField);
  }

  static std::string spec(const Conversion& c, std::string_view tail) {
    std::string out = "%" + c.flags;
    if (c.width) out += fmt::format("{}", *c.width);
    if (c.precision) out += fmt::format(".{}", *c.precision);
    return out += tail;
  }

  void value(const Conversion& c, const uint64_t* words, FormatPart& part) {
    switch (c.letter) {
    case 'd':
    case 'i':
      part.text = printed(spec(c, "jd"), intmax_t(asSigned(c.length, *words)));
      break;
    case 'c':
    case 'C':
      character(c, *words, part);
      break;
    case 's':
    case 'S':
      string(c, *words, part);
      break;
    case 'p':
      part.text = printed(spec(c, "p"), reinterpret_cast<void*>(*words));
      break;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      part.text = printed(spec(c, std::string("j") + c.letter), uintmax_t(asUnsigned(c.length, *words)));
      break;
    default:
      part.text = floating(c, words);
    }
  }

  static int64_t asSigned(Length length, uint64_t word) {
    switch (length) {
    case Length::None:
      return int32_t(word);
    case Length::Char:
      return int8_t(word);
    case Length::Short:
      return int16_t(word);
    default:
      return int64_t(word);
    }
  }
  static uint64_t asUnsigned(Length length, uint64_t word) {
    auto value = uint64_t(asSigned(length, word));
    switch (length) {
    case Length::None:
      return uint32_t(value);
    case Length::Char:
      return uint8_t(value);
    case Length::Short:
      return uint16_t(value);
    default:
      return value;
    }
  }

  static std::string floating(const Conversion& c, const uint64_t* words) {
    if (c.length == Length::LongDouble) {
      long double value = 0;
      std::memcpy(&value, words, 10);
      return printed(spec(c, std::string("L") + c.letter), value);
    }
    double value;
    std::memcpy(&value, words, sizeof value);
    return printed(spec(c, std::string(1, c.letter)), value);
  }

  void character(const Conversion& c, uint64_t word, FormatPart& part) {
    Conversion plain = c;
    plain.precision.reset();
    if (c.letter == 'C' || c.length == Length::Long)
      part.text = printed(spec(plain, "s"), utf8(uint32_t(word)).c_str());
    else
      part.text = printed(spec(plain, "c"), int(uint8_t(word)));
  }

  void string(const Conversion& c, uint64_t address, FormatPart& part) {
    bool wide = c.letter == 'S' || c.length == Length::Long;
    if (address == 0) return void(part.text = printed(spec(c, "s"), static_cast<const char*>(nullptr)));
    std::string text;
    uint64_t limit = c.precision ? uint64_t(*c.precision) : kLongest;
    part.isKnown = wide ? readWide(address, limit, text) : readText(memory_, address, limit, text);
    size_t width = size_t(c.width.value_or(0));
    std::string padding(width > text.size() ? width - text.size() : 0, ' ');
    bool left = c.flags.find('-') != std::string::npos;
    part.lead = left ? 0 : uint32_t(padding.size());
    part.address = wide ? 0 : address;
    part.text = left ? text + padding : padding + text;
  }

  bool readWide(uint64_t address, uint64_t limit, std::string& text) const {
    for (;; address += sizeof(wchar_t)) {
      uint32_t c;
      if (!memory_.read(address, {reinterpret_cast<uint8_t*>(&c), sizeof c})) return false;
      std::string next = c ? utf8(c) : "";
      if (next.empty() || text.size() + next.size() > limit) return true;
      text += next;
    }
  }

  std::string_view format_;
  const VariableArguments& arguments_;
  const MemoryView& memory_;
  size_t at_ = 0;
  uint32_t next_ = 0; // variable argument
  std::vector<FormatPart> parts_;
};

} // namespace

bool readText(const MemoryView& memory, uint64_t address, uint64_t limit, std::string& text) {
  uint8_t piece[256];
  while (text.size() < limit) {
    // Not across a page: what lies on the next one may be unknown, and not needed.
    size_t size = std::min<uint64_t>({sizeof piece, limit - text.size(), 4096 - address % 4096});
    if (!memory.read(address, {piece, size})) {
      // Perhaps only a part of it was never seen.
      if (size == 1) return false;
      for (size_t k = 0; k < size; ++k, ++address) {
        if (!memory.read(address, {piece, 1})) return false;
        if (piece[0] == 0) return true;
        text += char(piece[0]);
      }
      continue;
    }
    const void* end = std::memchr(piece, 0, size);
    text.append(reinterpret_cast<char*>(piece),
                end ? size_t(static_cast<const uint8_t*>(end) - piece) : size);
    if (end) return true;
    address += size;
  }
  return true;
}

std::vector<FormatPart> formatParts(std::string_view format, const VariableArguments& arguments,
                                    const MemoryView& memory) {
  return Formatter(format, arguments, memory).run();
}

} // namespace faultline::replay

#include "replay/printf_spec.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace faultline::replay {
namespace {

// Reads one conversion behind its '%'.
class Parser {
public:
  Parser(std::string_view format, size_t at) : format_(format), at_(at) {}

  std::optional<PrintfConversion> parse() {
    PrintfConversion c;
    c.argument = position();
    while (at_ < format_.size() && std::strchr("-+ #0'I", format_[at_])) c.flags += format_[at_++];
    c.widthIsArgument = take('*');
    if (c.widthIsArgument)
      c.widthFrom = position();
    else
      c.width = number();
    if (take('.')) {
      c.precisionIsArgument = take('*');
      if (c.precisionIsArgument)
        c.precisionFrom = position();
      else
        c.precision = number().value_or(0);
    }
    c.length = length();
    if (at_ >= format_.size()) return std::nullopt;
    c.letter = format_[at_++];
    c.end = at_;
    return c;
  }

private:
  bool take(char c) { return at_ < format_.size() && format_[at_] == c ? ++at_, true : false; }
  std::optional<int> number() {
    if (at_ >= format_.size() || !std::isdigit(uint8_t(format_[at_]))) return std::nullopt;
    int value = 0;
    for (; at_ < format_.size() && std::isdigit(uint8_t(format_[at_])); ++at_)
      value = std::min(kWidestField + 1, value * 10 + (format_[at_] - '0'));
    return value;
  }
  // "3$", or nothing and no step.
  std::optional<uint32_t> position() {
    size_t start = at_;
    auto value = number();
    if (value && *value > 0 && take('$')) return uint32_t(*value - 1);
    at_ = start;
    return std::nullopt;
  }
  PrintfLength length() {
    constexpr struct {
      std::string_view text;
      PrintfLength length;
    } kLengths[] = {{"hh", PrintfLength::Char}, {"h", PrintfLength::Short}, {"ll", PrintfLength::LongLong},
                    {"l", PrintfLength::Long},  {"q", PrintfLength::Long},  {"L", PrintfLength::LongDouble},
                    {"j", PrintfLength::Long},  {"z", PrintfLength::Long},  {"Z", PrintfLength::Long},
                    {"t", PrintfLength::Long}};
    for (auto& l : kLengths)
      if (format_.substr(at_).starts_with(l.text)) return at_ += l.text.size(), l.length;
    return PrintfLength::None;
  }

  std::string_view format_;
  size_t at_;
};

} // namespace

std::optional<PrintfConversion> parseConversion(std::string_view format, size_t at) {
  return Parser(format, at).parse();
}

} // namespace faultline::replay

#include "depend/call_model_scan.h"

#include "depend/scanned_input.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace faultline::depend {
namespace {

constexpr uint64_t kLongestScanned = uint64_t(1) << 20;
constexpr uint64_t kUnknownText = 64;     // bytes of it that we name as sources
constexpr uint64_t kUnknownString = 4096; // bytes that a %s of input may have stored

struct Spec {
  bool isSuppressed = false;
  uint64_t width = 0; // 0: none
  char length = 0;    // H for hh, L for L, q for ll j z t
  char letter = 0;
  std::string set = {}; // of %[, as the format has it
  size_t end = 0;
};

// Behind the '%'.
Spec parseSpec(std::string_view format, size_t at) {
  Spec spec;
  auto peek = [&] { return at < format.size() ? format[at] : '\0'; };
  if (peek() == '*') spec.isSuppressed = true, ++at;
  while (std::isdigit(uint8_t(peek())))
    spec.width = std::min<uint64_t>(spec.width * 10 + uint64_t(format[at++] - '0'), kLongestScanned);
  if (peek() == 'm') ++at;
  for (char c = peek(); c && std::strchr("hlLqjzt", c); c = peek()) {
    bool again = spec.length == c;
    spec.length = c == 'h' ? (again ? 'H' : 'h') : c == 'l' ? 'l' : c == 'L' ? 'L' : 'q';
    ++at;
  }
  spec.letter = peek();
  if (spec.letter) ++at;
  if (spec.letter == '[') {
    size_t begin = at;
    if (peek() == '^') ++at;
    if (peek() == ']') ++at;
    while (at < format.size() && format[at] != ']') ++at;
    spec.set = format.substr(begin, at - begin);
    if (at < format.size()) ++at;
  }
  spec.end = at;
  return spec;
}

bool isIn(std::string_view set, char c) {
  bool inverted = !set.empty() && set[0] == '^';
  if (inverted) set.remove_prefix(1);
  bool found = false;
  for (size_t k = 0; k < set.size(); ++k) {
    if (k + 2 < set.size() && set[k + 1] == '-') {
      found |= uint8_t(c) >= uint8_t(set[k]) && uint8_t(c) <= uint8_t(set[k + 2]);
      k += 2;
    } else {
      found |= set[k] == c;
    }
  }
  return found != inverted;
}

uint64_t storedSize(const Spec& spec) {
  switch (spec.letter) {
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o':
  case 'n':
    return spec.length == 'H' ? 1 : spec.length == 'h' ? 2 : spec.length == 0 ? 4 : 8;
  case 'p':
    return 8;
  case 'c':
    return std::max<uint64_t>(spec.width, 1);
  case 's':
  case '[':
    return 0;
  default:
    return spec.length == 'l' || spec.length == 'q' ? 8 : spec.length == 'L' ? 16 : 4;
  }
}

// Bytes of the text that the conversion takes; blanks in front are gone.
uint64_t taken(const Spec& spec, std::string_view text) {
  if (spec.width) text = text.substr(0, spec.width);
  std::string copy(text.substr(0, 4096));
  char* end = copy.data();
  switch (spec.letter) {
  case 'd':
  case 'u':
    (void)std::strtoull(copy.c_str(), &end, 10);
    break;
  case 'i':
    (void)std::strtoull(copy.c_str(), &end, 0);
    break;
  case 'o':
    (void)std::strtoull(copy.c_str(), &end, 8);
    break;
  case 'x':
  case 'X':
  case 'p':
    (void)std::strtoull(copy.c_str(), &end, 16);
    break;
  case 'c':
    return std::min<uint64_t>(text.size(), std::max<uint64_t>(spec.width, 1));
  case 's':
    return uint64_t(std::find_if(text.begin(), text.end(), [](char c) { return std::isspace(uint8_t(c)); }) -
                    text.begin());
  case '[':
    return uint64_t(std::find_if(text.begin(), text.end(), [&](char c) { return !isIn(spec.set, c); }) -
                    text.begin());
  default:
    (void)std::strtod(copy.c_str(), &end);
  }
  return uint64_t(end - copy.data());
}

} // namespace

ScannedText::ScannedText(const CallState& state, std::optional<uint64_t> text, uint64_t format,
                         uint32_t first, std::optional<uint32_t> listArgument)
    : address_(text), format_(format) {
  if (address_)
    isReadable_ = *address_ != 0 && replay::readText(*state.memory, *address_, kLongestScanned, text_);
  std::string formatText;
  if (format == 0 || !replay::readText(*state.memory, format, kLongestScanned, formatText)) return;
  formatSize_ = formatText.size() + 1;
  replay::VariableArguments targets = [&](size_t n) { return state.words(first + n); };
  if (listArgument) {
    const uint64_t* list = state.words(*listArgument);
    replay::ListArguments found = state.list && list ? state.list(*list) : replay::ListArguments{};
    targets = found.words ? found.words : [](size_t) -> const uint64_t* { return nullptr; };
  }
  run(formatText, targets);
}

ScannedText::ScannedText(const CallState& state, std::string_view text, uint64_t format)
    : text_(text.substr(0, kLongestScanned)), isReadable_(true), format_(format) {
  std::string formatText;
  if (format == 0 || !replay::readText(*state.memory, format, kLongestScanned, formatText)) return;
  formatSize_ = formatText.size() + 1;
  run(formatText, [](size_t) -> const uint64_t* { return nullptr; });
}

void ScannedText::run(std::string_view format, const replay::VariableArguments& targets) {
  auto skipBlanks = [&] {
    while (at_ < text_.size() && std::isspace(uint8_t(text_[at_]))) ++at_;
  };
  size_t next = 0;
  bool goesOn = true; // the text fits so far
  for (size_t k = 0; k < format.size();) {
    char c = format[k];
    if (std::isspace(uint8_t(c))) {
      skipBlanks(), ++k;
      continue;
    }
    bool isPercent = c == '%' && k + 1 < format.size() && format[k + 1] == '%';
    if (c != '%' || isPercent) {
      if (isPercent) skipBlanks();
      goesOn &= at_ < text_.size() && text_[at_] == c;
      if (goesOn) ++at_;
      k += isPercent ? 2 : 1;
      continue;
    }
    Spec spec = parseSpec(format, k + 1);
    k = spec.end;
    if (!spec.letter || !std::strchr("diouxXpcs[neEfFgGaA", spec.letter)) return;
    Conversion conversion;
    conversion.size = storedSize(spec);
    conversion.from = at_;
    conversion.counts = spec.letter != 'n';
    if (!std::strchr("c[n", spec.letter)) skipBlanks();
    conversion.skipped = at_ - conversion.from;
    uint64_t size =
        spec.letter == 'n' || !isReadable_ || !goesOn ? 0 : taken(spec, std::string_view(text_).substr(at_));
    goesOn &= size > 0 || spec.letter == 'n';
    at_ += size;
    conversion.read = conversion.skipped + size;
    conversion.isKnown = isReadable_ && goesOn;
    if (spec.isSuppressed) continue;
    if (conversion.isKnown) pieces_.push_back({conversion.from, conversion.read});
    conversion.number = next;
    const uint64_t* words = targets(next++);
    conversion.target = words ? *words : 0;
    if (!isReadable_ && conversion.size == 0) conversion.read = spec.width ? spec.width : kUnknownString - 1;
    if (conversion.target) conversions_.push_back(conversion);
  }
}

std::vector<OutsideFlow> ScannedText::flows(std::optional<int64_t> stored) const {
  std::vector<OutsideFlow> out;
  int64_t count = 0;
  for (const Conversion& c : conversions_) {
    if (c.counts && stored && count >= *stored) break;
    if (!stored && address_ && !c.isKnown) break;
    count += c.counts;
    FlowSource source{.kind = FlowSource::Input, .address = pieceAddress(c.number), .size = kPieceSize};
    if (address_) {
      // The byte behind it has ended it.
      uint64_t end = std::min<uint64_t>(c.from + c.read + (c.size && c.counts ? 1 : 0), text_.size() + 1);
      source = {.kind = FlowSource::Memory, .address = *address_ + c.from, .size = end - c.from};
      // The text is not as replay knows it.
      if (!c.isKnown) source = {.kind = FlowSource::Memory, .address = *address_, .size = kUnknownText};
    }
    OutsideFlow flow{.address = c.target, .size = c.size, .sources = {source}};
    if (!c.counts) {
      flow.sources = {{.kind = FlowSource::Memory, .address = format_, .size = formatSize_}};
      if (address_ && c.from)
        flow.sources.push_back({.kind = FlowSource::Memory, .address = *address_, .size = c.from});
    } else if (c.size == 0 && c.isKnown) {
      uint64_t size = c.read - c.skipped;
      flow.size = size;
      flow.isBytewise = true;
      flow.sources = {{.kind = FlowSource::Memory, .address = *address_ + c.from + c.skipped, .size = size}};
      out.push_back(flow);
      flow = {.address = c.target + size, .size = 1};
    } else if (c.size == 0) {
      flow.size = c.read + 1;
      flow.ifNoticed = true;
    }
    // Not known to have been reached.
    if (!stored && !address_) flow.ifNoticed = true;
    out.push_back(std::move(flow));
  }
  return out;
}

std::vector<FlowSource> ScannedText::sources() const {
  std::vector<FlowSource> out;
  if (formatSize_) out.push_back({.kind = FlowSource::Memory, .address = format_, .size = formatSize_});
  if (!address_)
    out.push_back({.kind = FlowSource::Input, .size = kAllInput});
  else if (isReadable_)
    out.push_back({.kind = FlowSource::Memory,
                   .address = *address_,
                   .size = std::min<uint64_t>(at_ + 1, text_.size() + 1)});
  return out;
}

} // namespace faultline::depend

#include "replay/ostream_format.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace faultline::replay {
namespace {

// libstdc++'s std::ios_base::fmtflags, and where its members lie.
enum Flag : uint32_t {
  kBoolAlpha = 1,
  kFixed = 4,
  kHex = 8,
  kInternal = 0x10,
  kLeft = 0x20,
  kOct = 0x40,
  kScientific = 0x100,
  kShowBase = 0x200,
  kShowPoint = 0x400,
  kShowPos = 0x800,
  kUpper = 0x4000,
};
constexpr uint64_t kIos = 8; // within cout and its like: the virtual base
constexpr uint64_t kPrecision = kIos + 8, kWidth = kIos + 16, kFlags = kIos + 24, kFill = kIos + 224;
constexpr uint64_t kWidest = 1 << 16;

template <class T> T readValue(const MemoryView& memory, uint64_t address) {
  T value{};
  return memory.read(address, {reinterpret_cast<uint8_t*>(&value), sizeof value}) ? value : T{};
}

template <class... T> std::string printed(const std::string& spec, T... values) {
  int size = std::snprintf(nullptr, 0, spec.c_str(), values...);
  std::string text(size_t(size < 0 ? 0 : size) + 1, '\0');
  std::snprintf(text.data(), text.size(), spec.c_str(), values...);
  text.pop_back();
  return text;
}

std::string integer(uint64_t bits, unsigned size, bool isSigned, uint32_t flags) {
  unsigned shift = 64 - 8 * size;
  if (flags & (kHex | kOct)) {
    std::string spec = flags & kShowBase ? "%#j" : "%j";
    spec += flags & kOct ? 'o' : flags & kUpper ? 'X' : 'x';
    return printed(spec, uintmax_t(bits << shift >> shift));
  }
  if (!isSigned) return printed("%ju", uintmax_t(bits << shift >> shift));
  return printed(flags & kShowPos ? "%+jd" : "%jd", intmax_t(int64_t(bits << shift) >> shift));
}

template <class T> std::string floating(T value, const char* length, uint64_t precision, uint32_t flags) {
  std::string spec = "%";
  if (flags & kShowPos) spec += '+';
  if (flags & kShowPoint) spec += '#';
  bool hex = (flags & kFixed) && (flags & kScientific);
  if (!hex) spec += ".*";
  spec += length;
  char letter = hex ? 'a' : flags & kFixed ? 'f' : flags & kScientific ? 'e' : 'g';
  spec += flags & kUpper ? char(letter - 'a' + 'A') : letter;
  return hex ? printed(spec, value) : printed(spec, int(precision), value);
}

std::vector<std::string> floatings(char type, const uint64_t* words, const OstreamState& state) {
  auto one = [&](uint64_t precision) {
    if (type == 'e') {
      long double value = 0;
      std::memcpy(&value, words, 10);
      return floating(value, "L", precision, state.flags);
    }
    double value;
    float narrow;
    std::memcpy(&value, words, sizeof value);
    std::memcpy(&narrow, words, sizeof narrow);
    return floating(type == 'f' ? double(narrow) : value, "", precision, state.flags);
  };
  std::vector<std::string> out;
  for (uint64_t precision : state.precisions)
    if (precision <= kWidest) out.push_back(one(precision));
  return out;
}

std::string boolean(uint64_t word, uint32_t flags) {
  if (flags & kBoolAlpha) return word & 1 ? "true" : "false";
  return integer(word & 1, 8, true, flags);
}

} // namespace

const char* Manipulators::kindOf(std::string_view name) {
  constexpr std::string_view kPrefix = "_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_";
  if (!name.starts_with(kPrefix)) return nullptr;
  name.remove_prefix(kPrefix.size());
  constexpr const char* kKinds[] = {"St5_Setw",    "St13_Setprecision", "St8_SetfillIS3_E",
                                    "St8_Setbase", "St12_Setiosflags",  "St14_Resetiosflags"};
  for (const char* kind : kKinds)
    if (name == kind) return kind;
  return nullptr;
}

void Manipulators::onCall(const char* kind, uint64_t stream, uint64_t argument) {
  Set& set = set_[stream];
  auto change = [&](uint32_t on, uint32_t off) {
    set.on = (set.on & ~off) | on;
    set.off = (set.off & ~on) | off;
  };
  std::string_view name = kind;
  auto number = uint32_t(argument);
  if (name == "St5_Setw")
    set.width = number;
  else if (name == "St13_Setprecision")
    set.precision = number;
  else if (name == "St8_SetfillIS3_E")
    set.fill = char(argument);
  else if (name == "St12_Setiosflags")
    change(number, 0);
  else if (name == "St14_Resetiosflags")
    change(0, number);
  else
    change(number == 8 ? kOct : number == 16 ? kHex : 0, (kOct | kHex) & ~(number == 8 ? kOct : kHex));
}

OstreamState Manipulators::stateOf(const MemoryView& memory, uint64_t stream) const {
  auto it = set_.find(stream);
  Set set = it == set_.end() ? Set{} : it->second;
  OstreamState state;
  state.flags = (readValue<uint32_t>(memory, stream + kFlags) | set.on) & ~set.off;
  // Zero in memory may be the value, or mean that nobody has looked.
  auto precision = readValue<uint64_t>(memory, stream + kPrecision);
  if (precision) state.precisions.insert(state.precisions.begin(), precision);
  if (set.precision) state.precisions.insert(state.precisions.begin(), *set.precision);
  if (state.precisions.size() == 1 && (state.flags & (kFixed | kScientific))) state.precisions.push_back(0);
  if (set.width) state.widths.push_back(set.width);
  if (auto width = readValue<uint64_t>(memory, stream + kWidth)) state.widths.push_back(width);
  char fill = set.fill.value_or(readValue<char>(memory, stream + kFill));
  if (fill) state.fill = fill;
  return state;
}

std::vector<std::string> ostreamNumber(char type, const uint64_t* words, const OstreamState& state) {
  uint32_t pointerFlags = (state.flags & ~uint32_t(kOct | kUpper)) | kHex | kShowBase;
  switch (type) {
  case 'b':
    return {boolean(*words, state.flags)};
  case 's':
    return {integer(*words, 2, true, state.flags)};
  case 't':
    return {integer(*words, 2, false, state.flags)};
  case 'i':
    return {integer(*words, 4, true, state.flags)};
  case 'j':
    return {integer(*words, 4, false, state.flags)};
  case 'l':
  case 'x':
    return {integer(*words, 8, true, state.flags)};
  case 'm':
  case 'y':
    return {integer(*words, 8, false, state.flags)};
  case 'P':
    return {integer(*words, 8, false, pointerFlags)};
  default:
    return floatings(type, words, state);
  }
}

std::vector<std::string> ostreamPadded(const std::vector<std::string>& texts, const OstreamState& state) {
  std::vector<std::string> out;
  auto add = [&](std::string text) {
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  };
  for (const std::string& text : texts)
    for (uint64_t width : state.widths) {
      if (width <= text.size() || width > kWidest) continue;
      std::string padding(width - text.size(), state.fill);
      bool isNumber = text.size() > 1 && (text[0] == '-' || text[0] == '+');
      if (state.flags & kLeft)
        add(text + padding);
      else if ((state.flags & kInternal) && isNumber)
        add(text[0] + padding + text.substr(1));
      else
        add(padding + text);
    }
  for (const std::string& text : texts) add(text);
  return out;
}

} // namespace faultline::replay

#include "depend/call_model_format.h"

#include "replay/printf_spec.h"

#include <algorithm>

namespace faultline::depend {
namespace {

constexpr uint64_t kLongestFormat = uint64_t(1) << 20, kLongestPrinted = uint64_t(1) << 24;

uint64_t countSize(replay::PrintfLength length) {
  switch (length) {
  case replay::PrintfLength::Char:
    return 1;
  case replay::PrintfLength::Short:
    return 2;
  case replay::PrintfLength::None:
    return 4;
  default:
    return 8;
  }
}

} // namespace

void addSource(std::vector<FlowSource>& sources, const FlowSource& source) {
  if (std::find(sources.begin(), sources.end(), source) == sources.end()) sources.push_back(source);
}

FormattedText::FormattedText(const CallState& state, uint64_t format, uint32_t first,
                             std::optional<uint32_t> listArgument)
    : format_(format), first_(first) {
  if (listArgument) {
    const uint64_t* list = state.words(*listArgument);
    replay::ListArguments found = state.list && list ? state.list(*list) : replay::ListArguments{};
    if (found.words) {
      words_ = found.words;
      first_ = found.first - 1;
      frame_ = found.frame;
    } else {
      words_ = [](size_t) { return nullptr; };
      list_ = listArgument;
    }
  } else {
    words_ = [&state, first](size_t n) { return state.words(first + n); };
  }
  std::string text;
  isReadable_ = format != 0 && replay::readText(*state.memory, format, kLongestFormat, text);
  formatSize_ = isReadable_ ? text.size() + 1 : 0;
  for (const replay::FormatPart& part : replay::formatParts(text, words_, *state.memory)) add(state, part);
  words_ = nullptr; // valid only now
}

FlowSource FormattedText::argument(uint32_t number) const {
  if (list_) return {.kind = FlowSource::Argument, .argument = *list_};
  return {.kind = FlowSource::Argument, .argument = first_ + number, .frame = frame_};
}

void FormattedText::add(const CallState& state, const replay::FormatPart& from) {
  Part& part = parts_.emplace_back();
  part.text = from.text;
  part.isKnown = from.isKnown;
  if (from.spec.empty()) {
    part.copiedFrom = format_ + from.offset;
    part.copied = from.text.size();
    return;
  }
  auto conversion = replay::parseConversion(from.spec, 1);
  if (from.argument != ~0u) {
    addSource(part.arguments, argument(from.argument));
    // Where no number says otherwise, width and precision stand in front of the value.
    bool precision = conversion && conversion->precisionIsArgument,
         width = conversion && conversion->widthIsArgument;
    if (precision) addSource(part.arguments, argument(conversion->precisionFrom.value_or(from.argument - 1)));
    if (width)
      addSource(part.arguments,
                argument(conversion->widthFrom.value_or(from.argument - 1 - (precision ? 1 : 0))));
  }
  if (conversion && conversion->letter == 'n' && from.argument != ~0u) {
    const uint64_t* words = words_(from.argument);
    part.countAt = words ? *words : 0;
    part.countSize = countSize(conversion->length);
  }
  if (from.address == 0) return;
  part.isString = true;
  part.copiedFrom = from.address;
  if (!from.isKnown) return;
  part.lead = from.lead;
  // Padding behind it is not in memory.
  std::string bytes(from.text.size() - from.lead, '\0');
  state.memory->read(from.address, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
  auto end = std::mismatch(bytes.begin(), bytes.end(), from.text.begin() + from.lead).first;
  part.copied = uint64_t(end - bytes.begin());
}

std::vector<FlowSource> FormattedText::sources() const {
  std::vector<FlowSource> out;
  if (formatSize_) addSource(out, {.kind = FlowSource::Memory, .address = format_, .size = formatSize_});
  for (const Part& part : parts_) {
    for (const FlowSource& source : part.arguments) addSource(out, source);
    bool isOwn = part.copiedFrom >= format_ && part.copiedFrom < format_ + formatSize_;
    // Of a text that replay has not seen the first byte was read at least.
    const uint64_t size = part.isString && !part.isKnown ? 1 : part.copied;
    if (size && !isOwn)
      addSource(out, {.kind = FlowSource::Memory, .address = part.copiedFrom, .size = size});
  }
  if (list_) addSource(out, {.kind = FlowSource::Argument, .argument = *list_});
  return out;
}

std::vector<OutsideFlow> FormattedText::counts() const {
  std::vector<OutsideFlow> out;
  std::vector<FlowSource> before;
  if (formatSize_) addSource(before, {.kind = FlowSource::Memory, .address = format_, .size = formatSize_});
  for (const Part& part : parts_) {
    if (part.countAt)
      out.push_back({.address = part.countAt, .size = part.countSize, .sources = before});
    else
      for (const FlowSource& source : part.arguments) addSource(before, source);
  }
  return out;
}

// The first `room` bytes of the part, at `at`.
void FormattedText::lay(const Part& part, uint64_t at, uint64_t room, std::vector<OutsideFlow>& out) const {
  uint64_t size = std::min<uint64_t>(part.text.size(), room);
  auto computed = [&](uint64_t from, uint64_t to) {
    if (from < to) out.push_back({.address = at + from, .size = to - from, .sources = part.arguments});
  };
  uint64_t copyBegin = std::min(part.lead, size), copyEnd = std::min(part.lead + part.copied, size);
  computed(0, copyBegin);
  if (copyEnd > copyBegin)
    out.push_back(
        {.address = at + copyBegin,
         .size = copyEnd - copyBegin,
         .isBytewise = true,
         .sources = {{.kind = FlowSource::Memory, .address = part.copiedFrom, .size = copyEnd - copyBegin}}});
  computed(copyEnd, size);
}

bool FormattedText::fit(std::vector<Part>& parts, size_t number, std::string_view rest, bool isCut,
                        uint32_t& tries) const {
  constexpr uint32_t kMostTries = 10000;
  if (++tries > kMostTries) return false;
  if (number == parts.size()) return rest.empty();
  if (isCut && rest.empty()) {
    for (size_t k = number; k < parts.size(); ++k) parts[k].text.clear(), parts[k].copied = 0;
    return true;
  }
  Part& part = parts[number];
  const Part& original = parts_[number];
  bool isFixed = original.isKnown && !original.isString;
  if (original.isKnown) {
    part = original;
    if (rest.starts_with(original.text) &&
        fit(parts, number + 1, rest.substr(original.text.size()), isCut, tries))
      return true;
    if (isCut && isFixed)
      return std::string_view(original.text).starts_with(rest) && fit(parts, number + 1, {}, isCut, tries);
  }
  if (isFixed) return false;
  for (size_t size = 0; size <= rest.size(); ++size) {
    part.text = rest.substr(0, size);
    part.lead = 0;
    part.copied = original.isString ? size : 0;
    if (fit(parts, number + 1, rest.substr(size), isCut, tries)) return true;
  }
  return false;
}

std::optional<std::vector<FormattedText::Part>> FormattedText::fitted(std::string_view written,
                                                                      bool isCut) const {
  std::vector<Part> parts = parts_;
  uint32_t tries = 0;
  if (!isReadable_ || !fit(parts, 0, written, isCut, tries)) return std::nullopt;
  return parts;
}

std::vector<OutsideFlow> FormattedText::flows(const replay::MemoryView& memory, uint64_t target,
                                              uint64_t limit, std::optional<uint64_t> total) const {
  std::vector<OutsideFlow> out;
  if (target == 0 || limit == 0) return out;
  std::string written; // is there now
  bool isThere = replay::readText(memory, target, std::min(limit - 1, kLongestPrinted), written);
  uint64_t size = std::min(total.value_or(written.size()), limit - 1); // without the NUL
  bool isCut = size == limit - 1 && (!total || *total > size);
  auto parts = isThere && written.size() == size ? fitted(written, isCut) : std::nullopt;
  if (!parts) {
    out.push_back({.address = target, .size = size + 1, .sources = sources()});
    return out;
  }
  uint64_t at = 0;
  for (const Part& part : *parts) {
    if (at >= size) break;
    lay(part, target + at, size - at, out);
    at += part.text.size();
  }
  out.push_back({.address = target + size, .size = 1});
  return out;
}

} // namespace faultline::depend

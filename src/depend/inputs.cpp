#include "depend/inputs.h"

#include "depend/outside_flow.h"
#include "depend/scanned_input.h"
#include <algorithm>
#include <charconv>

namespace faultline::depend {

std::string InputStream::text() const {
  switch (kind) {
  case StandardInput:
    return "stdin";
  case Environment:
    return "env:" + name;
  default:
    return name;
  }
}

std::optional<InputRange> Inputs::at(Time call) const {
  auto it = calls_.find(call);
  return it == calls_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<InputRange> Inputs::at(Time call, uint64_t from, uint64_t size) const {
  std::optional<InputRange> range = at(call);
  if (!range) return range;
  bool isKnown = size != kAllInput;
  if (isPiece(from)) {
    uint64_t number = pieceNumber(from);
    isKnown = number < range->pieces.size();
    from = isKnown ? range->pieces[number].first : 0;
    size = isKnown ? range->pieces[number].second : 0;
  }
  if (range->offset) *range->offset += from;
  range->size = isKnown ? std::optional(size) : std::nullopt;
  return range;
}

std::optional<InputRange> Inputs::inMemory(uint64_t address) const {
  for (const InMemory& m : memory_)
    if (address >= m.address && address - m.address < m.size)
      return InputRange{m.stream, m.offset + (address - m.address), m.size - (address - m.address)};
  return std::nullopt;
}

std::optional<uint32_t> Inputs::streamNamed(std::string_view name) const {
  std::optional<uint32_t> found;
  for (uint32_t k = 0; k < streams_.size(); ++k) {
    std::string text = streams_[k].text();
    if (text == name) return k;
    // The last part of a path will do.
    if (streams_[k].kind == InputStream::File && text.ends_with("/" + std::string(name))) found = k;
  }
  return found;
}

Result<FoundInput> Inputs::find(std::string_view what) const {
  std::string_view name = what;
  uint64_t first = 0, last = ~uint64_t(0);
  size_t colon = what.rfind(':');
  std::string_view range = colon == what.npos ? "" : what.substr(colon + 1);
  if (!range.empty() && range.find_first_not_of("0123456789-") == range.npos && !streamNamed(what)) {
    name = what.substr(0, colon);
    auto [end, failed] = std::from_chars(range.data(), range.data() + range.size(), first);
    last = first;
    bool isWhole = failed == std::errc() && end == range.data() + range.size();
    if (!isWhole && failed == std::errc() && *end == '-') {
      auto [end2, failed2] = std::from_chars(end + 1, range.data() + range.size(), last);
      isWhole = failed2 == std::errc() && end2 == range.data() + range.size();
    }
    if (!isWhole || last < first)
      return errorf("'{}' is no range of bytes: give it as in {}:0-10", range, name);
  }
  auto stream = streamNamed(name);
  if (!stream) {
    std::string known;
    for (const InputStream& s : streams_) known += (known.empty() ? "" : ", ") + s.text();
    return errorf("the program read nothing called '{}'; it read {}", name,
                  known.empty() ? "nothing" : known);
  }
  FoundInput out;
  auto overlap = [&](uint64_t offset, uint64_t size, InputPlace place) {
    uint64_t begin = std::max(first, offset), end = std::min(last, offset + size - 1);
    if (size == 0 || begin > end) return;
    place.offset = begin;
    place.first += begin - offset;
    if (!place.call) place.address += begin - offset, place.first = 0;
    place.size = end - begin + 1;
    out.places.push_back(place);
  };
  for (const auto& [time, r] : calls_) {
    if (r.stream != *stream) continue;
    if (r.offset && r.size) {
      overlap(*r.offset, *r.size, {.call = time});
      for (size_t k = 0; k < r.pieces.size(); ++k) {
        auto [begin, size] = r.pieces[k];
        begin += *r.offset;
        if (size && begin <= last && begin + size > first)
          out.places.push_back({.call = time, .first = pieceAddress(k), .size = kPieceSize, .offset = begin});
      }
    } else if (!r.offset || *r.offset <= last)
      out.uncertain.push_back(time);
  }
  for (const InMemory& m : memory_)
    if (m.stream == *stream) overlap(m.offset, m.size, {.address = m.address});
  return out;
}

} // namespace faultline::depend

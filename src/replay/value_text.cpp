#include "replay/value_text.h"

#include "replay/library_values.h"
#include "replay/scalar_text.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace faultline::replay {

using fir::DebugKind;

namespace {

constexpr uint64_t kMostScanned = 1 << 16; // bytes looked at to fold repeats and find a string's end
constexpr uint64_t kRepeats = 5;           // equal neighbours from which on they are folded

// The text up to its end, or as much of it as may be shown.
struct CString {
  std::vector<uint8_t> bytes;
  bool ended = false;
  bool seen = true;
};
CString readCString(const ValuePlace& place, const MemoryView& memory, uint64_t most) {
  CString text;
  for (uint64_t k = 0; k < most; ++k) {
    uint8_t c;
    if (!place.read(memory, {&c, 1}, k)) return text.seen = false, text;
    if (c == 0) return text.ended = true, text;
    text.bytes.push_back(c);
  }
  return text;
}

bool isText(std::span<const uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](uint8_t c) { return (c >= 0x20 && c != 0x7f) || (c >= 9 && c <= 13); });
}

std::string functionAt(const SymbolView* symbols, uint64_t address) {
  for (size_t m = 0; symbols && m < symbols->moduleCount(); ++m) {
    const fir::Image& image = symbols->image(m);
    for (uint32_t s = 0; s < image.symbols.size(); ++s)
      if ((image.symbols[s].flags & fir::kFunction) && symbols->address(m, s) == address)
        return std::string(image.string(image.symbols[s].displayName));
  }
  return {};
}

} // namespace

std::string valueText(const ValuePlace& place, const ValueContext& context) {
  ValueWriter writer(context);
  writer.write(place, 0);
  return writer.take();
}

void ValueWriter::write(const ValuePlace& place, unsigned depth) {
  if (isFull()) return append("...");
  if (place.isAddressOf) return writeAddress(place);
  TypeRef type = completed(place.type, context_.symbols).stripped();
  switch (type.kind()) {
  case DebugKind::Struct:
  case DebugKind::Class:
  case DebugKind::Union:
    return writeRecord(place, type, depth);
  case DebugKind::Array:
    return writeArray(place, type, depth);
  case DebugKind::Reference:
    return writeReference(place, depth);
  case DebugKind::Complex:
    return writeComplex(place, type, depth);
  default:
    return writeScalar(place, type, depth);
  }
}

void ValueWriter::writeScalar(const ValuePlace& place, TypeRef type, unsigned depth) {
  uint64_t size = sizeOf(type);
  if (size == 0 || size > 16) return append(type.get() ? fmt::format("<{}>", typeName(type)) : "<void>");
  uint8_t bytes[16];
  std::span<const uint8_t> all(bytes, size);
  std::optional<uint64_t> number = size <= 8 ? readNumber(place, memory()) : std::nullopt;
  if (size <= 8 ? !number : !place.read(memory(), {bytes, size})) return notSeen(depth);
  if (number) std::memcpy(bytes, &*number, 8);
  switch (type.kind()) {
  case DebugKind::Bool:
    return append(*number == 0 ? "false" : *number == 1 ? "true" : fmt::format("true ({})", *number));
  case DebugKind::SignedChar:
  case DebugKind::UnsignedChar:
    return append(characterText(*number, type.kind() == DebugKind::SignedChar));
  case DebugKind::Float:
    return append(floatText(all, type.name().find("128") != std::string_view::npos));
  case DebugKind::Enum:
    return append(enumText(type, *number));
  case DebugKind::Pointer:
  case DebugKind::NullPointer:
    return writePointer(*number, type, depth);
  case DebugKind::SignedInt:
    return append(integerText(all, true));
  case DebugKind::UnsignedInt:
    return append(integerText(all, false));
  default:
    if (number) return append(fmt::format("{:#x}", *number));
    return append(integerText(all, false));
  }
}

void ValueWriter::writeComplex(const ValuePlace& place, TypeRef type, unsigned depth) {
  uint8_t bytes[32];
  uint64_t size = sizeOf(type);
  if (size > sizeof bytes || !place.read(memory(), {bytes, size})) return notSeen(depth);
  std::span<const uint8_t> all(bytes, size);
  append(fmt::format("{} + {}i", floatText(all.first(size / 2), false),
                     floatText(all.subspan(size / 2), false)));
}

void ValueWriter::writePointer(uint64_t address, TypeRef type, unsigned depth) {
  if (address == 0) return append(isPlainC(*type.image) ? "NULL" : "nullptr");
  TypeRef to = elementOf(type).stripped();
  bool isText = to.isCharacter(), isFunction = to.get() && to.kind() == DebugKind::Function;
  if (depth == 0 && context_.pointerTypes && !isText && !isFunction) append("(" + typeName(type) + ") ");
  append(fmt::format("{:#x}", address));
  if (isText) {
    CString text = readCString(placeInMemory(to, address), memory(), context_.limits.text);
    if (text.seen || !text.bytes.empty()) append(" " + quotedText(text.bytes, !text.ended));
    return;
  }
  std::string name = context_.nameOf ? context_.nameOf(address)
                     : isFunction    ? functionAt(context_.symbols, address)
                                     : "";
  if (!name.empty()) append(" <" + name + ">");
}

void ValueWriter::writeAddress(const ValuePlace& place) {
  if (context_.pointerTypes) append("(" + typeName(place) + ") ");
  append(fmt::format("{:#x}", readNumber(place, memory()).value_or(0)));
}

void ValueWriter::writeReference(const ValuePlace& place, unsigned depth) {
  auto target = pointee(place, memory(), context_.symbols);
  if (!target) return notSeen(depth);
  if (target->address == 0) return append("<reference to nothing>");
  write(*target, depth); // what it refers to counts the level, if it is a record
}

void ValueWriter::writeArray(const ValuePlace& place, TypeRef type, unsigned depth) {
  TypeRef element = completed(type.base(), context_.symbols);
  uint64_t count = type.get()->count;
  if (count == fir::kNone) count = place.elements;
  if (count == 0 && type.get()->count != 0) return append("<of unknown length>");
  if (depth >= context_.limits.depth) return append("{...}");
  if (element.stripped().isCharacter()) return writeCharacters(place, count);
  writeElements(place, element, count, depth);
}

// Plain and signed characters are taken for a text; unsigned ones only if they look like one.
void ValueWriter::writeCharacters(const ValuePlace& place, uint64_t count) {
  TypeRef element = elementOf(place.type).stripped();
  CString text = readCString(place, memory(), std::min<uint64_t>(count, context_.limits.text));
  bool bytesOnly = element.kind() == DebugKind::UnsignedChar && !(isText(text.bytes) && !text.bytes.empty());
  if (bytesOnly && text.seen) return writeElements(place, element, count, 1);
  if (!text.seen && text.bytes.empty()) return append("<not seen>");
  append(quotedText(text.bytes, !text.ended && text.bytes.size() < count && text.seen));
  if (!text.seen) append("?");
}

void ValueWriter::writeText(const ValuePlace& first, uint64_t length) {
  std::vector<uint8_t> bytes(std::min<uint64_t>(length, context_.limits.text));
  if (!first.read(memory(), bytes)) {
    CString part = readCString(first, memory(), bytes.size());
    return append(part.bytes.empty() ? "<text not seen>" : quotedText(part.bytes) + "?");
  }
  append(quotedText(bytes, bytes.size() < length));
}

void ValueWriter::writeElements(const ValuePlace& first, TypeRef element, uint64_t count, unsigned depth) {
  uint64_t size = sizeOf(element);
  if (size == 0) return append("{...}");
  std::vector<uint8_t> bytes(std::min(size, kMostScanned)), next(bytes.size());
  uint64_t scanned = 0;
  append("{");
  unsigned shown = 0;
  for (uint64_t k = 0, run; k < count; k += run, ++shown) {
    if (shown) append(", ");
    if (shown >= context_.limits.elements || isFull() || scanned > kMostScanned) return append("...}");
    bool seen = first.read(memory(), bytes, k * size);
    for (run = 1; k + run < count && scanned <= kMostScanned; ++run, scanned += size)
      if (first.read(memory(), next, (k + run) * size) != seen || next != bytes) break;
    if (run < kRepeats) run = 1;
    write(first.part(element, k * size), depth + 1);
    if (run > 1) append(fmt::format(" <repeats {} times>", run));
  }
  append("}");
}

void ValueWriter::writeRecord(const ValuePlace& place, TypeRef type, unsigned depth) {
  if (writeLibraryValue(*this, place, type, depth)) return;
  if (type.get()->bytes == 0 && type.members().empty()) return append("<incomplete type>");
  if (depth >= context_.limits.depth) return append("{...}");
  append("{");
  bool first = true;
  writeMembers(place, type, depth, first);
  append("}");
}

void ValueWriter::writeMembers(const ValuePlace& place, TypeRef type, unsigned depth, bool& first) {
  if (depth > 2 * context_.limits.depth) return; // parts without a name within each other
  for (const fir::Member& m : type.members()) {
    std::string_view name = type.memberName(m);
    // The base tables of a virtual base give no offset into the object.
    bool outside = m.bitOffset / 8 > type.get()->bytes;
    if (!isStored(m) || (m.flags & fir::kArtificial) || outside || name.starts_with("_vptr$")) continue;
    ValuePlace part = place.member(type, m);
    TypeRef bare = part.type.stripped();
    if (bare.isRecord() && (m.flags & fir::kBaseClass ? bare.members().empty() : name.empty())) {
      writeMembers(part, bare, depth + 1, first); // a base without members, or a part without a name
      continue;
    }
    if (name.empty() && !(m.flags & fir::kBaseClass)) continue; // padding
    if (!first) append(", ");
    first = false;
    if (isFull()) return append("...");
    append(m.flags & fir::kBaseClass ? "<" + typeName(bare) + "> = " : std::string(name) + " = ");
    write(part, depth + 1);
  }
}

} // namespace faultline::replay

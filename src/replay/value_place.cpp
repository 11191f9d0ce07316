#include "replay/value_place.h"

#include <algorithm>
#include <cstring>

namespace faultline::replay {

using fir::DebugKind;

bool ValuePlace::read(const MemoryView& memory, std::span<uint8_t> out, uint64_t offset) const {
  if (!held) return memory.read(address + offset, out);
  std::fill(out.begin(), out.end(), uint8_t(0));
  uint64_t from = address + offset;
  if (from > held->size()) return false;
  size_t count = std::min<size_t>(out.size(), held->size() - from);
  if (count) std::memcpy(out.data(), held->data() + from, count);
  return count == out.size();
}

ValuePlace ValuePlace::part(TypeRef partType, uint64_t offset) const {
  ValuePlace place = *this;
  place.type = partType;
  place.address += offset;
  place.bitShift = place.bitSize = 0;
  place.elements = 0;
  place.isAddressOf = false;
  return place;
}

ValuePlace ValuePlace::member(TypeRef owner, const fir::Member& member) const {
  ValuePlace place = part(owner.memberType(member), member.bitOffset / 8);
  if (member.bitSize != 0) {
    place.bitShift = uint32_t(member.bitOffset % 8);
    place.bitSize = std::min(member.bitSize, 64u);
  }
  return place;
}

ValuePlace placeInMemory(TypeRef type, uint64_t address) {
  ValuePlace place;
  place.type = type;
  place.address = address;
  return place;
}

ValuePlace placeInWords(TypeRef type, std::span<const uint64_t> words) {
  ValuePlace place;
  place.type = type;
  auto* first = reinterpret_cast<const uint8_t*>(words.data());
  place.held = std::make_shared<const std::vector<uint8_t>>(first, first + words.size_bytes());
  return place;
}

std::string typeName(const ValuePlace& place) {
  bool isArray = place.type.kind() == DebugKind::Array;
  return place.isAddressOf ? declarationText(place.type, isArray ? "(*)" : "*") : typeName(place.type);
}

namespace {

bool isSigned(TypeRef type) {
  type = type.stripped();
  if (type.kind() == DebugKind::Enum && type.base().get()) return isSigned(type.base());
  return type.kind() == DebugKind::SignedInt || type.kind() == DebugKind::SignedChar;
}

uint64_t extended(uint64_t value, uint32_t bits, bool asSigned) {
  if (bits == 0 || bits >= 64) return value;
  value &= (uint64_t(1) << bits) - 1;
  if (asSigned && (value >> (bits - 1))) value |= ~uint64_t(0) << bits;
  return value;
}

} // namespace

std::optional<uint64_t> readNumber(const ValuePlace& place, const MemoryView& memory) {
  uint64_t size = place.bitSize       ? (place.bitShift + place.bitSize + 7) / 8
                  : place.isAddressOf ? 8
                                      : sizeOf(place.type);
  if (size == 0 || size > (place.bitSize ? 9 : 8)) return std::nullopt;
  uint8_t bytes[16] = {};
  if (!place.read(memory, {bytes, size_t(size)})) return std::nullopt;
  uint64_t low, high;
  std::memcpy(&low, bytes, 8);
  std::memcpy(&high, bytes + 8, 8);
  if (place.bitSize == 0) return extended(low, uint32_t(size * 8), isSigned(place.type));
  uint64_t value = low >> place.bitShift;
  if (place.bitShift != 0) value |= high << (64 - place.bitShift);
  return extended(value, place.bitSize, isSigned(place.type));
}

std::optional<ValuePlace> pointee(const ValuePlace& place, const MemoryView& memory,
                                  const SymbolView* symbols) {
  TypeRef type = place.type.stripped();
  bool isPointer = type.kind() == DebugKind::Pointer || type.kind() == DebugKind::Reference;
  if (!isPointer && !place.isAddressOf) return std::nullopt;
  auto address = readNumber(place, memory);
  if (!address) return std::nullopt;
  return placeInMemory(completed(place.isAddressOf ? place.type : type.base(), symbols), *address);
}

std::optional<uint64_t> readWord(const MemoryView& memory, uint64_t address) {
  uint8_t bytes[8];
  if (!memory.read(address, bytes)) return std::nullopt;
  uint64_t value;
  std::memcpy(&value, bytes, 8);
  return value;
}

} // namespace faultline::replay

#include "replay/library_values.h"

#include "replay/library_containers.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::replay {

using fir::DebugKind;

namespace {

bool writeString(ValueWriter& out, const ValuePlace& place, unsigned) {
  // At fixed offsets, so that a unit which only declares the type shows its strings as well.
  if (place.held) return false;
  auto data = readWord(out.memory(), place.address), size = readWord(out.memory(), place.address + 8);
  if (!data || !size) return false;
  if (*size > kMostElements) return false;
  return out.writeText(placeInMemory({place.type.image, fir::kNone}, *data), *size), true;
}

bool writeStringView(ValueWriter& out, const ValuePlace& place, unsigned) {
  auto size = numberIn(out, memberOf(place, "_M_len")), data = numberIn(out, memberOf(place, "_M_str"));
  if (!data || !size || *size > kMostElements) return false;
  return out.writeText(placeInMemory({place.type.image, fir::kNone}, *data), *size), true;
}

bool writeVector(ValueWriter& out, const ValuePlace& place, unsigned depth) {
  auto start = memberOf(place, "_M_impl", "_M_start");
  auto first = numberIn(out, start), last = numberIn(out, memberOf(place, "_M_impl", "_M_finish"));
  if (!first || !last) return false; // never seen, or a vector<bool>
  TypeRef element = completed(elementOf(start->type), out.context().symbols);
  uint64_t size = sizeOf(element);
  if (size == 0 || *last < *first || (*last - *first) % size != 0) return false;
  uint64_t count = (*last - *first) / size;
  out.append(fmt::format("size {} ", count));
  if (depth >= out.context().limits.depth)
    out.append("{...}");
  else
    out.writeElements(placeInMemory(element, *first), element, count, depth);
  return true;
}

bool writeArray(ValueWriter& out, const ValuePlace& place, unsigned depth) {
  auto elements = memberOf(place, "_M_elems");
  if (!elements) return false;
  return out.write(*elements, depth), true;
}

// The pointer is the head of a tuple whose other part, the deleter, is mostly empty.
std::optional<ValuePlace> ownedPointer(const ValuePlace& place, int nesting = 12) {
  TypeRef type = place.type.stripped();
  if (!type.isRecord() || nesting == 0) return std::nullopt;
  for (const fir::Member& m : type.members()) {
    if (!isStored(m)) continue;
    ValuePlace part = place.member(type, m);
    if (type.memberName(m) == "_M_head_impl" && part.type.stripped().kind() == DebugKind::Pointer)
      return part;
    if (auto found = ownedPointer(part, nesting - 1)) return found;
  }
  return std::nullopt;
}

bool writeUniquePointer(ValueWriter& out, const ValuePlace& place, unsigned depth) {
  auto pointer = ownedPointer(place);
  if (!pointer) return false;
  return out.write(*pointer, depth), true;
}

bool writeSharedPointer(ValueWriter& out, const ValuePlace& place, unsigned depth) {
  auto pointer = memberOf(place, "_M_ptr");
  auto control = numberIn(out, memberOf(place, "_M_refcount", "_M_pi"));
  if (!pointer || !control) return false;
  out.write(*pointer, depth);
  uint8_t uses[4]; // behind the virtual table's pointer
  if (*control != 0 && out.memory().read(*control + 8, uses))
    out.append(
        fmt::format(" (use count {})", uses[0] | uses[1] << 8 | uses[2] << 16 | uint32_t(uses[3]) << 24));
  return true;
}

bool writeOptional(ValueWriter& out, const ValuePlace& place, unsigned depth) {
  auto payload = memberOf(place, "_M_payload");
  auto engaged = numberIn(out, payload ? memberOf(*payload, "_M_engaged") : std::nullopt);
  auto value = payload ? memberOf(*payload, "_M_payload", "_M_value") : std::nullopt;
  if (!engaged || !value) return false;
  if (*engaged & 1)
    out.write(*value, depth);
  else
    out.append("nullopt");
  return true;
}

bool writeAtomic(ValueWriter& out, const ValuePlace& place, unsigned depth) {
  auto value = memberOf(place, "_M_i");
  if (!value) value = memberOf(place, "_M_b", "_M_i");
  if (!value) value = memberOf(place, "_M_b", "_M_p");
  if (!value) return false;
  return out.write(*value, depth), true;
}

// Of an object that was never seen its insides are of no interest.
bool isSeen(const ValueWriter& out, const ValuePlace& place) {
  std::vector<uint8_t> bytes(std::min<uint64_t>(sizeOf(place.type), 4096));
  return place.read(out.memory(), bytes);
}

struct LibraryType {
  std::string_view name; // as it begins
  bool (*write)(ValueWriter&, const ValuePlace&, unsigned);
};
constexpr LibraryType kTypes[] = {
    {"basic_string<char,", writeString},
    {"basic_string<char>", writeString},
    {"basic_string_view<char", writeStringView},
    {"vector<", writeVector},
    {"array<", writeArray},
    {"unique_ptr<", writeUniquePointer},
    {"shared_ptr<", writeSharedPointer},
    {"weak_ptr<", writeSharedPointer},
    {"optional<", writeOptional},
    {"map<", writeTree},
    {"set<", writeTree},
    {"multimap<", writeTree},
    {"multiset<", writeTree},
    {"unordered_map<", writeTable},
    {"unordered_set<", writeTable},
    {"unordered_multimap<", writeTable},
    {"unordered_multiset<", writeTable},
    {"list<", writeList},
    {"deque<", writeDeque},
    {"atomic<", writeAtomic},
};

} // namespace

bool writeLibraryValue(ValueWriter& out, const ValuePlace& place, TypeRef type, unsigned depth) {
  std::string_view name = type.name();
  for (std::string_view prefix : {"std::", "__cxx11::"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  if (name.find('<') == std::string_view::npos || !isLibraryRecord(type)) return false;
  ValuePlace typed = place.part(type, 0);
  for (const LibraryType& t : kTypes) {
    if (!name.starts_with(t.name)) continue;
    if (t.write(out, typed, depth)) return true;
    return !isSeen(out, typed) && (out.append(depth == 0 ? kNotSeen : "?"), true);
  }
  return false;
}

} // namespace faultline::replay

// The containers of the C++ standard library whose elements lie in nodes or chunks (libstdc++'s layouts):
// size 2 {1, 2}, and for those with keys size 2 {[1] = "a", [2] = "b"}.
//
// The tables say nothing of a template's arguments, so the types of the elements are found by the names that
// stand in the container's own. Where that is not certain, or the links are not known, the size alone is
// shown.
#pragma once

#include "replay/value_text.h"

namespace faultline::replay {

// False: it does not look as expected, and nothing was written.
bool writeTree(ValueWriter& out, const ValuePlace& place, unsigned depth);  // map, set, multimap, multiset
bool writeTable(ValueWriter& out, const ValuePlace& place, unsigned depth); // unordered_*
bool writeList(ValueWriter& out, const ValuePlace& place, unsigned depth);
bool writeDeque(ValueWriter& out, const ValuePlace& place, unsigned depth);

// Argument k of a template's name: "map<int, std::pair<A, B> >" has "int" and "std::pair<A, B>".
std::string_view templateArgument(std::string_view name, unsigned k);

// For library types: a member's member's ... place, and the number there.
std::optional<ValuePlace> memberOf(const ValuePlace& place, std::string_view name);
template <class... Names>
std::optional<ValuePlace> memberOf(const ValuePlace& place, std::string_view name, Names... further) {
  auto inner = memberOf(place, name);
  return inner ? memberOf(*inner, further...) : std::nullopt;
}
std::optional<uint64_t> numberIn(const ValueWriter& out, const std::optional<ValuePlace>& place);

inline constexpr uint64_t kMostElements = uint64_t(1) << 40; // a size beyond it is damage

} // namespace faultline::replay

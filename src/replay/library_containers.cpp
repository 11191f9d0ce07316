#include "replay/library_containers.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace faultline::replay {

using fir::DebugKind;

std::optional<ValuePlace> memberOf(const ValuePlace& place, std::string_view name) {
  auto found = findMember(place.type, name);
  if (!found) return std::nullopt;
  return place.member(found->owner, found->member);
}

std::optional<uint64_t> numberIn(const ValueWriter& out, const std::optional<ValuePlace>& place) {
  return place ? readNumber(*place, out.memory()) : std::nullopt;
}

std::string_view templateArgument(std::string_view name, unsigned k) {
  size_t at = name.find('<');
  if (at == std::string_view::npos) return {};
  size_t begin = at + 1;
  int open = 0;
  for (at = begin; at < name.size(); ++at) {
    char c = name[at];
    if (c == '<' || c == '(') ++open;
    bool ends = open == 0 && (c == ',' || c == '>');
    if (open > 0 && (c == '>' || c == ')')) --open;
    if (!ends) continue;
    std::string_view argument = name.substr(begin, at - begin);
    while (argument.starts_with(' ')) argument.remove_prefix(1);
    while (argument.ends_with(' ')) argument.remove_suffix(1);
    if (k-- == 0) return argument;
    if (c == '>') break;
    begin = at + 1;
  }
  return {};
}

namespace {

// The tables name a type without its namespace.
std::string_view unqualified(std::string_view name) {
  int open = 0;
  size_t start = 0;
  for (size_t at = 0; at + 1 < name.size(); ++at) {
    if (name[at] == '<' || name[at] == '(') ++open;
    if (name[at] == '>' || name[at] == ')') --open;
    if (open == 0 && name[at] == ':' && name[at + 1] == ':') start = at + 2;
  }
  return name.substr(start);
}

// Nothing: no type has the name, or several that differ.
std::optional<TypeRef> typeNamed(const ValueWriter& out, const fir::Image& image, std::string_view name) {
  std::string_view wanted = unqualified(name);
  if (wanted.empty()) return std::nullopt;
  bool isPointer = wanted.ends_with('*');
  std::optional<TypeRef> found;
  for (uint32_t k = 0; k < image.debugTypes.size(); ++k) {
    TypeRef type{&image, k};
    if (isPointer != (type.kind() == DebugKind::Pointer)) continue;
    if (isPointer ? unqualified(typeName(type)) != wanted : type.name() != wanted) continue;
    TypeRef whole = completed(type, out.context().symbols);
    if (sizeOf(whole) == 0) continue;
    if (found && sizeOf(*found) != sizeOf(whole)) return std::nullopt;
    if (!found) found = whole;
  }
  return found;
}

uint64_t alignOf(TypeRef type, int nesting = 16) {
  type = type.stripped();
  if (nesting == 0) return 8;
  if (type.kind() == DebugKind::Array) return alignOf(type.base(), nesting - 1);
  if (type.kind() == DebugKind::Complex) return std::max<uint64_t>(sizeOf(type) / 2, 1);
  if (!type.isRecord()) return std::clamp<uint64_t>(sizeOf(type), 1, 16);
  uint64_t most = 1;
  for (const fir::Member& m : type.members())
    if (isStored(m)) most = std::max(most, alignOf(type.memberType(m), nesting - 1));
  return most;
}

uint64_t alignedUp(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

// What lies in a node behind its pointers.
class Element {
public:
  // `arguments`: 2 for those with keys.
  static std::optional<Element> of(const ValueWriter& out, TypeRef container, unsigned arguments,
                                   uint64_t links) {
    Element e;
    auto first = typeNamed(out, *container.image, templateArgument(container.name(), 0));
    if (!first) return std::nullopt;
    e.first_ = *first;
    uint64_t alignment = alignOf(*first);
    if (arguments == 2) {
      auto second = typeNamed(out, *container.image, templateArgument(container.name(), 1));
      if (!second) return std::nullopt;
      e.second_ = *second;
      e.secondAt_ = alignedUp(sizeOf(*first), alignOf(*second));
      alignment = std::max(alignment, alignOf(*second));
    }
    e.at_ = alignedUp(links, alignment);
    return e;
  }
  void write(ValueWriter& out, uint64_t node, unsigned depth) const {
    ValuePlace first = placeInMemory(first_, node + at_);
    if (!second_) return out.write(first, depth);
    out.append("[");
    out.write(first, depth);
    out.append("] = ");
    out.write(placeInMemory(*second_, node + at_ + secondAt_), depth);
  }

private:
  TypeRef first_;
  std::optional<TypeRef> second_;
  uint64_t secondAt_ = 0, at_ = 0;
};

// Links that the library's own code wrote are known only if the program has read them since. So a chain is
// followed to its end before any of it is shown: it must have as many nodes as the container says.
constexpr uint64_t kMostFollowed = 4096;
using Nodes = std::vector<uint64_t>;

void writeNodes(ValueWriter& out, const Element& element, const Nodes& nodes, unsigned depth) {
  if (depth >= out.context().limits.depth) return out.append(" {...}");
  out.append(" {");
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (k) out.append(", ");
    if (k >= out.context().limits.elements || out.isFull()) return out.append("...}");
    element.write(out, nodes[k], depth + 1);
  }
  out.append("}");
}

// `next` gives the node behind one, `end` what comes behind the last.
template <class Next>
std::optional<Nodes> follow(std::optional<uint64_t> node, uint64_t count, uint64_t end, Next next) {
  Nodes nodes;
  for (; nodes.size() < count; node = next(*node)) {
    if (!node || *node == 0 || *node == end) return std::nullopt;
    if (nodes.size() == kMostFollowed) return nodes;
    nodes.push_back(*node);
  }
  return node == end ? std::optional(std::move(nodes)) : std::nullopt;
}

bool hasKeys(TypeRef container) {
  return container.name().substr(0, container.name().find('<')).ends_with("map");
}

// Nodes in order. Offsets in a node: parent 8, left 16, right 24; in the header: root, leftmost, rightmost.
class TreeWalk {
public:
  TreeWalk(const MemoryView& memory, uint64_t header) : memory_(memory), header_(header) {}
  std::optional<uint64_t> first() const { return checked(readWord(memory_, header_ + 16)); }
  std::optional<uint64_t> next(uint64_t node) const {
    auto right = readWord(memory_, node + 24);
    if (!right) return std::nullopt;
    return checked(*right ? leftmost(*right) : upFrom(node));
  }

private:
  static constexpr int kHeight = 128; // no tree in memory is higher
  std::optional<uint64_t> leftmost(uint64_t node) const {
    for (int k = 0; k < kHeight; ++k) {
      auto left = readWord(memory_, node + 16);
      if (!left) return std::nullopt;
      if (*left == 0) return node;
      node = *left;
    }
    return std::nullopt;
  }
  std::optional<uint64_t> upFrom(uint64_t node) const {
    for (int k = 0; k < kHeight; ++k) {
      auto parent = readWord(memory_, node + 8);
      auto right = parent ? readWord(memory_, *parent + 24) : std::nullopt;
      if (!right) return std::nullopt;
      if (*right != node) return parent;
      node = *parent;
    }
    return std::nullopt;
  }
  // Parent and child must know each other.
  std::optional<uint64_t> checked(std::optional<uint64_t> node) const {
    if (!node || *node == header_) return node;
    auto parent = readWord(memory_, *node + 8);
    if (!parent || *parent == 0) return std::nullopt;
    bool known = *parent == header_
                     ? readWord(memory_, header_ + 8) == node
                     : readWord(memory_, *parent + 16) == node || readWord(memory_, *parent + 24) == node;
    return known ? node : std::nullopt;
  }
  const MemoryView& memory_;
  uint64_t header_;
};

bool writeSize(ValueWriter& out, const std::optional<uint64_t>& count) {
  if (!count || *count > kMostElements) return false;
  out.append(fmt::format("size {}", *count));
  return true;
}

} // namespace

bool writeTree(ValueWriter& out, const ValuePlace& place, unsigned depth) {
  auto count = numberIn(out, memberOf(place, "_M_t", "_M_impl", "_M_node_count"));
  if (!writeSize(out, count)) return false;
  TypeRef type = place.type.stripped();
  auto header = memberOf(place, "_M_t", "_M_impl", "_M_header");
  auto element = Element::of(out, type, hasKeys(type) ? 2 : 1, 32);
  if (!header || !header->hasAddress() || !element) return true;
  TreeWalk walk(out.memory(), header->address);
  std::optional<Nodes> nodes = *count == 0 ? Nodes()
                                           : follow(walk.first(), *count, header->address,
                                                    [&](uint64_t node) { return walk.next(node); });
  if (nodes) writeNodes(out, *element, *nodes, depth);
  return true;
}

bool writeTable(ValueWriter& out, const ValuePlace& place, unsigned depth) {
  auto count = numberIn(out, memberOf(place, "_M_h", "_M_element_count"));
  if (!writeSize(out, count)) return false;
  TypeRef type = place.type.stripped();
  auto first = numberIn(out, memberOf(place, "_M_h", "_M_before_begin", "_M_nxt"));
  auto element = Element::of(out, type, hasKeys(type) ? 2 : 1, 8);
  if (!first || !element) return true;
  auto nodes = follow(first, *count, 0, [&](uint64_t node) { return readWord(out.memory(), node); });
  if (nodes) writeNodes(out, *element, *nodes, depth);
  return true;
}

bool writeList(ValueWriter& out, const ValuePlace& place, unsigned depth) {
  auto count = numberIn(out, memberOf(place, "_M_impl", "_M_node", "_M_size"));
  if (!writeSize(out, count)) return false;
  auto header = memberOf(place, "_M_impl", "_M_node");
  auto element = Element::of(out, place.type.stripped(), 1, 16);
  if (!header || !header->hasAddress() || !element) return true;
  // The next one must know this one.
  auto next = [&](uint64_t node) -> std::optional<uint64_t> {
    auto after = readWord(out.memory(), node);
    if (!after || readWord(out.memory(), *after + 8) != node) return std::nullopt;
    return after;
  };
  auto nodes = follow(next(header->address), *count, header->address, next);
  if (nodes) writeNodes(out, *element, *nodes, depth);
  return true;
}

bool writeDeque(ValueWriter& out, const ValuePlace& place, unsigned depth) {
  auto start = memberOf(place, "_M_impl", "_M_start"), finish = memberOf(place, "_M_impl", "_M_finish");
  if (!start || !finish) return false;
  auto cur = memberOf(*start, "_M_cur");
  TypeRef element = cur ? completed(elementOf(cur->type), out.context().symbols) : TypeRef{};
  uint64_t size = cur ? sizeOf(element) : 0;
  auto startCur = numberIn(out, cur), startLast = numberIn(out, memberOf(*start, "_M_last"));
  auto endCur = numberIn(out, memberOf(*finish, "_M_cur")),
       endFirst = numberIn(out, memberOf(*finish, "_M_first"));
  auto startNode = numberIn(out, memberOf(*start, "_M_node")),
       endNode = numberIn(out, memberOf(*finish, "_M_node"));
  if (size == 0 || !startCur || !startLast || !endCur || !endFirst || !startNode || !endNode) return false;
  // Whole chunks between the first and the last one; each of the three differences is small or damaged.
  uint64_t chunk = size < 512 ? 512 / size : 1, chunks = (*endNode - *startNode) / 8;
  uint64_t inFirst = (*startLast - *startCur) / size, inLast = (*endCur - *endFirst) / size;
  if (chunks > kMostElements || inFirst > chunk || inLast > chunk) return false;
  uint64_t count = chunks * chunk + inFirst + inLast;
  if (count < chunk) return false;
  count -= chunk;
  out.append(fmt::format("size {} ", count));
  if (depth >= out.context().limits.depth) return out.append("{...}"), true;
  out.append("{");
  uint64_t at = *startCur, left = inFirst, node = *startNode;
  for (uint64_t k = 0; k < count; ++k, at += size, --left) {
    if (k) out.append(", ");
    if (k >= out.context().limits.elements || out.isFull()) return out.append("...}"), true;
    if (left == 0) {
      auto next = readWord(out.memory(), node += 8);
      if (!next) return out.append("?}"), true;
      at = *next;
      left = chunk;
    }
    out.write(placeInMemory(element, at), depth + 1);
  }
  out.append("}");
  return true;
}

} // namespace faultline::replay

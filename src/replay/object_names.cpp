#include "replay/object_names.h"

#include "replay/scalar_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::replay {

using fir::DebugKind;
using Kind = ObjectName::Kind;

namespace {

constexpr uint64_t kNear = 4096;    // how far from an object an address is still named after it
constexpr size_t kLiteralText = 40; // bytes of a literal shown

std::string literalText(const fir::Image& image, const fir::Symbol& s) {
  if (s.initial >= image.bytes.size()) return "\"\"";
  auto bytes = image.bytes.subspan(s.initial, std::min<uint64_t>(s.size, image.bytes.size() - s.initial));
  auto end = std::find(bytes.begin(), bytes.end(), uint8_t(0));
  auto text = bytes.first(size_t(end - bytes.begin()));
  return quotedText(text.first(std::min(text.size(), kLiteralText)), text.size() > kLiteralText);
}

bool isLiteral(const fir::Image& image, const fir::Symbol& s) {
  return (s.flags & fir::kConstant) && (s.flags & fir::kLocal) && image.string(s.name).starts_with(".str");
}

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0); } // b > 0

const fir::Member* memberAt(TypeRef record, uint64_t offset) {
  const fir::Member* found = nullptr;
  for (const fir::Member& m : record.members()) {
    uint64_t start = m.bitOffset / 8, size = std::max<uint64_t>(sizeOf(record.memberType(m)), 1);
    // Of a union, and of an empty base with the member behind it, the larger one.
    bool holds = isStored(m) && m.bitSize == 0 && offset >= start && offset - start < size;
    if (holds && (!found || size > sizeOf(record.memberType(*found)))) found = &m;
  }
  return found;
}

} // namespace

PartPath partAt(TypeRef type, uint64_t offset, uint64_t size) {
  PartPath path{"", type, offset};
  for (int nesting = 0; nesting < 32; ++nesting) {
    TypeRef bare = path.type.stripped();
    bool wanted = path.rest != 0 || (size != 0 && sizeOf(bare) > size);
    if (!wanted) return path;
    if (bare.kind() == DebugKind::Array) {
      uint64_t element = sizeOf(bare.base());
      if (element == 0) return path;
      path = {path.text + fmt::format("[{}]", path.rest / element), bare.base(), path.rest % element};
    } else if (const fir::Member* m = bare.isRecord() ? memberAt(bare, path.rest) : nullptr) {
      std::string_view name = bare.memberName(*m);
      path = {path.text + (name.empty() ? "" : fmt::format(".{}", name)), bare.memberType(*m),
              path.rest - m->bitOffset / 8};
    } else {
      return path;
    }
  }
  return path;
}

ObjectNames::ObjectNames(const SymbolView& symbols, std::span<const FrameView> frames,
                         const MemoryView& memory, std::vector<HeapBlock> heap)
    : heap_(std::move(heap)) {
  addSymbols(symbols);
  for (size_t k = 0; k < frames.size(); ++k) addFrame(frames[k], k, memory);
  for (uint32_t k = 0; k < heap_.size(); ++k) {
    std::string name = fmt::format("the {}block of {} bytes{}{}", heap_[k].isFreed ? "freed " : "",
                                   heap_[k].size, heap_[k].from.empty() ? "" : " from ", heap_[k].from);
    objects_.push_back({heap_[k].start, heap_[k].size, Kind::Heap, {}, std::move(name), "", 0, k});
  }
  // Of several at one place the named and the larger ones come last, where `containing` looks first.
  std::sort(objects_.begin(), objects_.end(), [](const Object& a, const Object& b) {
    return std::tuple(a.start, a.type.get() != nullptr, a.size) <
           std::tuple(b.start, b.type.get() != nullptr, b.size);
  });
}

void ObjectNames::addSymbols(const SymbolView& symbols) {
  for (size_t m = 0; m < symbols.moduleCount(); ++m) {
    const fir::Image& image = symbols.image(m);
    for (uint32_t k = 0; k < image.symbols.size(); ++k) {
      const fir::Symbol& s = image.symbols[k];
      uint64_t address = symbols.address(m, k);
      if (address == 0 || (s.flags & fir::kBlockAddress)) continue;
      bool function = s.flags & fir::kFunction, literal = isLiteral(image, s);
      std::string_view shown = image.string(s.displayName);
      std::string name =
          literal ? literalText(image, s) : std::string(shown.empty() ? image.string(s.name) : shown);
      Kind kind = function ? Kind::Function : literal ? Kind::Literal : Kind::Global;
      objects_.push_back(
          {address, function ? 1 : s.size, kind, {&image, s.debugType}, std::move(name), "", 0, 0});
    }
  }
}

void ObjectNames::addFrame(const FrameView& frame, size_t index, const MemoryView& memory) {
  const fir::Function* f = functionOf(frame);
  if (!f) return;
  for (const fir::Variable& v : variablesOf(frame)) {
    FrameVariable variable = describeVariable(frame, v, memory);
    const ValuePlace& place = variable.place;
    if (!variable.isAvailable || !place.hasAddress() || place.address == 0) continue;
    uint64_t size = place.elements ? place.elements * sizeOf(elementOf(place.type)) : sizeOf(place.type);
    if (size == 0) continue;
    objects_.push_back({place.address, size, Kind::Local, place.type, std::move(variable.name),
                        std::string(frame.image->string(f->name)), index, 0});
  }
}

const ObjectNames::Object* ObjectNames::containing(uint64_t address) const {
  auto it = std::upper_bound(objects_.begin(), objects_.end(), address,
                             [](uint64_t a, const Object& o) { return a < o.start; });
  // An object may lie within another (a buffer that holds one), so a few before the nearest are tried too.
  for (int tries = 0; it != objects_.begin() && tries < 8; ++tries) {
    --it;
    if (address - it->start < it->size) return &*it;
  }
  return nullptr;
}

const ObjectNames::Object* ObjectNames::neighbour(uint64_t address) const {
  auto after = std::upper_bound(objects_.begin(), objects_.end(), address,
                                [](uint64_t a, const Object& o) { return a < o.start; });
  const Object* best = nullptr;
  uint64_t distance = kNear;
  auto consider = [&](const Object& o, uint64_t d) {
    if (o.kind == Kind::Function || o.kind == Kind::Literal || d >= distance) return;
    best = &o;
    distance = d;
  };
  for (auto it = after; it != objects_.begin() && after - it < 8;)
    if (--it, it->start + it->size <= address) consider(*it, address - it->start - it->size);
  // Running off the end is what programs do: before the start must be much nearer.
  distance = std::min<uint64_t>(best ? distance / 4 : kNear, 64);
  if (after != objects_.end()) consider(*after, after->start - address);
  return best;
}

ObjectName ObjectNames::describe(const Object& object, uint64_t address, uint64_t size) const {
  ObjectName name;
  name.kind = object.kind;
  name.object = object.name;
  name.owner = object.owner;
  name.frame = object.frame;
  name.start = object.start;
  name.size = object.size;
  name.offset = int64_t(address - object.start);
  TypeRef bare = object.type.stripped();
  uint64_t element = bare.kind() == DebugKind::Array ? sizeOf(bare.base()) : 0;
  int64_t step = element ? int64_t(element) : 1;
  if (name.isInside()) {
    PartPath path = partAt(object.type, uint64_t(name.offset), size);
    if (object.type.get() && path.rest == 0) name.part = object.name + path.text;
    return name;
  }
  int64_t index = floorDivide(name.offset, step);
  name.beyond = name.offset < 0 ? index : index - floorDivide(int64_t(name.size), step) + 1;
  if (element == 0) return name;
  PartPath path = partAt(bare.base(), uint64_t(name.offset - index * step), size);
  if (path.rest == 0) name.part = fmt::format("{}[{}]{}", object.name, index, path.text);
  return name;
}

std::optional<ObjectName> ObjectNames::find(uint64_t address, uint64_t size) const {
  const Object* object = containing(address);
  if (!object) object = neighbour(address);
  if (!object) return std::nullopt;
  return describe(*object, address, size);
}

std::optional<ObjectName> ObjectNames::findFrom(uint64_t from, uint64_t address, uint64_t size) const {
  const Object* object = containing(from);
  if (!object || object->kind == Kind::Function) return find(address, size);
  return describe(*object, address, size);
}

std::string ObjectNames::text(const ObjectName& name) {
  std::string where = name.owner.empty() ? "" : fmt::format(" in {}()", name.owner);
  if (name.kind == Kind::Function) return name.object;
  if (name.kind == Kind::Literal)
    return name.offset == 0 ? name.object : fmt::format("{} + {}", name.object, name.offset);
  if (name.beyond != 0) {
    bool before = name.beyond < 0;
    const char* side = before ? "before the start" : "past the end";
    int64_t count = before ? -name.beyond : name.beyond;
    if (!name.part.empty())
      return fmt::format("&{}, {} {}{}{}", name.part, count, side, where.empty() ? "" : ",", where);
    int64_t bytes = before ? -name.offset : name.offset - int64_t(name.size);
    std::string amount = bytes == 0 ? "just" : fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
    return fmt::format("{} {} of {}{}", amount, side, name.object, where);
  }
  if (!name.part.empty()) return fmt::format("&{}{}", name.part, where);
  if (name.offset == 0) return name.object + where;
  return fmt::format("{} bytes into {}{}", name.offset, name.object, where);
}

std::string ObjectNames::text(uint64_t address, uint64_t size) const {
  auto name = find(address, size);
  return name ? text(*name) : "";
}

std::string ObjectNames::brief(uint64_t address) const {
  const Object* object = containing(address);
  if (!object || object->kind == Kind::Literal || object->kind == Kind::Heap) return {};
  ObjectName name = describe(*object, address, 0);
  if (name.kind == Kind::Function) return name.object;
  return name.part.empty() ? "" : "&" + name.part;
}

} // namespace faultline::replay

#include "replay/debug_type.h"

namespace faultline::replay {

using fir::DebugKind;

namespace {

constexpr int kMaxNesting = 64; // of typedefs, qualifiers, dimensions, bases: more is damage

bool isQualifier(DebugKind kind) {
  switch (kind) {
  case DebugKind::Typedef:
  case DebugKind::Const:
  case DebugKind::Volatile:
  case DebugKind::Restrict:
  case DebugKind::Atomic:
    return true;
  default:
    return false;
  }
}

uint64_t sizeWithin(TypeRef type, int nesting) {
  type = type.stripped();
  const fir::DebugType* t = type.get();
  if (!t || nesting == 0) return 0;
  if (t->bytes != 0) return t->bytes;
  if (t->kind == DebugKind::Array && t->count != fir::kNone)
    return t->count * sizeWithin(type.base(), nesting - 1);
  if (t->kind == DebugKind::Pointer || t->kind == DebugKind::Reference) return 8;
  // A unit that only declares std::string still has strings of the one known layout.
  if (type.name().starts_with("basic_string<char")) return 32;
  return 0;
}

std::optional<FoundMember> findWithin(TypeRef record, std::string_view name, int nesting) {
  record = record.stripped();
  if (!record.isRecord() || nesting == 0) return std::nullopt;
  for (const fir::Member& m : record.members())
    if (isStored(m) && !(m.flags & fir::kBaseClass) && record.memberName(m) == name)
      return FoundMember{m, record};
  for (const fir::Member& m : record.members()) {
    bool within = (m.flags & fir::kBaseClass) || record.memberName(m).empty();
    if (!isStored(m) || !within) continue;
    if (auto found = findWithin(record.memberType(m), name, nesting - 1)) {
      found->member.bitOffset += m.bitOffset;
      return found;
    }
  }
  return std::nullopt;
}

} // namespace

const fir::DebugType* TypeRef::get() const {
  return image && index < image->debugTypes.size() ? &image->debugTypes[index] : nullptr;
}

DebugKind TypeRef::kind() const {
  const fir::DebugType* t = get();
  return t ? t->kind : DebugKind::Unknown;
}

std::string_view TypeRef::name() const {
  const fir::DebugType* t = get();
  return t ? image->string(t->name) : std::string_view();
}

TypeRef TypeRef::base() const {
  const fir::DebugType* t = get();
  return {image, t ? t->base : fir::kNone};
}

std::span<const fir::Member> TypeRef::members() const {
  const fir::DebugType* t = get();
  if (!t || t->firstMember > image->members.size()) return {};
  size_t count = std::min<size_t>(t->memberCount, image->members.size() - t->firstMember);
  return image->members.subspan(t->firstMember, count);
}

TypeRef TypeRef::stripped() const {
  TypeRef type = *this;
  for (int k = 0; k < kMaxNesting && type.get() && isQualifier(type.kind()); ++k) type = type.base();
  return type;
}

bool TypeRef::isRecord() const {
  return kind() == DebugKind::Struct || kind() == DebugKind::Class || kind() == DebugKind::Union;
}

bool TypeRef::isCharacter() const {
  const fir::DebugType* t = get();
  return t && t->bytes == 1 && (t->kind == DebugKind::SignedChar || t->kind == DebugKind::UnsignedChar);
}

uint64_t sizeOf(TypeRef type) { return sizeWithin(type, kMaxNesting); }

TypeRef elementOf(TypeRef type) { return type.stripped().base(); }

bool isStored(const fir::Member& member) { return !(member.flags & (fir::kStatic | fir::kEnumerator)); }

std::optional<FoundMember> findMember(TypeRef record, std::string_view name) {
  return findWithin(record, name, kMaxNesting);
}

TypeRef completed(TypeRef type, const SymbolView* symbols) {
  TypeRef bare = type.stripped();
  const fir::DebugType* t = bare.get();
  bool declaredOnly = t && bare.isRecord() && t->bytes == 0 && t->memberCount == 0 && !bare.name().empty();
  if (!declaredOnly || !symbols) return type;
  for (size_t module = 0; module < symbols->moduleCount(); ++module) {
    const fir::Image& image = symbols->image(module);
    for (uint32_t k = 0; k < image.debugTypes.size(); ++k) {
      const fir::DebugType& other = image.debugTypes[k];
      if (other.kind == t->kind && other.bytes != 0 && image.string(other.name) == bare.name())
        return {&image, k};
    }
  }
  return type;
}

} // namespace faultline::replay

#include "program/points_to_link.h"

namespace faultline::fir {
namespace {

constexpr uint32_t kDeepestRecord = 32; // a damaged file may have records that contain themselves

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 12) + (hash >> 4);
  return hash * 0xff51afd7ed558ccdu;
}

// Pointers and integers of their size may stand for each other.
uint64_t scalarCode(const Type& type) {
  TypeKind kind = type.kind == TypeKind::Pointer ? TypeKind::Int : type.kind;
  return uint64_t(kind) << 32 | type.bytes;
}

} // namespace

Linked::Linked(std::span<const Image* const> images) : images_(images.begin(), images.end()) {
  objects_.resize(images.size());
  members_.resize(images.size());
  for (uint32_t k = 0; k < images.size(); ++k) {
    firstFunction_.push_back(uint32_t(functions_.size()));
    for (uint32_t f = 0; f < images[k]->functions.size(); ++f) functions_.push_back({k, f});
  }
  for (uint32_t k = 0; k < images.size(); ++k) {
    linkSymbols(k);
    joinMembers(k);
  }
}

void Linked::linkSymbols(uint32_t image) {
  const Image& m = *images_[image];
  for (uint32_t s = 0; s < m.symbols.size(); ++s) {
    const Symbol& symbol = m.symbols[s];
    auto next = uint32_t(objectFunction_.size());
    bool isLocal = (symbol.flags & kLocal) || m.string(symbol.name).empty();
    uint32_t object = isLocal ? next : names_.try_emplace(m.string(symbol.name), next).first->second;
    bool isNew = object == next;
    if (isNew) {
      objectFunction_.push_back(kNone);
      objectIsFunction_.push_back(false);
      objectIsWeak_.push_back(true);
    }
    if (symbol.flags & kFunction) objectIsFunction_[object] = true;
    bool isBody = (symbol.flags & kFunction) && symbol.function != kNone;
    bool isWeak = symbol.flags & kWeakSymbol;
    // The strong definition, else the first one.
    if (isBody && (objectFunction_[object] == kNone || (objectIsWeak_[object] && !isWeak))) {
      objectFunction_[object] = functionNumber(image, symbol.function);
      objectIsWeak_[object] = isWeak;
    }
    objects_[image].push_back(object);
  }
}

// Goes through the scalars of a record that lies at `base`. `prefixes`: for each of its own fields, the hash
// up to the field's first scalar.
uint64_t Linked::layoutOf(uint32_t image, uint32_t record, Layout at, std::vector<uint64_t>* prefixes) const {
  const Image& m = *images_[image];
  const Record& r = m.records[record];
  if (at.depth > kDeepestRecord) return at.hash;
  for (const Field& f : m.fields.subspan(r.firstField, r.fieldCount)) {
    uint64_t offset = at.base + f.offset;
    uint64_t scalar = mix(mix(at.hash, offset), scalarCode(m.types[f.type]));
    if (prefixes) prefixes->push_back(f.inner ? mix(at.hash, ~offset) : scalar);
    // What only fills up a class's end is not there where a derived class uses it.
    bool isLast = &f == &m.fields[r.firstField + r.fieldCount - 1];
    if (isLast && f.stride == 1) break;
    at.hash = f.inner ? layoutOf(image, f.inner - 1, {at.hash, offset, at.depth + 1}, nullptr) : scalar;
    if (f.stride) at.hash = mix(at.hash, f.bytes / f.stride);
  }
  return at.hash;
}

void Linked::joinMembers(uint32_t image) {
  const Image& m = *images_[image];
  members_[image].resize(m.fields.size(), kNone);
  for (uint32_t r = 0; r < m.records.size(); ++r) {
    std::vector<uint64_t> prefixes;
    uint64_t layout = layoutOf(image, r, {}, &prefixes);
    std::string owner = std::string(m.string(m.records[r].name)) + '\0' + std::to_string(layout) + '\0';
    for (uint32_t k = 0; k < m.records[r].fieldCount; ++k) {
      uint32_t field = m.records[r].firstField + k;
      const Field& f = m.fields[field];
      auto [it, added] = memberNames_.try_emplace(owner + std::to_string(f.offset), uint32_t(keys_.size()));
      if (added) keys_.push_back({f.offset, f.bytes, prefixes[k], image, field});
      members_[image][field] = it->second;
    }
  }
}

} // namespace faultline::fir

#include "program/variable_types.h"

namespace faultline::fir {
namespace {

struct PlainKind {
  bool isPointer;
  uint32_t type; // of a pointer: what it points to
  friend bool operator==(const PlainKind&, const PlainKind&) = default;
};

PlainKind kindOf(const Image& image, const Variable& v) {
  uint32_t plain = plainType(image, v.debugType);
  bool isPointer = plain < image.debugTypes.size() && image.debugTypes[plain].kind == DebugKind::Pointer;
  return {isPointer, isPointer ? plainType(image, image.debugTypes[plain].base) : plain};
}

} // namespace

uint32_t plainType(const Image& image, uint32_t type) {
  for (size_t depth = 0; type < image.debugTypes.size() && depth < 32; ++depth) {
    const DebugType& t = image.debugTypes[type];
    if (t.kind != DebugKind::Typedef && t.kind != DebugKind::Const && t.kind != DebugKind::Volatile &&
        t.kind != DebugKind::Restrict)
      return type;
    type = t.base;
  }
  return kNone;
}

bool areAlike(const Image& image, const Variable& a, const Variable& b) {
  return kindOf(image, a) == kindOf(image, b);
}

bool isSeenFrom(const Image& image, const Variable& v, const Instruction& at) {
  if (at.location >= image.locations.size() || v.scope == kNone) return true;
  uint32_t scope = image.locations[at.location].scope;
  for (size_t depth = 0; scope < image.scopes.size() && depth < image.scopes.size(); ++depth) {
    if (scope == v.scope) return true;
    scope = image.scopes[scope].parent;
  }
  return false;
}

} // namespace faultline::fir

// A type of the source, as the debug tables have it, with the image that its indices belong to.
//
// Names are shown as a person wrote them: `const char *`, `struct node *`, `int [8]`, `int (*)(void)`,
// `std::vector<int>`; what the library's headers add to them (allocators, inline namespaces) is left out.
#pragma once

#include "replay/views.h"

#include <optional>
#include <string>
#include <string_view>

namespace faultline::replay {

struct TypeRef {
  const fir::Image* image = nullptr;
  uint32_t index = fir::kNone; // kNone: void

  // Null for void and for what the tables do not have.
  const fir::DebugType* get() const;
  fir::DebugKind kind() const;
  std::string_view name() const; // as the tables have it
  TypeRef base() const;
  TypeRef at(uint32_t index) const { return {image, index}; }
  std::span<const fir::Member> members() const;
  std::string_view memberName(const fir::Member& m) const { return image->string(m.name); }
  TypeRef memberType(const fir::Member& m) const { return {image, m.type}; }

  // Without typedef, const, volatile, restrict, _Atomic.
  TypeRef stripped() const;
  bool isRecord() const;    // struct, class or union
  bool isCharacter() const; // of one byte, so that an array of it may be a text
};

// Bytes that a value of the type takes; 0 if not known.
uint64_t sizeOf(TypeRef type);

// What a pointer, reference or array leads to.
TypeRef elementOf(TypeRef type);

// The members whose own bytes are in the object: no static ones, no enumerators.
bool isStored(const fir::Member& member);

// Finds a member by name, also in base classes and in members without a name; the offset in bits counts from
// the object itself.
struct FoundMember {
  fir::Member member; // bitOffset as in the object searched
  TypeRef owner;      // whose tables `member` belongs to
};
std::optional<FoundMember> findMember(TypeRef record, std::string_view name);

// The full definition of a type that its own unit only declares, from whichever unit has it; else the same.
TypeRef completed(TypeRef type, const SymbolView* symbols);

// Whether the unit is C, where a struct is named `struct node` and a null pointer NULL.
bool isPlainC(const fir::Image& image);

std::string typeName(TypeRef type);
std::string typeName(const fir::Image& image, uint32_t debugType);
// `char name[8]`, `int (*handler)(int)`.
std::string declarationText(TypeRef type, std::string_view name);
// Without allocators, default comparators, inline namespaces; `> >` closed up.
std::string plainTemplateName(std::string_view name);
// Whether the record is one of the standard library's, told by how it names its members.
bool isLibraryRecord(TypeRef record);

} // namespace faultline::replay

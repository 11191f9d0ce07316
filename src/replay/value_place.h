// Where a value of the program stands: in its memory, or in frame words, which are kept as their bytes.
#pragma once

#include "replay/debug_type.h"

#include <memory>

namespace faultline::replay {

struct ValuePlace {
  TypeRef type;
  uint64_t address = 0;                                       // in memory; with `held`, the offset in it
  std::shared_ptr<const std::vector<uint8_t>> held = nullptr; // a value that has no address
  uint32_t bitShift = 0, bitSize = 0; // a bit-field: so many bits from bit `bitShift` of the first byte on
  uint64_t elements = 0;              // of an array whose type does not say
  bool isAddressOf = false;           // the value is a pointer to `type`: the tables need not have one

  bool hasAddress() const { return !held && bitSize == 0; }
  // False if the replay has not seen all of it; such bytes read as 0.
  bool read(const MemoryView& memory, std::span<uint8_t> out, uint64_t offset = 0) const;
  ValuePlace part(TypeRef partType, uint64_t offset) const;
  ValuePlace member(TypeRef owner, const fir::Member& member) const;
};

ValuePlace placeInMemory(TypeRef type, uint64_t address);
ValuePlace placeInWords(TypeRef type, std::span<const uint64_t> words);

// The type of the value that stands there.
std::string typeName(const ValuePlace& place);

// The value as a number, zero-extended and for signed types sign-extended; nothing if it was never seen or
// is wider than a word.
std::optional<uint64_t> readNumber(const ValuePlace& place, const MemoryView& memory);
// A pointer's or reference's target.
std::optional<ValuePlace> pointee(const ValuePlace& place, const MemoryView& memory,
                                  const SymbolView* symbols);
std::optional<uint64_t> readWord(const MemoryView& memory, uint64_t address);

} // namespace faultline::replay

// A value of the program as a person reads it.
//
//   int 3    char 'a' (97)    enum RED    flags READ | WRITE    pointer (struct node *) 0x55d2a0 or NULL
//   char * 0x55d2a0 "text"    function pointer 0x401136 <handler>    struct {v = 3, next = 0x55d2c0}
//   array {1, 2, 0 <repeats 30 times>}    char array "text"    std::vector<int> size 3 {1, 2, 3}
//
// What the replay never saw is `<not seen>`, inside of something `?`. Nothing is followed beyond the limits,
// so damaged or circular data costs no more than good data.
#pragma once

#include "replay/value_place.h"

#include <functional>
#include <string>

namespace faultline::replay {

inline constexpr std::string_view kNotSeen = "<not seen>";

struct ValueLimits {
  unsigned depth = 4;     // of records and arrays within each other
  unsigned elements = 16; // of an array, after folding of repeats
  unsigned text = 80;     // bytes of a string
  size_t total = 400;     // length at which the rest is left out
};

struct ValueContext {
  const MemoryView* memory = nullptr;
  const SymbolView* symbols = nullptr; // optional
  // Names what lies at an address (`handler`, `&buf[3]`), or says nothing; optional. See ObjectNames.
  std::function<std::string(uint64_t)> nameOf = nullptr;
  ValueLimits limits = {};
  bool pointerTypes = false; // (struct node *) before a pointer that is the whole value
};

std::string valueText(const ValuePlace& place, const ValueContext& context);

// For the printers of library types: the pieces of one value under way.
class ValueWriter {
public:
  explicit ValueWriter(const ValueContext& context) : context_(context) {}

  void write(const ValuePlace& place, unsigned depth);
  void writeElements(const ValuePlace& first, TypeRef element, uint64_t count, unsigned depth);
  void writePointer(uint64_t address, TypeRef type, unsigned depth);
  void writeText(const ValuePlace& first, uint64_t length); // of known length
  void append(std::string_view text) { out_ += text; }

  const ValueContext& context() const { return context_; }
  const MemoryView& memory() const { return *context_.memory; }
  bool isFull() const { return out_.size() >= context_.limits.total; }
  std::string take() { return std::move(out_); }

private:
  void writeScalar(const ValuePlace& place, TypeRef type, unsigned depth);
  void writeComplex(const ValuePlace& place, TypeRef type, unsigned depth);
  void writeAddress(const ValuePlace& place);
  void writeReference(const ValuePlace& place, unsigned depth);
  void writeArray(const ValuePlace& place, TypeRef type, unsigned depth);
  void writeCharacters(const ValuePlace& place, uint64_t count);
  void writeRecord(const ValuePlace& place, TypeRef type, unsigned depth);
  void writeMembers(const ValuePlace& place, TypeRef type, unsigned depth, bool& first);
  void notSeen(unsigned depth) { out_ += depth == 0 ? kNotSeen : "?"; }

  const ValueContext& context_;
  std::string out_;
};

} // namespace faultline::replay

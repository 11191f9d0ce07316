// All images of a program as one: which definition a symbol means, and numbers for functions, objects and
// members of records that do not depend on the image.
//
//   a.c: extern int n; static int k;   b.c: int n; static int k;     one object n, two objects k
#pragma once

#include "program/image.h"

#include <compare>
#include <string>
#include <unordered_map>
#include <vector>

namespace faultline::fir {

struct FunctionRef {
  uint32_t image = kNone, function = kNone;
};

// A member of a record type. The same member seen from two images is one.
struct MemberKey {
  uint64_t offset = 0, bytes = 0;
  // Of the types of the record's scalars up to this one: two records that begin alike have it in common.
  uint64_t prefix = 0;
  uint32_t image = 0, field = 0; // one place where it stands
};

class Linked {
public:
  explicit Linked(std::span<const Image* const> images);

  std::span<const Image* const> images() const { return images_; }
  size_t functionCount() const { return functions_.size(); }
  FunctionRef function(uint32_t number) const { return functions_[number]; }
  const Function& body(uint32_t number) const {
    return images_[functions_[number].image]->functions[functions_[number].function];
  }
  uint32_t functionNumber(uint32_t image, uint32_t function) const {
    return firstFunction_[image] + function;
  }
  // What the symbol means: a number that is equal for equal things; the function it names, or kNone.
  uint32_t object(uint32_t image, uint32_t symbol) const { return objects_[image][symbol]; }
  uint32_t functionOf(uint32_t object) const { return objectFunction_[object]; }
  bool isFunction(uint32_t object) const { return objectIsFunction_[object]; }
  size_t objectCount() const { return objectFunction_.size(); }
  std::string_view name(uint32_t image, uint32_t symbol) const {
    return images_[image]->string(images_[image]->symbols[symbol].name);
  }

  uint32_t member(uint32_t image, uint32_t field) const { return members_[image][field]; }
  const MemberKey& key(uint32_t member) const { return keys_[member]; }
  const Field& field(uint32_t member) const {
    return images_[keys_[member].image]->fields[keys_[member].field];
  }
  size_t memberCount() const { return keys_.size(); }

private:
  void linkSymbols(uint32_t image);
  void joinMembers(uint32_t image);
  struct Layout {
    uint64_t hash = 0, base = 0;
    uint32_t depth = 0;
  };
  uint64_t layoutOf(uint32_t image, uint32_t record, Layout at, std::vector<uint64_t>* prefixes) const;

  std::vector<const Image*> images_;
  std::vector<FunctionRef> functions_;
  std::vector<uint32_t> firstFunction_;
  std::vector<std::vector<uint32_t>> objects_, members_;
  std::vector<uint32_t> objectFunction_;
  std::vector<bool> objectIsFunction_, objectIsWeak_;
  std::unordered_map<std::string_view, uint32_t> names_;
  std::unordered_map<std::string, uint32_t> memberNames_;
  std::vector<MemberKey> keys_;
};

} // namespace faultline::fir

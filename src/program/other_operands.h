// What else a statement might have read: the variables of the same type beside the one that it reads, and the
// other members of the struct. Both who builds an alter variant and who proposes changes ask here, and so
// mean the same by "the second other one".
//
//   int area(const box* b, int n, int k) { return b->width * b->width + n; }
//
//   b->width   the member `height`, 4 bytes further
//   n          the variable `k`
#pragma once

#include "program/image.h"

#include <map>

namespace faultline::fir {

inline constexpr size_t kMostOthers = 6; // of one load

struct OtherOperand {
  enum Kind { Variable, Member };
  Kind kind;
  uint32_t variable = kNone;  // Variable: the instruction that makes it (its alloca)
  int64_t distance = 0;       // Member: bytes from the one that is read
  std::string_view own, name; // Member: may be empty
};

class OtherOperands {
public:
  explicit OtherOperands(const Image& image);

  // Of the Load or LoadVar `local` in `function`, the likeliest first; none for other instructions.
  std::vector<OtherOperand> at(uint32_t function, uint32_t local) const;

private:
  using Others = std::vector<OtherOperand>;
  Others variables(const Function& f, const Instruction& load, const Variable& own) const;
  Others members(const Instruction& load, const Instruction& gep) const;
  const Variable* variableRead(const Function& f, const Instruction& load) const;
  const Instruction* definitionOf(const Function& f, uint32_t local, uint32_t word) const;
  std::string_view memberName(const Record& record, uint64_t offset) const;

  const Image& image_;
  std::map<std::string_view, uint32_t> structs_; // by their names without namespaces: in `debugTypes`
};

// Whether `local` is the address of one of several that lie side by side, where a neighbour may have been
// meant: `a[i]`, `p + 1`, `a[0]` where it is read, but not the `a` of `f(a)`.
bool isElement(const Image& image, uint32_t local);
// The bytes from there to the next.
uint64_t elementStride(const Image& image, const Instruction& gep);

} // namespace faultline::fir

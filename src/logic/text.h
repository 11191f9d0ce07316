// A term as a C programmer would write it, in the program's own names.
//
//   n == 3     i < len     list->head == NULL     (unsigned)i >= n && buf[2] != 'x'
//
// Widenings that change nothing are left out; numbers are signed where the variables beside them are,
// characters where those are. What is nested too deep is "...".
#pragma once

#include "logic/term.h"

namespace faultline::logic {

struct Naming {
  enum Kind : uint8_t { Unsigned, Signed, Pointer, Character, Float, Bool };
  std::string name;
  Kind kind = Unsigned;
};
using Names = std::function<Naming(uint64_t tag, uint32_t width)>;

std::string text(const Terms& terms, Term term, const Names& names);

} // namespace faultline::logic

// Variables of the source, as one who writes another statement sees them: which of them may stand in the
// place of which, and from where.
//
//   int f(char* s) { const char* t = s; { int n = 0; ... } ... }
//
//   s and t are alike; n is seen from within the inner block only
#pragma once

#include "program/image.h"

namespace faultline::fir {

// Without typedef, const, volatile and restrict; kNone: it is not known.
uint32_t plainType(const Image& image, uint32_t debugType);
// `char*` and `const char*` are the same here.
bool areAlike(const Image& image, const Variable& a, const Variable& b);
bool isSeenFrom(const Image& image, const Variable& v, const Instruction& at);

} // namespace faultline::fir

// What a printf format and its arguments give, piece by piece, so that each byte of the result is known to
// come from one conversion or from the format's own text:
//
//   "%d of %5.1f\n", 3, 2.5        "3"      %d, variable argument 0
//                                  " of "   the format itself, from offset 2 on
//                                  "  2.5"  %5.1f, variable argument 1
//                                  "\n"     the format itself, from offset 11 on
//
// Numbers are formatted by this machine's own snprintf in the C locale. What cannot be known (a string that
// the replay never saw, %m) is a part without text that says so.
#pragma once

#include "replay/views.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::replay {

// Words of the n-th variable argument as a frame holds them (a long double takes two); null: not known.
using VariableArguments = std::function<const uint64_t*(size_t number)>;

struct FormatPart {
  std::string text = {};
  bool isKnown = true;
  std::string spec = {};   // the conversion as the format has it; empty: the format's own text
  uint32_t argument = ~0u; // number of the variable argument
  uint64_t offset = 0;     // in the format
  uint64_t address = 0;    // of the bytes in memory that `text` is a copy of, behind `lead`; 0: computed
  uint32_t lead = 0;       // padding in front
};

std::vector<FormatPart> formatParts(std::string_view format, const VariableArguments& arguments,
                                    const MemoryView& memory);

// Up to the NUL, or `limit` bytes. False: it ends before, where memory was never seen.
bool readText(const MemoryView& memory, uint64_t address, uint64_t limit, std::string& text);

} // namespace faultline::replay

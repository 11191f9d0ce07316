// Numbers in sentences.
#pragma once

#include "base/text.h"

namespace faultline::cli {

// "1 statement", "3,388 statements".
inline std::string counted(uint64_t number, std::string_view noun) {
  return withThousands(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

// "none of them makes the run pass", "one ...", "12 of them make ..."
inline std::string repairing(uint64_t number) {
  if (number == 0) return "none of them makes the run pass";
  if (number == 1) return "one of them makes the run pass";
  return withThousands(number) + " of them make the run pass";
}

} // namespace faultline::cli

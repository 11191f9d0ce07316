// One unit of a program made anew with hooks in it: an object file to link, and the FIR that replays it.
#pragma once

#include "base/result.h"
#include "compiler/plan.h"

#include <string>
#include <vector>

namespace faultline::compiler {

struct VariantUnit {
  std::string object;
  std::vector<char> fir;
};

// Linker names of a unit's functions. Which of the needed ones are inside decides what its variant looks
// like.
struct UnitNames {
  std::vector<std::string> defined; // for others
  std::vector<std::string> needed;  // referred to, without a body here
};
Result<UnitNames> namesOf(const std::string& bitcode);

Result<VariantUnit> makeVariantUnit(const std::string& bitcode, uint64_t hash, const InsideNames& inside,
                                    VariantKind kind);

} // namespace faultline::compiler

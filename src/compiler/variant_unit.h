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

// Linker names of the functions that a unit defines for others.
Result<std::vector<std::string>> definedFunctions(const std::string& bitcode);

// Linker names that a unit refers to without defining them; with the inside names among them they decide
// what its variant looks like.
Result<std::vector<std::string>> undefinedFunctions(const std::string& bitcode);

Result<VariantUnit> makeVariantUnit(const std::string& bitcode, uint64_t hash, const InsideNames& inside,
                                    VariantKind kind);

} // namespace faultline::compiler

// One unit of a program made anew with hooks in it: an object file to link, and the FIR that replays it.
#pragma once

#include "compiler/ir_tools.h"

namespace faultline::compiler {

Result<UnitNames> namesOf(const std::string& bitcode);

Result<VariantUnit> makeVariantUnit(const std::string& bitcode, uint64_t hash, const InsideNames& inside,
                                    VariantKind kind);

} // namespace faultline::compiler

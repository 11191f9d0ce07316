// The copy of a unit's IR that goes on to become the object: as the frontend made it, less the debug
// information that the user did not ask for, plus (where there is no object to put it into) the record.
#pragma once

#include "base/result.h"
#include "compiler/debug_level.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faultline::compiler {

// Makes this machine's code generator and assembler known to LLVM.
void initialiseTarget();

// Writes the copy of bitcode `payload` to `path`.
Result<void> writeCodegenModule(std::string_view payload, DebugLevel level, std::string_view assembly,
                                const std::string& path);

// Bitcode that was made for LTO, with assembly added and its summary, if it has one, made anew.
Result<std::string> withAssembly(std::string_view bitcode, std::string_view assembly);

// The record hash in the module-level assembly of bitcode that was made for LTO, if it has one.
std::optional<uint64_t> hashInBitcode(std::string_view bitcode);

} // namespace faultline::compiler

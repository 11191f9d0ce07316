// Adds a section that is not loaded at run time to an ELF64 file, by writing behind what is there: nothing
// the assembler or linker laid out moves, so the code, its relocations and its signatures stay as they were.
//
//   before: [header][contents ...][section table]
//   after:  [header'][contents ...][old table][data][names'][section table + 1]
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace faultline::compiler {

// Appends `data` to section `name` of the object or program at `path`, making the section if there is none.
// The header is rewritten last: a crash before that leaves the old file, readable as it was. A file whose
// section table is missing or that is no ELF64 is refused and left alone.
Result<void> appendToSection(const std::string& path, std::string_view name, std::string_view data);

// The same for a section that is there and whose old contents are no longer wanted.
Result<void> replaceSection(const std::string& path, std::string_view name, std::string_view data);

} // namespace faultline::compiler

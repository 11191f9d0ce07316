// The members of an archive, thin ones too.
#pragma once

#include "compiler/ir_tools.h"

namespace faultline::compiler {

// Calls `see` for each member; `bytes` are those of the file `archive`.
Result<void> forEachMember(const std::string& archive, std::string_view bytes, const SeeMember& see);

} // namespace faultline::compiler

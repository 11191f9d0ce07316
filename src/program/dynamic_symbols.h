// What a program or a shared object shows to others at run time.
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace faultline::program {

// Names that the file at `path` defines and exports, in the order of its table.
Result<std::vector<std::string>> dynamicSymbols(const std::string& path);

// Whether the file is one that faultline-cc linked; false also for what is no ELF file.
bool carriesRecords(const std::string& path);

} // namespace faultline::program

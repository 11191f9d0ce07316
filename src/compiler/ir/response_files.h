// Words of a command line in files (@file).
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace faultline::compiler {

// Replaces @file by its words, nested, quoted as clang reads them. An @file that does not exist stays a word.
Result<std::vector<std::string>> expandedWords(const std::vector<std::string>& words);

} // namespace faultline::compiler

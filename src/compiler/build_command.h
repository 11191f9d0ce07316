// `faultline build -- CMD...`: runs a build with our compilers in place of the system's, by the variables
// that build systems read (CC, CXX) and by name (a script that calls gcc finds ours first on PATH).
#pragma once

#include "base/result.h"

#include <span>
#include <string>

namespace faultline::compiler {

// The exit status of the command (128 + signal if one ended it). An error says what is missing.
Result<int> runBuild(std::span<const std::string> command);

// The same, with the error printed and turned into status 1.
int runBuildCommand(std::span<const std::string> command);

} // namespace faultline::compiler

// faultline-cc and faultline-c++: clang, with the IR left in what it makes. Promises to never break a build
// that clang would do: what is no compile or link, and whatever cannot be done our way, is clang's own
// command run unchanged, with its output and its status.
#pragma once

#include "compiler/command_line.h"

#include <span>
#include <string>

namespace faultline::compiler {

// `args` without the compiler's name. The answer is the exit status; often it does not come back, because
// clang has replaced this process.
int runWrapper(Language language, std::span<const std::string> args);

// By the name the wrapper was called with: "...++" compiles C++.
Language languageOfName(std::string_view argv0);

} // namespace faultline::compiler

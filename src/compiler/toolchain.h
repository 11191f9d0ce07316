// Where the real compiler is, and how to call it for a language.
#pragma once

#include "compiler/command_line.h"

#include <span>
#include <string>
#include <vector>

namespace faultline::compiler {

// The words that start a call of clang for that language. $FAULTLINE_CLANG names another clang; else
// Debian's clang-19, by its absolute path (so a PATH with wrappers in front finds no wrapper).
std::vector<std::string> clangFor(Language language);

// clangFor(language) followed by `args`; before them, that clang only warns where gcc 12 does.
std::vector<std::string> clangCommand(Language language, std::span<const std::string> args);

} // namespace faultline::compiler

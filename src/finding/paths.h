// Paths of source files: kept absolute, shown relative to the working directory where they are below it.
#pragma once

#include <string>
#include <string_view>

namespace faultline::finding {

// Without `.`, `..` and doubled slashes; a relative one is taken from `directory`. Links are not followed.
std::string absolutePath(std::string_view path, std::string_view directory);

// "src/list.c" below the working directory, else the path as it is.
std::string shownPath(std::string_view absolute, std::string_view workingDirectory);

// The same, and "../lib/list.c" for what lies near it, if that is shorter.
std::string nearPath(std::string_view absolute, std::string_view workingDirectory);

} // namespace faultline::finding

// The little that must be known of clang's options to tell an input from an option's value, and a compile
// from anything else. Kept as tables; an option that is missing here is a flag without a value.
#pragma once

#include <string>
#include <string_view>

namespace faultline::compiler {

// The option is spelled exactly so and its value is the next word ("-I" "dir", but not "-Idir").
bool valueIsNextWord(std::string_view option);

// -E, -M, --version, -emit-llvm, -###: no object and no program comes out, or not one that we could use.
bool asksForSomethingElse(std::string_view option);

// The same for a word after -Xclang.
bool frontendDoesSomethingElse(std::string_view cc1Option);

// -flto=8: how many to run at once, which clang does not take.
bool isGccLtoJobs(std::string_view option);

// -flto-partition=none, -fuse-linker-plugin: how gcc is to go about LTO.
bool isGccLtoDetail(std::string_view option);

// clang's -x name for a file's suffix; empty for what goes to the linker.
std::string languageOfSuffix(std::string_view path);

// C and C++ sources, preprocessed or not (in -x and in cc1's spelling).
bool isOurLanguage(std::string_view language);

// By content: an archive, or a relocatable object. A linker script or a version script is neither.
bool isLinkableFile(const std::string& path);

} // namespace faultline::compiler

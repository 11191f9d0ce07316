#include "compiler/toolchain.h"

#include <cstdlib>
#include <unistd.h>

namespace faultline::compiler {

std::vector<std::string> clangFor(Language language) {
  bool cxx = language == Language::Cxx;
  if (const char* chosen = std::getenv("FAULTLINE_CLANG"); chosen && *chosen) {
    if (cxx) return {chosen, "--driver-mode=g++"};
    return {chosen};
  }
  std::string name = fmt::format("clang{}-{}", cxx ? "++" : "", FAULTLINE_LLVM_MAJOR);
  std::string ofLlvm = fmt::format("/usr/lib/llvm-{}/bin/clang{}", FAULTLINE_LLVM_MAJOR, cxx ? "++" : "");
  for (const std::string& path : {"/usr/bin/" + name, ofLlvm})
    if (access(path.c_str(), X_OK) == 0) return {path};
  return {name};
}

// What gcc only warns of and clang takes for an error unless told otherwise: older programs are full of it.
static std::span<const char* const> warningsAsOfGcc(Language language) {
  static constexpr const char* kC[] = {
      "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
      "-Wno-error=incompatible-function-pointer-types", "-Wno-error=return-mismatch"};
  static constexpr const char* kCxx[] = {"-Wno-error=reserved-user-defined-literal", "-Wno-error=register",
                                         "-Wno-error=c++11-narrowing"};
  return language == Language::Cxx ? std::span<const char* const>(kCxx) : kC;
}

std::vector<std::string> clangCommand(Language language, std::span<const std::string> args) {
  std::vector<std::string> command = clangFor(language);
  const bool isOfDriver = args.empty() || !args[0].starts_with("-cc1"); // which has to stand first
  if (isOfDriver)
    for (const char* option : warningsAsOfGcc(language)) command.push_back(option);
  command.insert(command.end(), args.begin(), args.end());
  return command;
}

} // namespace faultline::compiler

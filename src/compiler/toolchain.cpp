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

std::vector<std::string> clangCommand(Language language, std::span<const std::string> args) {
  std::vector<std::string> command = clangFor(language);
  command.insert(command.end(), args.begin(), args.end());
  return command;
}

} // namespace faultline::compiler

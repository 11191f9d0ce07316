// faultline-cc and faultline-c++: drop-in compilers (compiler/wrapper.h).
#include "compiler/wrapper.h"

#include <string>
#include <vector>

int main(int argc, char** argv) {
  using namespace faultline::compiler;
  std::vector<std::string> args(argv + (argc > 0), argv + argc);
  return runWrapper(languageOfName(argc > 0 ? argv[0] : ""), args);
}

#include "compiler/ir/response_files.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/StringSaver.h>

namespace faultline::compiler {

Result<std::vector<std::string>> expandedWords(const std::vector<std::string>& words) {
  llvm::BumpPtrAllocator allocator;
  llvm::SmallVector<const char*, 64> expanded;
  for (const std::string& word : words) expanded.push_back(word.c_str());
  llvm::cl::ExpansionContext context(allocator, llvm::cl::TokenizeGNUCommandLine);
  if (llvm::Error failure = context.expandResponseFiles(expanded)) return Error{toString(std::move(failure))};
  return std::vector<std::string>(expanded.begin(), expanded.end());
}

} // namespace faultline::compiler

#include "compiler/ir/codegen_module.h"

#include "compiler/embed.h"

#include <llvm/Analysis/ModuleSummaryAnalysis.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ModuleSummaryIndex.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>

namespace faultline::compiler {

namespace {

llvm::MemoryBufferRef bufferOf(std::string_view bitcode) {
  return {llvm::StringRef(bitcode.data(), bitcode.size()), "unit"};
}

} // namespace

void initialiseTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

Result<void> writeCodegenModule(std::string_view payload, DebugLevel level, std::string_view assembly,
                                const std::string& path) {
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(bufferOf(payload), context);
  if (!module) return errorf("the frontend's bitcode is unreadable: {}", toString(module.takeError()));
  if (level == DebugLevel::None) llvm::StripDebugInfo(**module);
  if (level == DebugLevel::LineTables) llvm::stripNonLineTableDebugInfo(**module);
  if (!assembly.empty()) (*module)->appendModuleInlineAsm(llvm::StringRef(assembly.data(), assembly.size()));
  std::error_code failure;
  llvm::raw_fd_ostream out(path, failure, llvm::sys::fs::OF_None);
  if (failure) return errorf("cannot write {}: {}", path, failure.message());
  // The order of use lists steers the optimiser: without it the object differs from clang's own.
  llvm::WriteBitcodeToFile(**module, out, /*ShouldPreserveUseListOrder=*/true);
  out.close();
  if (out.has_error()) {
    out.clear_error();
    return errorf("cannot write {}: is the disk full?", path);
  }
  return {};
}

Result<std::string> withAssembly(std::string_view bitcode, std::string_view assembly) {
  initialiseTarget();
  llvm::LLVMContext context;
  auto info = llvm::getBitcodeLTOInfo(bufferOf(bitcode));
  if (!info) return errorf("the bitcode for LTO is unreadable: {}", toString(info.takeError()));
  auto module = llvm::parseBitcodeFile(bufferOf(bitcode), context);
  if (!module) return errorf("the bitcode for LTO is unreadable: {}", toString(module.takeError()));
  (*module)->appendModuleInlineAsm(llvm::StringRef(assembly.data(), assembly.size()));
  std::optional<llvm::ModuleSummaryIndex> summary;
  if (info->HasSummary) {
    llvm::ProfileSummaryInfo profile(**module);
    summary.emplace(llvm::buildModuleSummaryIndex(**module, nullptr, &profile));
  }
  std::string joined;
  llvm::raw_string_ostream out(joined);
  llvm::WriteBitcodeToFile(**module, out, /*ShouldPreserveUseListOrder=*/true, summary ? &*summary : nullptr,
                           /*GenerateHash=*/info->IsThinLTO);
  out.flush();
  return joined;
}

std::optional<uint64_t> hashInBitcode(std::string_view bitcode) {
  llvm::LLVMContext context;
  auto module = llvm::getLazyBitcodeModule(bufferOf(bitcode), context);
  if (!module) {
    llvm::consumeError(module.takeError());
    return std::nullopt;
  }
  return hashInAssembly((*module)->getModuleInlineAsm());
}

} // namespace faultline::compiler

#include "compiler/ir/archive_members.h"

#include <llvm/Object/Archive.h>
#include <llvm/Support/MemoryBuffer.h>

namespace faultline::compiler {

namespace {

std::string_view view(llvm::StringRef text) { return {text.data(), text.size()}; }

} // namespace

Result<void> forEachMember(const std::string& archive, std::string_view bytes, const SeeMember& see) {
  auto failed = [&](llvm::Error failure) {
    return errorf("cannot read the archive {}: {}", archive, toString(std::move(failure)));
  };
  llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), archive);
  auto opened = llvm::object::Archive::create(buffer);
  if (!opened) return failed(opened.takeError());
  llvm::Error failure = llvm::Error::success();
  for (const llvm::object::Archive::Child& child : (*opened)->children(failure)) {
    auto name = child.getName();
    auto contents = child.getBuffer();
    if (name && contents) {
      see(view(*name), view(*contents));
      continue;
    }
    if (!name) llvm::consumeError(name.takeError());
    if (!contents) llvm::consumeError(contents.takeError());
  }
  if (failure) return failed(std::move(failure));
  return {};
}

} // namespace faultline::compiler

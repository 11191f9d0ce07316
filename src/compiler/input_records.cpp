#include "compiler/input_records.h"

#include "compiler/codegen_module.h"
#include "program/embedded_reader.h"

#include <elf.h>
#include <llvm/BinaryFormat/Magic.h>
#include <llvm/Object/Archive.h>
#include <llvm/Support/MemoryBuffer.h>

namespace faultline::compiler {

namespace {

std::string_view view(llvm::StringRef text) { return {text.data(), text.size()}; }

LinkerInput inspectElf(std::string_view bytes) {
  LinkerInput input;
  auto elf = program::readElf(bytes);
  if (!elf) return input;
  input.kind = elf->type == ET_DYN ? LinkerInputKind::Shared : LinkerInputKind::Object;
  // The records of a shared library are its own: they are not copied into what links against it.
  if (input.kind == LinkerInputKind::Shared) return input;
  auto records = program::irRecords(bytes);
  if (!records) return input;
  for (auto& record : *records) input.records.push_back(record.hash);
  return input;
}

LinkerInput inspectBitcode(std::string_view bytes) {
  LinkerInput input{LinkerInputKind::Object, {}};
  if (auto hash = hashInBitcode(bytes)) input.records.push_back(*hash);
  return input;
}

LinkerInput inspectBytes(std::string_view bytes) {
  if (program::looksLikeElf(bytes)) return inspectElf(bytes);
  if (llvm::identify_magic(llvm::StringRef(bytes.data(), bytes.size())) == llvm::file_magic::bitcode)
    return inspectBitcode(bytes);
  return {};
}

bool isArchive(std::string_view bytes) {
  return bytes.starts_with("!<arch>\n") || bytes.starts_with("!<thin>\n");
}

// Calls `see(name, bytes)` for each member.
template <class See> Result<void> forEachMember(const std::string& path, std::string_view bytes, See see) {
  auto failed = [&](llvm::Error failure) {
    return errorf("cannot read the archive {}: {}", path, toString(std::move(failure)));
  };
  llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), path);
  auto archive = llvm::object::Archive::create(buffer);
  if (!archive) return failed(archive.takeError());
  llvm::Error failure = llvm::Error::success();
  for (const llvm::object::Archive::Child& child : (*archive)->children(failure)) {
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

} // namespace

LinkerInput inspectLinkerInput(const std::string& path) {
  auto file = program::MappedFile::open(path);
  if (!file) return {};
  if (!isArchive(file->bytes())) return inspectBytes(file->bytes());
  LinkerInput input{LinkerInputKind::Archive, {}};
  auto done = forEachMember(path, file->bytes(), [&](std::string_view, std::string_view bytes) {
    LinkerInput member = inspectBytes(bytes);
    input.records.insert(input.records.end(), member.records.begin(), member.records.end());
  });
  return done ? input : LinkerInput{LinkerInputKind::Archive, {}};
}

Result<std::vector<ArchiveMember>> readArchive(const std::string& path) {
  FL_TRY(file, program::MappedFile::open(path));
  std::vector<ArchiveMember> members;
  FL_CHECK(forEachMember(path, file.bytes(), [&](std::string_view name, std::string_view bytes) {
    members.push_back({std::string(name), inspectBytes(bytes).records, std::string(bytes)});
  }));
  return members;
}

const char* kindName(LinkerInputKind kind) {
  constexpr const char* names[] = {"object", "archive", "shared", "other"};
  return names[static_cast<size_t>(kind)];
}

} // namespace faultline::compiler

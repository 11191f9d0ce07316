#include "compiler/input_records.h"

#include "compiler/ir_tools.h"
#include "program/embedded_reader.h"

#include <elf.h>

namespace faultline::compiler {

namespace {

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
  auto ir = irTools();
  if (auto hash = ir ? (*ir)->hashInBitcode(bytes) : std::nullopt) input.records.push_back(*hash);
  return input;
}

// As it is, or in the wrapper that some targets have around it.
bool isBitcode(std::string_view bytes) {
  return bytes.starts_with("BC\xC0\xDE") || bytes.starts_with("\xDE\xC0\x17\x0B");
}

LinkerInput inspectBytes(std::string_view bytes) {
  if (program::looksLikeElf(bytes)) return inspectElf(bytes);
  if (isBitcode(bytes)) return inspectBitcode(bytes);
  return {};
}

bool isArchive(std::string_view bytes) {
  return bytes.starts_with("!<arch>\n") || bytes.starts_with("!<thin>\n");
}

Result<void> forEachMember(const std::string& path, std::string_view bytes, const SeeMember& see) {
  FL_TRY(ir, irTools());
  return ir->forEachMember(path, bytes, see);
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

// Which records a linker input brings along: an object, an archive (thin ones too), bitcode made for LTO.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace faultline::compiler {

enum class LinkerInputKind { Object, Archive, Shared, Other };

struct ArchiveMember {
  std::string name;
  std::vector<uint64_t> records; // empty: it carries no IR
  std::string bytes;             // only when asked for
};

struct LinkerInput {
  LinkerInputKind kind = LinkerInputKind::Other;
  std::vector<uint64_t> records; // of the object, or of all members in their order
};

// A file that cannot be read, or is none of these, is Other without records.
LinkerInput inspectLinkerInput(const std::string& path);

// The members of an archive, with their bytes.
Result<std::vector<ArchiveMember>> readArchive(const std::string& path);

const char* kindName(LinkerInputKind kind);

} // namespace faultline::compiler

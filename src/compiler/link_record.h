// The link command as a program carries it (JSON in .faultline_link): what was linked, from where, in which
// order, and which records each input brought. Enough to link the program again from other objects.
#pragma once

#include "base/result.h"
#include "compiler/command_line.h"
#include "compiler/compile_step.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace faultline::compiler {

struct LinkInput {
  size_t arg = 0;
  size_t width = 1;
  int piece = -1;
  std::string path; // absolute; empty for a -l that is a library of the system
  std::string kind; // object, archive, shared, other, source
  std::vector<uint64_t> records;
};

struct LinkRecord {
  std::string cwd;
  Language driver = Language::C;
  std::vector<std::string> argv; // expanded, without the compiler's name
  std::string output;            // absolute
  bool shared = false;
  bool fullyStatic = false;
  std::vector<LinkInput> inputs;
};

// Looks at the inputs on disk as they are now. `units` says what was compiled in this same call.
LinkRecord describeLink(Language driver, const std::vector<std::string>& argv, const CommandLine& line,
                        std::span<const CompiledUnit> units);

std::string toJson(const LinkRecord& record);
Result<LinkRecord> linkRecordFromJson(std::string_view json);

// Adds the record to the file that the link has made.
Result<void> embedLinkRecord(const LinkRecord& record);

} // namespace faultline::compiler

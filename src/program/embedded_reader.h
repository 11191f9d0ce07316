// What faultline-cc left in a program's file: the IR of every unit that was linked in, and the command that
// linked it (layout: abi/embedded.h). Reading trusts nothing: sizes are checked, and a payload is handed
// out only if it decompresses to the size and the hash that its header promised.
//
//   FL_TRY(program, EmbeddedProgram::open("./calc"));
//   for (const EmbeddedRecord& unit : program.units())
//     if (unit.kind == FL_EMBEDDED_BITCODE) FL_TRY(bitcode, unpack(unit));
#pragma once

#include "abi/embedded.h"
#include "base/result.h"
#include "program/elf_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace faultline::program {

struct EmbeddedRecord {
  uint32_t kind = 0;           // fl_embedded_kind
  std::string name;            // the source file as the compiler was given it
  uint64_t hash = 0;           // identifies the record
  uint64_t rawSize = 0;        // of the payload, decompressed
  std::string_view compressed; // lives as long as the bytes it was read from
};

// The records of one section, in file order. Zero bytes between records are padding of the linker.
Result<std::vector<EmbeddedRecord>> splitRecords(std::string_view section);

// The decompressed payload, checked against its header.
Result<std::string> unpack(const EmbeddedRecord& record);

// The records in the .faultline_ir of an object file or program; empty if it has none.
Result<std::vector<EmbeddedRecord>> irRecords(std::string_view elfBytes);

class EmbeddedProgram {
public:
  // Fails with what to do if the file is no program, is damaged, or carries no IR.
  static Result<EmbeddedProgram> open(const std::string& path);

  const std::string& path() const { return path_; }
  // Bitcode and assembled objects, in link order.
  const std::vector<EmbeddedRecord>& units() const { return units_; }
  // Link commands (JSON): those of partial links first, the one that made this file last. Empty when the
  // file was not linked by faultline-cc.
  const std::vector<EmbeddedRecord>& links() const { return links_; }

private:
  EmbeddedProgram(std::string path, MappedFile file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  MappedFile file_;
  std::vector<EmbeddedRecord> units_;
  std::vector<EmbeddedRecord> links_;
};

} // namespace faultline::program

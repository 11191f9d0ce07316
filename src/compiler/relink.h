// Links a program again from other objects: the second half of what faultline-cc left in it. The link is the
// recorded one in every respect but these: units that have a replacement are replaced in place, the output
// and what is added are the caller's, and what would only cost or disturb is left out (LTO, map files, -s).
//
//   recorded: cc main.o -Wl,--start-group libutil.a -Wl,--end-group boot.s -lm -o calc
//   relinked: cc main.rec.o -Wl,--start-group list.rec.o libutil.a -Wl,--end-group boot.o -lm runtime.a -o
//   out
//
// list.rec.o stands for the member of libutil.a that had been pulled in; the archive stays behind it for
// members without IR. boot.o is written out from the program itself.
#pragma once

#include "base/result.h"
#include "program/embedded_reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace faultline::compiler {

struct RelinkRequest {
  const program::EmbeddedProgram& program;
  std::map<uint64_t, std::string> replacements =
      {};                              // record hash → object. A unit without one stays as it was
  std::vector<std::string> extra = {}; // words added at the end: objects, archives, -l, -Wl
  std::string output;
  // The result loads a shared library of ours: -static is given up, and so are sanitizers that need the
  // address space for themselves (what they would have put into the code is not in the embedded IR).
  bool loadsRuntime = false;
};

// Makes `output`. An error names the file that is missing, or gives the linker's own words.
Result<void> relink(const RelinkRequest& request);

// The command that relink runs (in the directory of the recorded link). Objects that must be taken out of the
// program or out of an archive are written to `scratch`.
Result<std::vector<std::string>> relinkCommand(const RelinkRequest& request, const std::string& scratch);

} // namespace faultline::compiler

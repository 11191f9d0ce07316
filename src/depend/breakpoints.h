// How often a debugger's breakpoint at a line was hit before a given moment of a run, so that the debugger
// can be made to stop at the same execution.
//
// A breakpoint does not stand on every instruction of its line. The line table has an entry where an
// instruction's line differs from that of the one before it, in the order of the code; of the entries for a
// line gdb takes the first in each lexical block that has variables:
//
//   5  for (int i = 0; i < n; i++)     entries at `i = 0`, `i < n`, `i++`; the breakpoint is on `i = 0`
//   6    sum += i;                     and is hit once, however often the loop goes round
//
// That is what unoptimised code is like. An optimiser moves, copies and merges lines.
#pragma once

#include "depend/history.h"

namespace faultline::depend {

struct HitQuestion {
  std::string file; // the whole path
  uint32_t line = 0;
  replay::Time time = 0; // of an instance of that line
  uint32_t id = 0;       // of its instruction
};

struct Hits {
  uint64_t count = 0; // up to and including the one at which the debugger is to stop; 0: none
  // The instance belongs to that hit. Else the line went on without another one: a further round of a loop
  // whose head it is.
  bool isExact = false;
};

// One walk over the run answers all.
Result<std::vector<Hits>> countHits(History& history, const std::vector<HitQuestion>& questions);

// Global ids of the instructions that a breakpoint stands on, of the modules that are loaded.
std::vector<uint32_t> breakpointsAt(const replay::Program& program, std::string_view file, uint32_t line);

} // namespace faultline::depend

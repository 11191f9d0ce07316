// Which functions end the program, and which blocks of a function do: whatever they write, no code of the
// program that follows ever reads it. A throw and a longjmp go on elsewhere, and end nothing.
//
//   void fail(const char *m) { puts(m); exit(1); }        ends the program
//   if (!p) fail("memory");                               so does the block with the call
#pragma once

#include "program/call_graph.h"

namespace faultline::fir {

class NoReturn {
public:
  NoReturn(const Linked& linked, const PointsTo& pointsTo, const CallGraph& calls);

  bool endsProgram(uint32_t function) const { return never_[function]; }
  // By number within the function: control does not come to the block's end.
  bool isDeadEnd(uint32_t function, uint32_t block) const;

private:
  bool endsIn(uint32_t function, const Block& block) const;
  bool findNever(uint32_t function) const;

  const Linked& linked_;
  const PointsTo& pointsTo_;
  std::vector<bool> never_; // by function number
};

} // namespace faultline::fir

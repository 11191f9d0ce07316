// What a run that was stopped did not get out of: the activation of a function that was on the stack all the
// time, the loop that it went round in, and the test that would have left it.
//
//   main() { for (...) read_line(); }   read_line() { while (*p == ' ') ; }
//
// Stopped after 1,000,000 steps, read_line() was entered after 500 and its loop after 510: the loop at
// `while`, the test `*p == ' '`. Where the activation goes round no loop of its own, as in a call of qsort()
// that does not come back, there is only the place where it stands.
#pragma once

#include "replay/replay.h"

namespace faultline::replay {

struct EndlessLoop {
  size_t frame = 0;        // of the activation, at the end of the run: 0 is the innermost
  uint64_t activation = 0; // FrameView::entered of it
  // When it came into the loop, or where there is none, to the block where it stands; 0: before what was
  // looked at.
  uint64_t entered = 0;
  // When the run did for the last time what it does not do any more: executed an instruction, or took a round
  // of some other length. From then on all rounds are alike, as far as that shows. Not before `entered`.
  uint64_t settled = 0;
  bool isLoop = false;
  uint32_t header = fir::kNone; // block
  uint64_t rounds = 0;          // seen since it was entered
  uint64_t roundsSince = 0;     // the epoch from which on they were counted
  // The last execution of a branch that decides whether it is left.
  std::optional<Time> test = {};
};

// `since`: what is looked for was entered before that epoch. `furthest`: so many instructions before the end
// are looked at. Expects the replay at its end, and leaves it there. Nothing: no function of the program was
// active for so long.
Result<std::optional<EndlessLoop>> findEndlessLoop(Replay& replay, uint64_t since,
                                                   uint64_t furthest = kNever);

} // namespace faultline::replay

// What runs inside a cell, seen from within: how much memory and how many processes it takes, and its end.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace faultline::experiment {

struct CellUse {
  uint64_t memory = 0; // bytes resident, of all processes together
  unsigned processes = 0;
};

// Of all descendants of this process but one. `memoryFiles`: also what they hold in files without a name
// (memfd_create), which need not be mapped.
CellUse useOfDescendants(bool memoryFiles, pid_t except = 0);

// Kills all descendants and waits until they are gone. `alone`: this is the first process of a name space of
// its own, so that all others in it are meant, and none can escape.
void killDescendants(bool alone);

// The same, of a process that is alone, for all but one. False: that one is gone, too.
bool killAllBut(pid_t kept);

} // namespace faultline::experiment

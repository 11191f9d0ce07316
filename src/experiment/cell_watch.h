// What runs inside a cell, seen from within: how much memory and how many processes it takes, and its end.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace faultline::experiment {

struct CellUse {
  uint64_t memory = 0; // bytes resident, of all processes together
  unsigned processes = 0;
};

// Of all descendants of this process. `memoryFiles`: also what they hold in files without a name
// (memfd_create), which need not be mapped.
CellUse useOfDescendants(bool memoryFiles);

// Kills all descendants and waits until they are gone. `alone`: this is the first process of a name space of
// its own, so that all others in it are meant, and none can escape.
void killDescendants(bool alone);

} // namespace faultline::experiment

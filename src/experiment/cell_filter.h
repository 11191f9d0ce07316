// Sees what a contained program tries to do to the world outside its cell. The name spaces refuse it anyway
// (there is no network, and nobody else to signal); a seccomp filter lets the cell look at each such call, to
// count it. It also refuses the few things that have no name space, keys of the user, and tells which runs
// leave something behind or hold memory where it is not easily seen.
#pragma once

#include "experiment/cell_memory.h"

namespace faultline::experiment {

// For this process and all that it starts. Returns the descriptor at which calls are seen; -1: `report` says
// what failed.
int installFilter(CellReport& report);

// kill(-1, SIGKILL), past the filter.
void killAllOthers();

struct FilterSeen {
  uint64_t refused = 0;
  bool sharesMemory = false; // SysV shared memory, semaphores, queues: they outlive their makers
  bool makesMemoryFiles = false;
  unsigned processLimit = 0; // 0: none
  unsigned forks = 0;        // since it was last looked how many processes live, added to those
  bool tooManyProcesses = false;
  pid_t parked = 0; // a process that is not of the run
};

// Answers the calls that wait, and notes what they were. `program`: the process that we started.
void answerFilter(int filter, pid_t program, FilterSeen& seen);

} // namespace faultline::experiment

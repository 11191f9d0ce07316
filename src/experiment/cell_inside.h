// The inside of a cell: the process from which each run of the program is started (cell.h). System calls
// only, nothing is allocated; see cell_memory.h.
#pragma once

#include "experiment/cell_memory.h"

namespace faultline::experiment {

struct CellShare {
  CellPlan* plan;
  CellOrder* order;
  CellReport* report;
  int socket;
};

// What goes over the socket: a byte each time.
namespace cell {
inline constexpr char kBegin = 'b'; // outside: names are mapped, set yourself up
inline constexpr char kRun = 'r';   // outside: run the order; with the descriptors below
inline constexpr char kStop = 's';  // outside: end that run
inline constexpr char kDone = 'd';  // inside: look at the report
// Descriptors that come with kRun: standard input, output, error, and the memory shared with the runtime.
inline constexpr int kDescriptors = 4;
// The number under which the last of them is known to the program.
inline constexpr int kSharedDescriptor = 3;
} // namespace cell

// Never returns. Ends, and with it all that runs inside, when the other end of the socket is closed.
int runInside(void* share);

} // namespace faultline::experiment

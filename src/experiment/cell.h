// A place in which programs run one after the other, each as if it were alone on the machine: what it does to
// files, processes and the network stays there and is gone afterwards. Set up once; a run then costs little
// more than to start a process.
//
// Inside lives one process of ours (cell_inside.h), the first in name spaces of its own (user, mount,
// process, network, IPC), which needs no rights. It starts each program and kills all that is left of it. If
// we die, it ends too, and with it everything inside.
#pragma once

#include "base/result.h"
#include "experiment/cell_memory.h"
#include "recording/input.h"

#include <memory>

namespace faultline::experiment {

struct Containment {
  bool on = true;                         // --uncontained: off; the program can then do what the user can
  uint64_t scratch = uint64_t(256) << 20; // bytes that a run may write to files, all together
};

// One run in a cell.
struct CellRun {
  std::string executable;
  std::vector<std::string> argv, env;
  std::string cwd;
  const std::vector<FileContent>* files = nullptr;
  const recording::KeptFiles* before = nullptr;
  // From all runs of this cell with the same arguments, environment and directory, but that others are given
  // files. Then what comes before standard input is looked at may be made once for all.
  bool onlyInputDiffers = false;
  int input = -1;                          // standard input
  int shared = -1;                         // the memory shared with the runtime
  recording::FileDescriptor inputEnd = {}; // of a pipe into which `inputBytes` go; none: it is a file
  std::string_view inputBytes = {};
  int stop = -1;                    // readable: the run is no longer wanted
  const uint64_t* epochs = nullptr; // the program's own counter, in memory shared with it
};

class Cell {
public:
  // An error says what the machine does not allow.
  static Result<std::unique_ptr<Cell>> create(const Containment& containment, const Limits& limits);
  ~Cell();
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  // Sets all of the ending but what only the shared memory knows. An error: it could not be run.
  Result<Ending> run(CellRun run);
  bool isAlive() const { return alive_; }
  void setSeconds(double seconds) { limits_.seconds = seconds; } // between runs

private:
  Cell(CellMemory memory, const Limits& limits) : memory_(std::move(memory)), limits_(limits) {}
  Result<void> start(const Containment& containment);
  Result<void> layOut(const CellRun& run);
  bool planPlacesOf(const CellRun& run);
  bool isLikeTheLast(const CellRun& run);

  CellMemory memory_;
  Limits limits_;
  pid_t pid_ = 0;
  recording::FileDescriptor socket_;
  bool alive_ = false;
  // Of the last run.
  std::vector<std::string> places_, argv_, env_;
  std::string executable_, cwd_;
};

} // namespace faultline::experiment

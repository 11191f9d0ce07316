// An experiment, before and after: what is run, within which limits, and how it ended.
#pragma once

#include "experiment/alteration.h"
#include "recording/kept_file.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace faultline::experiment {

// An instruction whose executions are counted in the run and in each experiment.
struct Counted {
  uint32_t instruction = 0; // global id, of one that may be altered
  uint32_t slot = 0;        // where it asks, as in Alteration: once in each execution
  // It does so behind what failed: the execution that failed did not come to it, and counts all the same.
  bool isBehind = false;
};

// How often a step of the run began at a place, by the place.
using Visits = std::map<uint64_t, uint64_t>;

struct FileContent {
  std::string path; // absolute
  std::string bytes;
  bool operator==(const FileContent&) const = default;
};

// What a run depends on, beside the program itself.
struct RunSpec {
  std::vector<std::string> argv; // argv[0] included
  std::vector<std::string> env;  // NAME=value, all of it
  std::string cwd;
  std::string input;                   // all of standard input
  std::vector<FileContent> files = {}; // seen by the program instead of what is there
  // What the recorded run changed, as it was before: put in place first. Without containment it cannot be.
  std::shared_ptr<const recording::KeptFiles> before = {};
  std::vector<Alteration> alterations = {};
  uint64_t lastEpoch = 0; // the step at which it is over; 0: by Limits::epochs
  uint64_t seed = 0;      // another schedule of threads; 0: that of the program's setting
  uint64_t layout = 0;    // another layout of memory, by number; 0: the usual one
  uint64_t traceEnd = 0;  // up to this step it is noted where each begins (Ending::visits)
  bool operator==(const RunSpec&) const = default;
};

// 0: no limit.
struct Limits {
  double seconds = 10;
  uint64_t memory = uint64_t(2) << 30;
  uint64_t fileSize = uint64_t(64) << 20; // of each file written
  uint64_t output = uint64_t(16) << 20;   // of standard output and of standard error, each
  unsigned processes = 64;
  uint64_t epochs = 0; // steps, as the program itself counts them
};

struct Ending {
  // What cut the run short, so that it has no end of its own.
  enum Cut { None, Time, Steps, Memory, Output, Containment, Broken };
  // How the run was brought to its start: rolled back within one process, forked, or a process of its own.
  enum Method { Rollback, Fork, Fresh };

  Cut cut = None;
  bool isSlow = false; // Steps: it came to fewer, but they took far longer than those of the run
  Method method = Fresh;
  bool isCopy = false;     // Fresh: of a process that had loaded the program before (abi/parked.h)
  bool isLateCopy = false; // ... in which it had run up to where runs with other input may differ
  int waitStatus = 0;
  // Where it ended: the outside call (call site's global id + 2, abi/state.h), or, within instrumented code,
  // the machine's program counter. The same for the same place of the same variant, but that code which is
  // asked for alterations is there twice (compiler/ir/pieces.h): of its copy the instruction's global id + 1
  // is known, else 0.
  uint64_t site = 0;
  uint64_t counter = 0;
  uint64_t instruction = 0;
  uint64_t epochs = 0;
  std::string output = {};
  std::string errors = {};
  uint64_t blocked = 0;                 // what containment refused, times
  std::string broken = {};              // Broken: why there is no outcome
  std::optional<bool> outputRight = {}; // compared already with what is expected
  uint64_t rightOutput = 0;             // bytes of it, from the first on, that were as expected
  uint64_t errorBytes = 0;              // written to standard error
  uint64_t inputRead = 0;               // how far it had come in standard input; 0: not known
  uint64_t reached = 0;                 // bit k: alteration k took place
  // Of the counted instruction, in all of the run and before the alteration; none: not counted.
  std::optional<uint64_t> executions = {};
  uint64_t executionsBefore = 0;
  // How many of the run's steps it did not make any more, in as many as the run took; none: not looked at.
  std::optional<uint64_t> stepsLost = {};
  std::optional<Visits> visits = {}; // RunSpec::traceEnd; none: there were more places than are kept
  double seconds = 0;

  bool signalled() const { return (waitStatus & 0x7f) != 0; }
  int signal() const { return waitStatus & 0x7f; }
  int status() const { return (waitStatus >> 8) & 0xff; }
};

enum class Verdict { Passed, SameFailure, OtherFailure, None };

} // namespace faultline::experiment

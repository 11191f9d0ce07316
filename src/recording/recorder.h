// Runs a record variant and keeps what it logs. The log lives in memory that the recorder owns, so it
// survives whatever happens to the program, kill -9 included.
//
//   FL_TRY(result, recordRun({.variant = "cache/calc-record", .argv = {"./calc", "2+"}, .env = currentEnv(),
//                             .output = "calc.flt"}));
//   if (result.end.signal() == SIGSEGV) ...
//
// While it runs, SIGINT, SIGQUIT, SIGTERM and SIGHUP end the program, not us; the file is closed as after any
// other end.
#pragma once

#include "base/result.h"
#include "recording/child.h"
#include "recording/children.h"
#include "recording/follower.h"
#include "recording/kept_file.h"
#include "recording/meta.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace faultline::recording {

// What runs in place of a shared object that the program opens.
struct ObjectVariant {
  std::filesystem::path file;
  LoadedObject object; // without a variant of its own: the program's variant has it
};

struct RecordRequest {
  std::filesystem::path variant = {}; // executable with the record instrument
  std::vector<std::string> argv = {}; // argv[0] as the user typed it
  std::vector<std::string> env = {};  // NAME=value, all of it
  std::string cwd = {};               // empty: ours
  std::string program = {};           // path of the program itself; what /proc/self/exe will say
  std::string programId = {};
  std::string variantKey = {};
  // Standard input: this file, else our own. What a file has is kept before the run, what comes through a
  // pipe as it passes; a terminal, a device or a socket is handed on.
  std::optional<std::filesystem::path> input = {};
  bool keepInput = true;             // false: our own standard input is handed on whatever it is
  std::filesystem::path output = {}; // the recording
  uint64_t sizeLimit = 0;            // bytes of recording; 0: none. The program goes on beyond it
  bool captureOutput = false;        // keep what the program writes to streams 1 and 2
  bool passOutput = true;            // and, when captured, write it to ours too
  bool keepsApart = false;           // streams 1 and 2, also where ours are one (`2>&1`), whatever the order
  // Keep only the end of the run, in a file of at most so many bytes; 0: all of it. `follower` replays the
  // rest while the program runs.
  uint64_t last = 0;
  MakeFollower follower = {};
  Expectation expectation = {}; // kept for whoever judges the run
  uint64_t seed = 0;            // thread schedule; 0: in order
  std::optional<std::chrono::milliseconds> timeout = {};
  Shortened shortened = {};
  uint64_t memory = 0; // bytes that it may take; with more its time is over; 0: any
  uint64_t steps = 0;  // of an alter variant: after so many its time is over, too; 0: as many as it makes
  // By an alter variant, with a clock and a number of its own, so that the run can be repeated exactly.
  bool alters = false;
  bool quick = false;
  uint32_t worldPid = 0;
  uint64_t worldClock = 0; // nanoseconds since 1970
  // Another run of the same begins with these files, in surroundings where they stand; none: with what is
  // there. Then what it changes is kept as it was before.
  std::shared_ptr<const KeptFiles> files = {};
  const Surroundings* surroundings = nullptr;
  size_t children = 0; // record forked children too, and keep at most so many of those that end well
  // Asked, from a thread of ours, for each shared object that the program opens; the program waits meanwhile.
  // None: it carries no IR, and is loaded as it is.
  std::function<Result<std::optional<ObjectVariant>>(const std::filesystem::path&)> objectVariant = {};
  std::function<void(size_t)> onlyChildrenRun = {}; // the program has ended, so many children have not
};

struct RecordResult {
  Meta meta;
  End end;
  uint64_t fileSize = 0;
  uint64_t start = 0;       // the first instruction that was kept
  bool outOfMemory = false; // that is why its time was over
  ChildrenResult children = {};
  std::shared_ptr<const KeptFiles> files = {}; // that it changed, as they were before
};

// An error means that there is no recording (and no file is left behind); a program that fails is a result.
Result<RecordResult> recordRun(const RecordRequest& request);

} // namespace faultline::recording

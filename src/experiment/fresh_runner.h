// Runs experiments, each as a process of its own: the record variant of the program, started as the recorder
// starts it, but contained (cell.h) and with nobody reading its log. Threads may run several at once; each
// gets a cell, which is kept for the next.
//
//   FL_TRY(runner, FreshRunner::create(FreshProgram::of(variant, "/home/ann/calc"), Limits{}));
//   FL_TRY(ending, runner.run({.argv = {"calc"}, .env = env, .cwd = "/home/ann", .input = "2+"}));
//   if (ending.signal() == SIGSEGV) ...
//
// Alterations need an alter variant, and the world that its instances were named in.
#pragma once

#include "base/result.h"
#include "compiler/variant.h"
#include "experiment/cell.h"

#include <memory>

namespace faultline::experiment {

struct FreshProgram {
  std::filesystem::path variant;     // executable
  std::filesystem::path program;     // of which it is one; what /proc/self/exe will say
  std::filesystem::path libraries{}; // first on LD_LIBRARY_PATH; empty: it has none
  uint64_t seed = 0;                 // thread schedule
  uint32_t worldPid = 0;             // a given world, for an alter variant; 0: the machine's
  uint64_t worldClock = 0;
  std::optional<Counted> counted{}; // of an alter variant

  static FreshProgram of(const compiler::Variant& variant, std::filesystem::path program);
};

// What standard input is: an empty device, or a file or a pipe with RunSpec::input in it.
enum class InputKind { None, File, Pipe };

class FreshRunner {
public:
  // Makes a first cell: an error says what this machine does not allow. `atOnce`: so many runs that are to
  // begin at the same time find theirs made.
  static Result<FreshRunner> create(FreshProgram program, const Limits& limits,
                                    const Containment& containment = {}, InputKind input = InputKind::File,
                                    unsigned atOnce = 1);
  FreshRunner(FreshRunner&&) noexcept;
  FreshRunner& operator=(FreshRunner&&) noexcept;
  ~FreshRunner();

  // An error: it could not be run at all (a path is wrong, the machine has no room).
  // `stop`: a descriptor; when it becomes readable, the run is ended, and is Broken.
  Result<Ending> run(const RunSpec& spec, int stop = -1) const;
  const Limits& limits() const;
  // From the next run on; only while nobody else uses it.
  void setSeconds(double seconds);

private:
  struct Shared;
  explicit FreshRunner(std::unique_ptr<Shared> shared);
  std::unique_ptr<Shared> shared_;
};

} // namespace faultline::experiment

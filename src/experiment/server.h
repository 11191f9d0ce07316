// A process that walks a run and makes experiments on the way, each from its own point of the run, going back
// to that point afterwards (abi/experiment.h, runtime/experiment.cpp).
//
//   Server server(setting);
//   FL_TRY(endings, server.run(experiments));     // in the order given; sorted and batched inside
//
// The run up to each point is compared with the recording, record by record: where it differs the experiment
// has no outcome. A process that dies, hangs or does what cannot be taken back costs one experiment; the
// others go on in a new one.
#pragma once

#include "base/result.h"
#include "experiment/compare_logs.h"
#include "experiment/run.h"
#include "recording/log_source.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>

namespace faultline::experiment {

// A file that the run reads, whose content may be another in each experiment.
struct ServedFile {
  std::string name; // as the program was given it
  std::string path; // absolute
  std::string bytes;
};

struct ServerSetting {
  std::filesystem::path variant; // alter variant
  std::string program;           // what it was made from
  RunSpec run;                   // with the input and without alterations
  bool inputIsFile = true;
  std::optional<ServedFile> file = {};
  std::optional<std::string> expected; // all of standard output; a wrong byte ends an experiment
  bool keepOutput = false;             // Ending::output and errors are wanted
  Limits limits;
  std::string maps = {}; // what the run sees as /proc/self/maps; empty: how it is
  // Seconds of a processor that an experiment may spend in a call of outside code without making a step.
  double stuckSeconds = 1;
  // What the run itself took of a processor, and its steps; 0: not known.
  double walkSeconds = 0;
  uint64_t walkEpochs = 0;
  bool forkEach = false; // though the kernel might go back within one process
  uint64_t seed = 0;     // thread schedule
  uint32_t worldPid = 0;
  uint64_t worldClock = 0;
  std::optional<Counted> counted = {};
  bool traces = false;   // experiments in a process of their own tell how far they strayed
  uint64_t traceEnd = 0; // the last step that counts as one of the run, for experiments that are traced
  Visits visits = {};    // of the run
  // The log of the run, to compare with; none: not compared.
  std::shared_ptr<const recording::LogSource> reference;
};

struct Experiment {
  std::vector<Alteration> alterations;
  std::optional<std::string> input = {}; // from the start of the run
  std::optional<std::string> file = {};  // content of ServerSetting::file, from the start of the run
  uint64_t lastEpoch = 0;                // 0: by Limits::epochs
  uint64_t seed = 0, layout = 0;         // as in RunSpec; only in a process of its own
  bool isTraced = false;                 // from the start of the run: its steps are compared with the run's
};

// The epoch at whose beginning it leaves the run.
uint64_t startOf(const Experiment& experiment);

// How the run itself ended when it was walked to its end.
struct Walk {
  Ending ending;
  bool outputRight = false;
  std::string strange = {};               // a system call that keeps the run from being walked in this way
  uint64_t refused = 0;                   // what it asked of others and was refused, times
  std::string maps = {};                  // what it saw as /proc/self/maps, if it looked
  uint64_t mapped = 0;                    // bytes of memory that it asked for, in all
  double seconds = 0;                     // of a processor
  bool isCompared = false;                // with the log of the run, and it took the same way
  std::string difference = {};            // else: where it did not
  std::vector<OutsideValue> passing = {}; // what it got otherwise than the run
};

struct ServerStats {
  uint64_t experiments = 0, processes = 0, snapshots = 0, rollbacks = 0, pagesSaved = 0, pagesRestored = 0;
  uint64_t otherValues = 0; // that the repeated run got from outside
  uint64_t forks = 0;       // experiments in a process forked off
  uint64_t stuck = 0;       // experiments that were given up in outside code,
  uint64_t slow = 0;        // or since their steps took far longer than those of the run
  uint64_t fileUses = 0;    // how often ServerSetting::file was asked for
  uint32_t landlock = 0;    // its version, beneath the catching of system calls; 0: the kernel has none
};

ServerStats& operator+=(ServerStats& sum, const ServerStats& more);

class Server {
public:
  explicit Server(ServerSetting setting);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Walks the run once to its end.
  Result<Walk> walk();
  // `done` gets each ending as it comes, with its number in `experiments`; false stops the rest, whose
  // endings are then Broken.
  Result<std::vector<Ending>> run(std::span<const Experiment> experiments,
                                  const std::function<bool(size_t, const Ending&)>& done = {});
  ServerStats stats() const;
  // With what the walk has shown.
  const ServerSetting& setting() const { return setting_; }
  // Of the experiments that were traced, in the process that is at work.
  Visits visits() const;

private:
  class Process;
  Result<Process*> processAt(uint64_t epoch);
  void end();

  ServerSetting setting_;
  std::unique_ptr<Process> process_;
  ServerStats stats_;
};

// "fork", "openat": the name of a system call, or its number.
std::string callName(uint32_t number);

} // namespace faultline::experiment

// Makes experiments on a recorded run in the cheapest way that the program allows: within one process that
// goes back after each (server.h), or several of the kind side by side where it takes long; those that do
// what cannot be taken back, each in a contained process of its own (fresh_runner.h).
#pragma once

#include "experiment/fresh_runner.h"
#include "experiment/server.h"

#include <atomic>

namespace faultline::experiment {

enum class Method { Automatic, Rollback, Fork, Fresh };

struct ExperimenterSetting {
  ServerSetting server;
  std::filesystem::path libraries; // as in FreshProgram
  Containment containment;
  Method method = Method::Automatic;
  bool threaded = false; // the recorded run had more than one thread
  unsigned jobs = 0;     // processes at once; 0: one per core
  uint64_t epochs = 0;   // of the recorded run, to tell whether it is the same again; 0: not known
};

class Experimenter {
public:
  explicit Experimenter(ExperimenterSetting setting);

  // How the run ends by itself. Decides on the way experiments are made.
  Result<Ending> walk();
  // As Server::run. `done` may be called from several threads, one at a time.
  Result<std::vector<Ending>> run(std::span<const Experiment> experiments,
                                  const std::function<bool(size_t, const Ending&)>& done = {});
  // One experiment in a process that does nothing else.
  Result<Ending> runAlone(const Experiment& experiment);

  ServerStats stats() const;
  uint64_t freshRuns() const { return freshRuns_; }
  // Why processes of their own are needed; empty: they are not.
  const std::string& reason() const { return reason_; }
  // What the walk got from outside otherwise than the recorded run, on the same way.
  const std::vector<OutsideValue>& passing() const { return passing_; }
  // Of a run that does not end, which cannot be walked: only the first steps are its way, from which altered
  // runs stray.
  Result<void> traceBeginning(uint64_t steps) { return traceRun(steps, steps + 1); }

private:
  using Done = std::function<bool(size_t, const Ending&)>;
  Result<std::vector<Ending>> serve(std::span<const Experiment> experiments, const Done& done);
  Result<std::vector<Ending>> serveSideBySide(std::span<const Experiment> experiments, size_t servers,
                                              const Done& done);
  size_t jobs() const;
  Result<FreshRunner*> fresh();
  Result<Ending> runFresh(const Experiment& experiment);
  Result<Ending> walkFresh();
  Result<void> traceRun(uint64_t steps, uint64_t lastEpoch = 0);
  Result<void> runFresh(std::span<const Experiment> experiments, const std::vector<size_t>& which,
                        std::vector<Ending>& endings, const std::function<bool(size_t, const Ending&)>& done);

  ExperimenterSetting setting_;
  Server server_;
  std::vector<std::unique_ptr<Server>> helpers_;
  bool isSlow_ = false; // so much was asked for that it took long
  std::optional<FreshRunner> fresh_;
  std::atomic<uint64_t> freshRuns_ = 0;
  std::string reason_;
  std::vector<OutsideValue> passing_;
};

} // namespace faultline::experiment

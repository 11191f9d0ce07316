// The commands of the Slurm workload manager that we need: a job array, what is left of it, its end.
#pragma once

#include "base/result.h"

#include <set>
#include <string>
#include <vector>

namespace faultline::experiment {

class Slurm {
public:
  // `options`: for each sbatch, such as {"--partition=short"}.
  explicit Slurm(std::vector<std::string> options = {}) : options_(std::move(options)) {}

  // One task for each number; `script` finds it in $SLURM_ARRAY_TASK_ID. Returns the number of the job.
  Result<std::string> submit(const std::set<size_t>& tasks, const std::string& script,
                             const std::string& folder) const;
  // Tasks of the job that wait or run.
  Result<std::set<size_t>> unfinished(const std::string& job) const;
  void cancel(const std::string& job) const; // "12", or "12_3" for one task
  // Of all nodes that are up.
  Result<size_t> processors() const;

private:
  std::vector<std::string> options_;
};

// "0-3,7"
std::string taskRanges(const std::set<size_t>& tasks);
// The other way round, also with a limit behind it ("0-3,7%2").
std::set<size_t> tasksIn(const std::string& ranges);

} // namespace faultline::experiment

// Where experiments are run, for all questions that make some: --executor, --shared, --sbatch, --uncontained,
// --no-cache.
#pragma once

#include "cli/context.h"
#include "experiment/executor.h"
#include "experiment/setting.h"

namespace faultline::cli {

struct ExecutorOptions {
  std::string kind = "local"; // or slurm
  std::string shared;         // slurm: a folder that all nodes see
  std::vector<std::string> sbatch;
  bool uncontained = false;
  bool noCache = false;
};
void addExecutorOptions(CLI::App& command, ExecutorOptions& options);

// Ready to run: local with --jobs threads, or on the cluster; verdicts that are known are taken from the
// cache, unless the failure is flaky. `runner`: one with this setting, if there is one already.
Result<std::unique_ptr<experiment::Executor>>
makeExecutor(const Context& context, const ExecutorOptions& options, const experiment::Setting& setting,
             std::shared_ptr<const experiment::FreshRunner> runner, bool isFlaky = false);

} // namespace faultline::cli

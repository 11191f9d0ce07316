#include "cli/executor_options.h"

#include "experiment/cached_executor.h"
#include "experiment/local_executor.h"
#include "experiment/slurm_executor.h"

namespace faultline::cli {
namespace {

using experiment::Executor;

Result<std::unique_ptr<Executor>> makeLocal(const Context& context, const experiment::Setting& setting,
                                            std::shared_ptr<const experiment::FreshRunner> runner) {
  if (!runner) {
    FL_TRY(made, experiment::FreshRunner::create(setting.program, setting.limits, setting.containment,
                                                 setting.input));
    runner = std::make_shared<experiment::FreshRunner>(std::move(made));
  }
  auto judge = experiment::Judge::of(setting.expectation, setting.original, setting.directory);
  FL_TRY(executor, experiment::LocalExecutor::create([runner](const experiment::RunSpec& spec,
                                                              int stop) { return runner->run(spec, stop); },
                                                     std::move(judge), context.jobs));
  return std::unique_ptr<Executor>(std::move(executor));
}

Result<std::unique_ptr<Executor>> makeSlurm(const ExecutorOptions& options,
                                            const experiment::Setting& setting) {
  std::error_code failed;
  experiment::SlurmOptions slurm{.shared = options.shared.empty() ? std::filesystem::current_path(failed)
                                                                  : std::filesystem::path(options.shared),
                                 .worker = std::filesystem::read_symlink("/proc/self/exe", failed).string(),
                                 .sbatch = options.sbatch};
  FL_TRY(executor, experiment::SlurmExecutor::create(setting, std::move(slurm)));
  return std::unique_ptr<Executor>(std::move(executor));
}

} // namespace

void addExecutorOptions(CLI::App& command, ExecutorOptions& options) {
  command.add_option("--executor", options.kind, "Where experiments run: local, or slurm (a cluster)")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->type_name("WHERE")
      ->capture_default_str();
  command
      .add_option("--shared", options.shared, "slurm: a folder that all nodes see (default: the current one)")
      ->type_name("DIR");
  command
      .add_option("--sbatch", options.sbatch, "slurm: an option for sbatch, e.g. --sbatch=--partition=short")
      ->allow_extra_args(false)
      ->type_name("OPTION");
  command.add_flag("--uncontained", options.uncontained,
                   "Run the program without a scratch layer: it can then do all that you can");
  command.add_flag("--no-cache", options.noCache, "Run again what was run before");
}

Result<std::unique_ptr<Executor>> makeExecutor(const Context& context, const ExecutorOptions& options,
                                               const experiment::Setting& setting,
                                               std::shared_ptr<const experiment::FreshRunner> runner,
                                               bool isFlaky) {
  FL_TRY(executor, options.kind == "slurm" ? makeSlurm(options, setting)
                                           : makeLocal(context, setting, std::move(runner)));
  if (options.noCache || isFlaky) return executor;
  auto cache = experiment::VerdictCache::openDefault();
  if (!cache) {
    context.log().warn("{}", cache.error().message);
    return executor;
  }
  if (std::string notice = (*cache)->notice(); !notice.empty()) context.log().warn("{}", notice);
  return std::unique_ptr<Executor>(std::make_unique<experiment::CachedExecutor>(
      std::move(executor), std::shared_ptr(std::move(*cache)), setting));
}

} // namespace faultline::cli

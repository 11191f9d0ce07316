// What every search by experiments on a failing run begins with: a way to make them, and a judge who knows
// how the run ends by itself.
#pragma once

#include "cli/alterable_run.h"
#include "cli/value_question.h"
#include "experiment/judge.h"
#include "experiment/trials.h"
#include "experiment/verdict_cache.h"

namespace faultline::cli {

struct LaboratoryOptions {
  bool uncontained = false;
  std::string method = "auto";
  bool noCache = false;
};

void addLaboratoryOptions(CLI::App& command, LaboratoryOptions& options);

struct Laboratory {
  std::unique_ptr<experiment::Experimenter> experimenter;
  experiment::Judge judge;
  // For all trials: how many steps, and which verdicts are known.
  experiment::Trials::Options trialOptions = {};
  std::vector<std::string> caveats = {};

  // `limit`: of steps, if it is less than what altered runs may take anyway; 0: it is that.
  experiment::Trials trials(uint64_t limit = 0) const;
  std::string methodText() const;
  // What was not as it should be, for the report.
  void addCaveats(std::vector<std::string>& to) const;
  static void addCaveats(const experiment::Trials& trials, std::vector<std::string>& to);
  finding::Json stats(const experiment::Trials& trials) const;
};

// When a search may stop: as soon as so many were found, and so many tried.
struct Effort {
  size_t most = 0;
  uint64_t leastTried = 0;
};

// Of an instruction, whether the user wrote it.
std::function<bool(uint32_t id)> ownCode(ValueRun& run);

// `run` is that of an alterable recording.
Result<Laboratory> openLaboratory(const Context& context, ValueRun& run, const RunOptions& options,
                                  const LaboratoryOptions& arguments);

} // namespace faultline::cli

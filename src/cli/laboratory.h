// What every search by experiments on a failing run begins with: a way to make them, and a judge who knows
// how the run ends by itself.
#pragma once

#include "cli/alterable_run.h"
#include "cli/value_question.h"
#include "experiment/judge.h"

namespace faultline::cli {

struct LaboratoryOptions {
  bool uncontained = false;
  std::string method = "auto";
};

void addLaboratoryOptions(CLI::App& command, LaboratoryOptions& options);

struct Laboratory {
  std::unique_ptr<experiment::Experimenter> experimenter;
  experiment::Judge judge;
  std::vector<std::string> caveats = {};

  std::string methodText() const;
  // What was not as it should be, for the report.
  void addCaveats(std::vector<std::string>& to) const;
  finding::Json stats() const;
};

// `run` is that of an alterable recording.
Result<Laboratory> openLaboratory(const Context& context, const ValueRun& run, const RunOptions& options,
                                  const LaboratoryOptions& arguments);

} // namespace faultline::cli

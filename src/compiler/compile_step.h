// Runs the jobs of a plan so that every object they make carries the IR (or, for assembly, the object) of its
// source. What comes out is otherwise what clang makes: same code, same warnings, same dependency files.
//
// Two ways. Split: the frontend runs once, its IR is kept, and the rest of clang goes on from it. Where the
// halves would not add up (canSplit), clang runs as it would have, and the frontend once more for us.
#pragma once

#include "compiler/job_plan.h"
#include "compiler/job_runner.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace faultline::compiler {

struct CompiledUnit {
  std::string source;
  uint64_t hash = 0; // of its record
};

class CompileStep {
public:
  // `input` replaces standard input when not empty; all that the jobs print goes to `errors`.
  CompileStep(JobRunner& runner, const ScratchDir& scratch, std::string input, std::string errors)
      : runner_(runner), scratch_(scratch), input_(std::move(input)), errors_(std::move(errors)) {}

  // Runs a job of the plan. An error says why it cannot be done our way: clang is to do it all instead.
  Result<void> run(const PlannedJob& job);

  // For an object that clang has made from `job` by itself: only adds its IR.
  Result<void> addRecord(const PlannedJob& job, const std::string& object);

  // In the order of the jobs.
  const std::vector<CompiledUnit>& units() const { return units_; }

private:
  Result<void> runAsItIs(const PlannedJob& job);
  Result<void> compileSplit(const PlannedJob& job);
  Result<std::string> runFrontend(const PlannedJob& job, bool silent);
  Result<void> generateCode(const PlannedJob& job, const std::string& bitcode);
  Result<void> addObjectRecord(const std::string& source, const std::string& object);
  Result<void> spawn(std::vector<std::string> argv, const std::string& errors);
  std::string scratchFile(const char* suffix);

  JobRunner& runner_;
  const ScratchDir& scratch_;
  std::string input_;
  std::string errors_;
  std::vector<CompiledUnit> units_;
  std::map<std::string, PlannedJob> origins_; // of an intermediate file: the job that read the source
  int files_ = 0;
};

} // namespace faultline::compiler

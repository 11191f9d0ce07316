// All that a series of experiments has in common: what is run, within which limits, what failed and how runs
// are judged. With it and a RunSpec, anybody (another process, another machine) can run and judge one.
#pragma once

#include "experiment/fresh_runner.h"
#include "experiment/judge.h"

namespace faultline::experiment {

struct Setting {
  FreshProgram program;
  std::string programKey; // names the variant by content
  // Names what the program gets from outside that is no part of an experiment, such as files that it reads:
  // if it has changed since, verdicts are not taken over.
  std::string origin = {};
  Limits limits = {};
  Containment containment = {};
  InputKind input = InputKind::File;
  recording::Expectation expectation = {};
  FailureIdentity original = {};
  std::string directory = {}; // in which the oracle is run
};

// As bytes, to be read back on another machine.
std::string pack(const Setting& setting);
std::string pack(const RunSpec& spec);
std::string pack(const Ending& ending);
Result<Setting> unpackSetting(std::string_view bytes);
Result<RunSpec> unpackSpec(std::string_view bytes);
Result<Ending> unpackEnding(std::string_view bytes);

} // namespace faultline::experiment

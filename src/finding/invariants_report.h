// Error invariants, as `faultline invariants` presents them: statements in the order of the run, each with
// what had to hold before and after it for the failure to follow.
#pragma once

#include "finding/document.h"

namespace faultline::finding {

struct InvariantStepInfo {
  Place place = {};
  std::string kind = {};                            // statement, call (passes arguments)
  std::string statement = {};                       // call: the function
  std::vector<std::string> before = {}, after = {}; // all of them hold; none: nothing has to
  std::vector<std::string> opaque = {};             // outside steps that their recorded results stand for
  std::vector<std::string> sources = {};            // input it read
  bool isImplied = false, isEnough = false;
  bool isAsked = false; // solvers decided that it is enough; else it is so by the way it was made
  std::string doubt = {};
  // What came of a run in another state that has what holds after it: same-failure, other-way, no-verdict; or
  // nothing-else: no other could be made. Empty: not tried.
  std::string experiment = {};
  uint64_t time = 0;
  uint64_t count = 1;                           // executions in a row
  uint64_t omittedRounds = 0, omittedSteps = 0; // of a loop, left out before this step
};

struct ErrorProgramInfo { // the trace as a program of its own
  std::string path = {};
  bool fails = false; // it was built and run, and did
};

struct InvariantsReport {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  bool addresses = false;
  Place place = {};                    // where it failed
  std::vector<std::string> holds = {}; // what held there
  std::vector<InvariantStepInfo> steps = {};
  std::optional<ErrorProgramInfo> errorProgram = {};
  std::vector<std::string> caveats = {};
  Json stats = Json::object();
};

Document toDocument(const InvariantsReport& report);

} // namespace faultline::finding

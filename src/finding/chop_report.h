// What carries the failing input to the failure, as `faultline chop` presents it.
#pragma once

#include "finding/minimize_report.h"
#include "finding/slice_report.h"

namespace faultline::finding {

struct ChopReport {
  ProgramInfo program = {}; // with the arguments of the run that was looked at
  std::optional<FailureInfo> failure = {};
  std::vector<MinimizedInput> inputs = {};
  std::string criterion = {}; // "byte 7 of standard input, without which it does not fail so", or all of it
  bool isOneMinimal = false;
  std::string command = {};
  std::vector<SliceStatement> statements = {}; // as the program is read
  std::vector<SliceStatement> constants = {};
  // What decided that something did not happen that would have changed the failure; in neither of the two.
  std::vector<SliceStatement> potential = {};
  uint64_t backwardStatements = 0, forwardStatements = 0;
  std::vector<std::string> caveats = {};
  Json stats = Json::object();
};

Document toDocument(const ChopReport& report);

} // namespace faultline::finding

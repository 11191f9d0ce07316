// Whether a failure depends on the order of threads, or on where things lie in memory, as `faultline vary`
// shows.
#pragma once

#include "finding/document.h"

namespace faultline::finding {

struct Variation {
  std::string what = {};    // "repetition", "schedule", "layout"
  std::string skipped = {}; // why it was not tried
  uint64_t tried = 0, passed = 0, same = 0, other = 0, none = 0;
  // Numbers of the first that passed, and of the first that failed otherwise.
  std::optional<uint64_t> passing = {}, failingOtherwise = {};

  bool depends() const { return passed + other > 0; }
};

struct VaryReport {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  std::vector<Variation> variations = {};
  std::string command = {}; // the run, as it is written behind `--`
  std::vector<std::string> caveats = {};
  double seconds = 0;
  Json stats = Json::object();
};

Document toDocument(const VaryReport& report);

} // namespace faultline::finding

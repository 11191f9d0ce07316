// Small changes of the code that make the run pass, as `faultline changes` presents them.
#pragma once

#include "finding/document.h"

namespace faultline::finding {

struct CodeChange {
  Place place = {};
  std::string form = {}; // comparison, constant ...
  std::string text = {}; // "with `<=` instead of `<`"
  bool verified = false; // again, in a process of its own
};

struct ChangesReport {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  std::vector<CodeChange> changes = {}; // the likeliest first
  std::vector<std::string> caveats = {};
  uint64_t places = 0, proposals = 0, tried = 0, passed = 0, same = 0, other = 0, none = 0;
  double seconds = 0; // of the search
  std::string method = {};
  Json stats = Json::object();
};

Document toDocument(const ChangesReport& report);

} // namespace faultline::finding

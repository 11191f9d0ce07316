// Decisions that, taken the other way, make the run pass, as `faultline critical` presents them.
#pragma once

#include "finding/effect.h"

namespace faultline::finding {

struct CriticalDecision {
  Place place = {};
  std::string instance = {};              // epoch:instruction
  uint64_t time = 0;                      // @TIME, for `show`
  uint64_t executions = 1;                // that have to be switched, this one the first of them
  std::optional<Value> condition = {};    // what was tested, and how it came out
  std::optional<int64_t> switchedTo = {}; // of a switch: the value that it would have to have
  bool inSlice = true;                    // the failure depends on it
  bool verified = false;                  // again, in a process of its own
  std::string unverified = {};            // why not
  bool isAround = false;                  // another one that repairs was only made because of it
  // It only asks what a call gave back, and another one that repairs, within it, decided that; it is the
  // last of those within.
  bool isPassedOn = false, isAsked = false;
  Effect effect = {};
};

struct CriticalReport {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  std::vector<CriticalDecision> decisions =
      {}; // where none repairs: those that make more of the output right
  std::vector<std::string> caveats = {};
  uint64_t candidates = 0, tried = 0, passed = 0, around = 0, orderly = 0, same = 0, other = 0, none = 0;
  double seconds = 0; // of the search
  std::string method = {};
  Json stats = Json::object();
};

// "taken the other way in 3 executions"
std::string otherwiseText(const CriticalDecision& decision);
Document toDocument(const CriticalReport& report);

} // namespace faultline::finding

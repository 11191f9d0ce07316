// One instance of a run, as `faultline show` presents it: where the program stands, how it got there, and
// what its variables hold.
#pragma once

#include "finding/document.h"

namespace faultline::finding {

struct StackFrame {
  size_t number = 0; // 0: innermost
  Place place = {};
  std::vector<Value> arguments = {};
  std::vector<Value> variables = {}; // the others in scope
  std::vector<Value> globals = {};   // that its function names; on request
  bool isLibrary = false;            // code of the system's headers
};

// One level of the nesting that an instance is in.
struct NestingLevel {
  std::string kind = {}; // call, branch, loop
  Place place = {};
  uint64_t round = 1;        // of a loop
  std::string instance = {}; // of its decision
};

struct StopReport {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {}; // the stop is the failure's instance
  std::string instance = {};
  std::vector<StackFrame> stack = {};     // innermost first; may have a gap where a recursion was left out
  size_t depth = 0;                       // frames in all
  std::vector<Value> printed = {};        // --print
  std::vector<NestingLevel> nesting = {}; // --index; outermost first
  std::string callee = {};                // the outside call under way, if any
  std::vector<std::string> caveats = {};
  Json stats = Json::object();
};

Document toDocument(const StopReport& report);

} // namespace faultline::finding

// What clang would do for a command line, told by clang itself (-###): the exact frontend, assembler and
// linker calls. Working on these instead of the user's options means that every default, every file name and
// every dependency flag is the one that clang would have used.
//
//   clang -### -O2 -MD -c a.c
//   → one job: kind Compile, action "-emit-obj", language "c", input "a.c", output "a.o"
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace faultline::compiler {

enum class JobKind { Compile, Assemble, Link };

struct PlannedJob {
  JobKind kind = JobKind::Link;
  std::vector<std::string> argv;
  std::string action;   // Compile: the cc1 option that says what comes out
  std::string language; // Compile: cc1's -x
  std::string input;    // Compile and Assemble
  std::string output;

  bool has(std::string_view option) const;       // spelled exactly so
  bool hasPrefix(std::string_view option) const; // any option that begins so
  bool makesLtoBitcode() const;                  // in place of an object
  std::string valueOf(std::string_view option) const;
};

struct JobPlan {
  std::vector<PlannedJob> jobs;
  std::string diagnostics; // what the driver has to say to the user, as it printed it
};

// Reads what `clang -###` wrote to standard error. An error when a job is of a kind that we do not know.
Result<JobPlan> parseJobPlan(std::string_view text);

} // namespace faultline::compiler

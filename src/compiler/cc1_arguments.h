// The edits on a cc1 call that split one compilation in two: the frontend alone (source to unoptimised IR
// with full debug information), and code generation alone (that IR to what the user asked for).
//
//   cc1 -emit-obj -O2 -dependency-file a.d -MT a.o -o a.o -x c a.c
//   frontend: cc1 -emit-llvm-bc -disable-llvm-passes -debug-info-kind=standalone -O2 -dependency-file a.d
//             -MT a.o -o u.bc -x c a.c
//   codegen:  cc1 -emit-obj -O2 -o a.o -x ir u.bc
#pragma once

#include "compiler/debug_level.h"
#include "compiler/job_plan.h"

#include <string>
#include <vector>

namespace faultline::compiler {

// WithUser: this is the only run of the frontend, so it warns and writes the dependency file.
// Silent: clang has already run as the user asked; this run only makes the IR.
enum class FrontendRun { WithUser, Silent };

std::vector<std::string> frontendArguments(const PlannedJob& job, FrontendRun run,
                                           const std::string& bitcode);

std::vector<std::string> codegenArguments(const PlannedJob& job, const std::string& bitcode);

// How much debug information the user asked for.
DebugLevel requestedDebug(const PlannedJob& job);

// False where the two halves would not add up to what clang makes in one go: files named after the output
// (split DWARF, coverage), reports that need both halves, options that code generation takes from the
// language (fast math).
bool canSplit(const PlannedJob& job);

} // namespace faultline::compiler

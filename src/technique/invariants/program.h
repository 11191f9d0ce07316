// The executable error trace: the statements of the trace as a straight-line C program of its own, with the
// invariants as comments between them, that aborts if the failing condition comes to hold.
#pragma once

#include "finding/invariants_report.h"
#include "technique/invariants/trace.h"

namespace faultline::technique {

Result<std::string> errorTraceProgram(logic::InstanceTerms& terms, const InvariantTrace& trace,
                                      std::string_view workingDirectory);

} // namespace faultline::technique

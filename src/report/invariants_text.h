// `faultline invariants` on a terminal: statements, and between them what had to hold there.
#pragma once

#include "finding/invariants_report.h"
#include "report/source.h"
#include "report/terminal.h"

namespace faultline::report {

struct InvariantsTextOptions {
  size_t mostSteps = 40; // 0: all
};

std::string renderInvariants(const finding::InvariantsReport& report, SourceFiles& files,
                             const Screen& screen, const InvariantsTextOptions& options);

} // namespace faultline::report

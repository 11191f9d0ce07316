// The smallest input for a person at a terminal.
#pragma once

#include "finding/minimize_report.h"
#include "report/excerpt.h"

namespace faultline::report {

//   10 of 48,120 bytes of standard input fail in the same way:
//     "overflow()"
//   written to stdin.min. No byte of it can be left out.
//
//   Again: ./calc < stdin.min
std::string renderMinimize(const finding::MinimizeReport& report, const Screen& screen);

// The inputs alone, for other reports.
std::string renderInputs(const std::vector<finding::MinimizedInput>& inputs, const Screen& screen);

} // namespace faultline::report

// What a failure depends on beside the program and its input, for a person at a terminal.
#pragma once

#include "finding/vary_report.h"
#include "report/terminal.h"

namespace faultline::report {

std::string renderVary(const finding::VaryReport& report, const Screen& screen);

} // namespace faultline::report

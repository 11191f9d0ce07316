// Critical decisions for a person at a terminal.
#pragma once

#include "finding/critical_report.h"
#include "report/excerpt.h"

namespace faultline::report {

std::string renderCritical(const finding::CriticalReport& report, SourceFiles& files, const Screen& screen);

} // namespace faultline::report

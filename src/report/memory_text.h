// Memory errors for a person at a terminal.
#pragma once

#include "finding/memory_report.h"
#include "report/excerpt.h"

namespace faultline::report {

std::string renderMemory(const finding::MemoryReport& report, SourceFiles& files, const Screen& screen);

} // namespace faultline::report

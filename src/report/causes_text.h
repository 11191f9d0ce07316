// The cause tree for a person at a terminal.
#pragma once

#include "finding/causes_report.h"
#include "report/excerpt.h"

namespace faultline::report {

struct CausesTextOptions {
  size_t mostNodes = 12; // the rest is counted; 0: all
  size_t mostLines = 12; // of those to be read first; 0: all
};

//   1  level 1, decides whether line 6 is executed
//      main.c:2   if (a > 0) {            a > 0 is true
//      main.c:1   int a = 2, b = 1;       a = 2
std::string renderCause(const finding::CauseNodeInfo& node, size_t number, bool showsAll, SourceFiles& files,
                        const Screen& screen);
std::string renderCauses(const finding::CausesReport& report, SourceFiles& files, const Screen& screen,
                         const CausesTextOptions& options = {});

} // namespace faultline::report

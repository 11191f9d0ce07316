// Slices and origins for a person at a terminal: annotated source, and a tree of steps.
#pragma once

#include "finding/slice_report.h"
#include "report/excerpt.h"

namespace faultline::report {

struct SliceTextOptions {
  size_t mostStatements = 40; // the rest is folded; 0: all
  bool library = false;       // statements of system headers, too
};

//   sum()  list.c
//      13   while (n) {                      n != NULL is true, 7 times; decides whether line 15 is executed
//    * 15     s += n->v;                     s = 84, 7 times; makes a value that line 30 uses
std::string renderSlice(const finding::SliceReport& report, SourceFiles& files, const Screen& screen,
                        const SliceTextOptions& options = {});

std::string renderOrigin(const finding::OriginReport& report, SourceFiles& files, const Screen& screen);

// Statements as nodes, reasons as edges, for Graphviz.
std::string sliceDot(const finding::SliceReport& report, SourceFiles& files, const Screen& screen);

} // namespace faultline::report

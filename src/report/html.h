// The explanation as one page that needs nothing but itself: no network, no framework. Suspects with their
// chains, the annotated source, the cause tree to fold and prune. Without scripts all of it can be read; what
// comes from the program or its source is text and never markup.
#pragma once

#include "finding/explanation.h"
#include "report/source.h"

namespace faultline::report {

struct HtmlOptions {
  std::string workingDirectory = {}; // paths below it are shown relative to it
  std::string version = {};
  size_t mostLines = 6000; // of source; the most suspicious files first
  size_t wholeFile = 250;  // a file of so many lines is shown as a whole
};

std::string renderHtml(const finding::Explanation& explanation, SourceFiles& files,
                       const HtmlOptions& options);

} // namespace faultline::report

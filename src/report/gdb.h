// A script for gdb that stops the ordinary program at every step of the first suspect's chain, at the
// execution that the explanation is about, and says what the recorded run saw there.
#pragma once

#include "finding/explanation.h"
#include "report/source.h"

namespace faultline::report {

struct GdbOptions {
  std::string workingDirectory = {}; // paths below it are shown relative to it
  std::string version = {};
  std::string input = {};      // a file for standard input; empty: none is given
  bool isInputMissing = false; // the run had one, and it is in no file
};

std::string renderGdb(const finding::Explanation& explanation, SourceFiles& files, const GdbOptions& options);

} // namespace faultline::report

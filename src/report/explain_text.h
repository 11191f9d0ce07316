// The explanation for a person at a terminal: one screen.
#pragma once

#include "finding/explanation.h"
#include "report/excerpt.h"

namespace faultline::report {

struct ExplainTextOptions {
  size_t mostSuspects = finding::kFirstScreen;
  bool hasNotes = true;    // what is not confirmed is said all the same
  bool hasDetails = false; // all notes, those on the bounds of each technique among them
};

std::string renderExplanation(const finding::Explanation& explanation, SourceFiles& files,
                              const Screen& screen, const ExplainTextOptions& options = {});

} // namespace faultline::report

// The explanation for a person at a terminal: one screen.
#pragma once

#include "finding/explanation.h"
#include "report/excerpt.h"

namespace faultline::report {

struct ExplainTextOptions {
  size_t mostSuspects = finding::kFirstScreen;
};

std::string renderExplanation(const finding::Explanation& explanation, SourceFiles& files,
                              const Screen& screen, const ExplainTextOptions& options = {});

} // namespace faultline::report

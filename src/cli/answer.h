// Hands in a report in the format that was asked for. All formats are made from the same report.
#pragma once

#include "cli/context.h"
#include "report/excerpt.h"
#include "report/sarif_results.h"

#include <filesystem>

namespace faultline::cli {

report::SarifOptions sarifOptions(const Context& context);
report::Screen answerScreen(const Context& context);

// `text` makes what a person reads: std::string(report::SourceFiles&, const report::Screen&).
template <class Report, class Text>
Result<void> answerReport(const Context& context, const Report& report, const Text& text) {
  report::SourceFiles files;
  if (context.json) return context.answer(finding::printed(finding::toJson(finding::toDocument(report))));
  if (context.format == "sarif")
    return context.answer(report::renderSarif(report::sarifOf(report), files, sarifOptions(context)));
  return context.answer(text(files, answerScreen(context)));
}

// Sources that were changed after the program was built: what is shown of them may not be what was run.
std::vector<std::string> changedSources(const finding::Explanation& explanation);

// What the run read from standard input, for a format that tells how to run it again.
struct RunInput {
  std::string file = {};                // it was given as a file
  std::optional<std::string> kept = {}; // it was kept
};
Result<void> answerExplanation(const Context& context, const finding::Explanation& explanation,
                               const RunInput& input = {});

// A run that did not fail has no answer; a script that asked for a document gets a valid one all the same.
Result<void> answerNoFailure(const Context& context, const char* technique,
                             const finding::ProgramInfo& program, const std::vector<std::string>& caveats);

} // namespace faultline::cli

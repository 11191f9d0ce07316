#include "cli/answer.h"

#include "report/explain_text.h"

namespace faultline::cli {

report::SarifOptions sarifOptions(const Context& context) {
  std::string here = std::filesystem::current_path().string();
  return {.version = FAULTLINE_VERSION,
          .root = report::repositoryRoot(here),
          .workingDirectory = here,
          .command = context.command};
}

report::Screen answerScreen(const Context& context) {
  return {context.answerTerminal(), report::localeHasUnicode(), std::filesystem::current_path().string()};
}

Result<void> answerExplanation(const Context& context, const finding::Explanation& explanation) {
  return answerReport(context, explanation, [&](report::SourceFiles& files, const report::Screen& screen) {
    return report::renderExplanation(explanation, files, screen);
  });
}

Result<void> answerNoFailure(const Context& context, const char* technique,
                             const finding::ProgramInfo& program, const std::vector<std::string>& caveats) {
  if (context.format == "sarif") {
    report::SourceFiles files;
    report::SarifLog log{.technique = technique, .program = program, .caveats = caveats};
    return context.answer(report::renderSarif(log, files, sarifOptions(context)));
  }
  finding::Document document{.technique = technique, .program = program, .caveats = caveats};
  return context.answer(finding::printed(finding::toJson(document)));
}

} // namespace faultline::cli

#include "cli/answer.h"

#include "base/file.h"
#include "finding/paths.h"
#include "report/explain_text.h"
#include "report/gdb.h"
#include "report/html.h"

#include <set>

namespace faultline::cli {

report::SarifOptions sarifOptions(const Context& context) {
  std::string here = std::filesystem::current_path().string();
  return {.version = FAULTLINE_VERSION,
          .root = report::repositoryRoot(here),
          .workingDirectory = here,
          .command = context.command};
}

namespace {

report::HtmlOptions htmlOptions() {
  return {.workingDirectory = std::filesystem::current_path().string(), .version = FAULTLINE_VERSION};
}

} // namespace

report::Screen answerScreen(const Context& context) {
  return {context.answerTerminal(), report::localeHasUnicode(), std::filesystem::current_path().string()};
}

std::vector<std::string> changedSources(const finding::Explanation& explanation) {
  std::vector<std::string> notes;
  std::error_code failed;
  auto built = std::filesystem::last_write_time(explanation.program.path, failed);
  if (failed) return notes;
  std::set<std::string> files;
  for (const finding::Suspect& s : explanation.suspects) {
    files.insert(s.place.file);
    for (const finding::ChainStep& step : s.chain) files.insert(step.place.file);
  }
  std::string here = std::filesystem::current_path().string();
  for (const std::string& file : files) {
    auto written = std::filesystem::last_write_time(file, failed);
    if (!failed && written > built)
      notes.push_back(fmt::format("{} is newer than the program: its lines may have moved since it was built",
                                  finding::shownPath(file, here)));
  }
  return notes;
}

namespace {

// Beside the script, if that goes to a file.
Result<report::GdbOptions> gdbOptions(const Context& context, const RunInput& input) {
  report::GdbOptions options{.workingDirectory = std::filesystem::current_path().string(),
                             .version = FAULTLINE_VERSION};
  if (!input.file.empty()) {
    options.input = std::filesystem::absolute(input.file).string();
  } else if (input.kept && !input.kept->empty() && !context.output.empty()) {
    std::string path = std::filesystem::absolute(context.output + ".stdin").string();
    FL_CHECK(writeFileAtomic(path, *input.kept));
    options.input = path;
  } else {
    options.isInputMissing = input.kept && !input.kept->empty();
  }
  return options;
}

} // namespace

Result<void> answerExplanation(const Context& context, const finding::Explanation& explanation,
                               const RunInput& input) {
  report::SourceFiles files;
  if (context.format == "gdb") {
    FL_TRY(options, gdbOptions(context, input));
    return context.answer(report::renderGdb(explanation, files, options));
  }
  if (context.format == "html") return context.answer(report::renderHtml(explanation, files, htmlOptions()));
  return answerReport(context, explanation, [&](report::SourceFiles& files, const report::Screen& screen) {
    return report::renderExplanation(explanation, files, screen,
                                     {.hasNotes = !context.quiet, .hasDetails = context.verbose});
  });
}

Result<void> answerNoFailure(const Context& context, const char* technique,
                             const finding::ProgramInfo& program, const std::vector<std::string>& caveats) {
  if (context.format == "sarif") {
    report::SourceFiles files;
    report::SarifLog log{.technique = technique, .program = program, .caveats = caveats};
    return context.answer(report::renderSarif(log, files, sarifOptions(context)));
  }
  if (context.format == "html" || context.format == "gdb") {
    finding::Explanation nothing{.program = program, .caveats = caveats};
    return answerExplanation(context, nothing);
  }
  finding::Document document{.technique = technique, .program = program, .caveats = caveats};
  return context.answer(finding::printed(finding::toJson(document)));
}

} // namespace faultline::cli

#include "report/invariants_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace faultline::report {
namespace {

std::string sourceLine(const finding::Place& place, SourceFiles& files) {
  auto line = files.line(place.file, place.line);
  return line ? std::string(withoutIndent(*line)) : "";
}

std::string conditionLine(const std::vector<std::string>& conditions, const Screen& screen) {
  std::string text =
      conditions.empty() ? "nothing more has to hold" : fmt::format("{}", fmt::join(conditions, " && "));
  return wrapped("        { " + text + " }", screen.width(), 10) + "\n";
}

std::string stepLines(const finding::InvariantStepInfo& s, size_t number, SourceFiles& files,
                      const Screen& screen) {
  std::string out;
  if (s.omittedSteps)
    out += fmt::format("        ... {} more rounds of these lines ({} statements) ...\n", s.omittedRounds,
                       s.omittedSteps);
  std::string line =
      fmt::format("{:>3}  {:<18} {}", number, placeText({s.place.file, s.place.line, 0, ""}, screen),
                  sourceLine(s.place, files));
  if (s.kind == "call" && !s.statement.empty()) line += fmt::format("   [call of {}()]", s.statement);
  if (s.count > 1) line += fmt::format("   [{} times]", s.count);
  out += wrapped(line, screen.width(), 24) + "\n";
  if (!s.sources.empty())
    out += wrapped(fmt::format("        reads {}", fmt::join(s.sources, ", ")), screen.width(), 8) + "\n";
  if (!s.opaque.empty())
    out +=
        wrapped(fmt::format("        as recorded: {}", fmt::join(s.opaque, ", ")), screen.width(), 8) + "\n";
  if (!s.isImplied || !s.isEnough)
    out += wrapped("        not confirmed: " + (s.doubt.empty() ? "no solver decided it in time" : s.doubt),
                   screen.width(), 8) +
           "\n";
  return out;
}

} // namespace

std::string renderInvariants(const finding::InvariantsReport& report, SourceFiles& files,
                             const Screen& screen, const InvariantsTextOptions& options) {
  std::string out;
  if (report.failure) out += wrapped(headline(*report.failure, screen), screen.width(), 2) + "\n\n";
  out += "What had to hold, statement by statement, for the failure to follow\n\n";
  size_t skip = options.mostSteps && report.steps.size() > options.mostSteps
                    ? report.steps.size() - options.mostSteps
                    : 0;
  if (skip) out += fmt::format("  {} earlier statements; --all shows them\n", skip);
  for (size_t k = skip; k < report.steps.size(); ++k) {
    // What held before is the end of the statement before, except where some are left out.
    if (k == skip || report.steps[k].omittedSteps) {
      if (!report.steps[k].before.empty()) out += conditionLine(report.steps[k].before, screen);
    }
    out += stepLines(report.steps[k], k + 1, files, screen);
    out += conditionLine(report.steps[k].after, screen);
    if (report.steps[k].experiment == "other-way")
      out += "        in another state that has it, the run went another way\n";
  }
  if (report.steps.empty()) out += conditionLine(report.holds, screen);
  out += wrapped(fmt::format("     {:<18} {}   [fails]",
                             placeText({report.place.file, report.place.line, 0, ""}, screen),
                             sourceLine(report.place, files)),
                 screen.width(), 24) +
         "\n";
  if (report.errorProgram && report.errorProgram->fails)
    out += wrapped(fmt::format("\n{}: the same as a program of its own; built and run, it fails, too",
                               report.errorProgram->path),
                   screen.width(), 2) +
           "\n";
  return out + renderCaveats(report.caveats, screen);
}

} // namespace faultline::report

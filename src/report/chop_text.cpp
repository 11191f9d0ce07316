#include "report/chop_text.h"

#include "report/minimize_text.h"
#include "report/terminal.h"

#include <fmt/format.h>

namespace faultline::report {

std::string renderChop(const finding::ChopReport& report, SourceFiles& files, const Screen& screen,
                       const SliceTextOptions& options) {
  std::string out;
  if (report.failure) out += headline(*report.failure, screen) + "\n\n";
  out += "It fails in this way with:\n" + renderInputs(report.inputs, screen);
  if (!report.isOneMinimal) out += screen.terminal.paint(Style::Yellow, "Perhaps not the smallest.") + "\n";
  out += "\n";
  finding::SliceReport carried;
  carried.question = fmt::format("{} of the {} statements that influence the failure carry {} there:",
                                 report.statements.size(), report.backwardStatements, report.criterion);
  carried.statements = report.statements;
  out += wrapped(carried.question, screen.width(), 0);
  carried.question.clear();
  out += renderSlice(carried, files, screen, options);
  if (!report.constants.empty()) {
    finding::SliceReport constants;
    constants.statements = report.constants;
    out += "\n" + wrapped(fmt::format("No input reaches these {}; a wrong constant would be among them:",
                                      report.constants.size()),
                          screen.width(), 0);
    out += renderSlice(constants, files, screen, options);
  }
  if (!report.potential.empty()) {
    finding::SliceReport potential;
    potential.statements = report.potential;
    out +=
        "\n" +
        wrapped(fmt::format("These {} decided that something was not done; if it was wrongly left out, the "
                            "fault is among them:",
                            report.potential.size()),
                screen.width(), 0);
    out += renderSlice(potential, files, screen, options);
  }
  out += fmt::format("\n{} {}\n", screen.terminal.paint(Style::Bold, "Again:"), report.command);
  return out + renderCaveats(report.caveats, screen);
}

} // namespace faultline::report

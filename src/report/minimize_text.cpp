#include "report/minimize_text.h"

#include "base/text.h"
#include "finding/paths.h"
#include "report/terminal.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::report {

using finding::MinimizedInput;

namespace {

// At the ends of its lines a string of several lines is broken.
std::string quotedText(const MinimizedInput& input, const Screen& screen) {
  std::string out;
  std::string_view rest = input.text;
  constexpr size_t kMostLines = 24;
  for (size_t line = 0; !rest.empty(); ++line) {
    if (line == kMostLines) return out + "    ...\n";
    size_t at = rest.find("\\n");
    size_t end = at == rest.npos || at + 3 >= rest.size() ? rest.size() : at + 2;
    out += fmt::format("    {}\n", rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return input.isCut ? out + "    ...\n" : out;
}

std::string renderInput(const MinimizedInput& input, const Screen& screen) {
  const Terminal& t = screen.terminal;
  if (input.isGone) return fmt::format("  {}: not needed\n", input.what);
  std::string out = fmt::format("  {}: {} of {} bytes", t.paint(Style::Bold, input.what),
                                withThousands(input.after), withThousands(input.before));
  if (!input.written.empty())
    out += fmt::format(", written to {}",
                       t.paint(Style::Green, finding::shownPath(input.written, screen.workingDirectory)));
  out += "\n";
  return input.after == 0 ? out : out + quotedText(input, screen);
}

std::string unitText(const std::string& units) {
  return units.ends_with('s') ? units.substr(0, units.size() - 1) : units;
}

} // namespace

// Of many variables that are not needed one line is enough.
std::string renderInputs(const std::vector<MinimizedInput>& inputs, const Screen& screen) {
  constexpr size_t kMostGone = 6;
  size_t gone = size_t(std::ranges::count_if(inputs, &MinimizedInput::isGone));
  std::string out;
  for (const MinimizedInput& i : inputs)
    if (!i.isGone || gone <= kMostGone) out += renderInput(i, screen);
  if (gone > kMostGone) out += fmt::format("  {} arguments and variables are not needed\n", gone);
  return out;
}

std::string renderMinimize(const finding::MinimizeReport& report, const Screen& screen) {
  const Terminal& t = screen.terminal;
  std::string out;
  if (report.failure) out += headline(*report.failure, screen) + "\n\n";
  if (report.difference) {
    out += "This fails in the same way:\n" + renderInputs(report.inputs, screen);
    out += "\nThis passes:\n" + renderInputs(report.difference->passing, screen);
    out += "\nWhat makes the difference:\n";
    for (const std::string& line : report.difference->lines) out += fmt::format("  {}\n", line);
    out += "\n";
  } else {
    out += "This fails in the same way:\n" + renderInputs(report.inputs, screen) + "\n";
  }
  if (report.isOneMinimal)
    out += report.difference ? "No smaller difference between the two has a verdict.\n"
                             : fmt::format("No single {} of it can be left out.\n", unitText(report.unit));
  else
    out += t.paint(Style::Yellow, "Perhaps not the smallest: " + report.stopped) + "\n";
  double rate = report.seconds > 0 ? double(report.runs) / report.seconds : 0;
  out += fmt::format("{} runs in {}{}.\n", withThousands(report.runs), humanDuration(report.seconds),
                     report.runs > 1 ? fmt::format(" ({:.0f}/s)", rate) : "");
  out += fmt::format("\n{} {}\n", t.paint(Style::Bold, "Again:"), report.command);
  if (!report.isConfirmed) out += t.paint(Style::Yellow, "That was not confirmed by a fresh run.") + "\n";
  return out + renderCaveats(report.caveats, screen);
}

} // namespace faultline::report

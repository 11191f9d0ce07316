#include "report/explain_text.h"

#include "report/terminal.h"

#include <fmt/format.h>

namespace faultline::report {
namespace {

std::string sourceOf(SourceFiles& files, const finding::Place& place, size_t most) {
  auto line = files.line(place.file, place.line);
  if (!line) return "";
  size_t from = line->find_first_not_of(" \t");
  std::string text = from == std::string_view::npos ? "" : std::string(line->substr(from));
  return text.size() > most ? text.substr(0, most - 3) + "..." : text;
}

std::string suspectText(const finding::Suspect& s, size_t number, SourceFiles& files, const Screen& screen) {
  std::string function = s.place.function.empty() ? "" : fmt::format(" in {}()", s.place.function);
  std::string head =
      fmt::format("{}. {}{}", number, placeText({s.place.file, s.place.line, 0, ""}, screen), function);
  std::string out = screen.terminal.paint(Style::Bold, head) + "\n";
  out += fmt::format("   {:>5} | {}\n", s.place.line, sourceOf(files, s.place, screen.width() - 12));
  size_t shown = 0;
  for (const finding::Evidence& e : s.evidence) {
    if (++shown > 2) break;
    out += wrapped("   " + e.text, screen.width(), 3) + "\n";
  }
  return out;
}

std::string chainText(const finding::Suspect& s, SourceFiles& files, const Screen& screen) {
  std::string out;
  size_t number = 0;
  for (const finding::ChainStep& step : s.chain) {
    std::string where = placeText({step.place.file, step.place.line, 0, ""}, screen);
    std::string source = sourceOf(files, step.place, 34);
    std::string line = fmt::format("  {:>2}. {:<20} {:<34}  {}", ++number, where, source, step.text);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += wrapped(line, screen.width(), 27) + "\n";
  }
  return out;
}

} // namespace

std::string renderExplanation(const finding::Explanation& explanation, SourceFiles& files,
                              const Screen& screen, const ExplainTextOptions& options) {
  std::string out;
  if (explanation.failure) out += wrapped(headline(*explanation.failure, screen), screen.width(), 2) + "\n";
  size_t number = 0;
  for (const finding::Suspect& s : explanation.suspects) {
    if (number >= options.mostSuspects) break;
    out += (number ? "" : "\nSuspects, the first is the most likely\n") + std::string();
    out += suspectText(s, ++number, files, screen);
  }
  if (explanation.suspects.empty()) out += "\nNothing was found that could have led to it.\n";
  if (!explanation.suspects.empty() && explanation.suspects[0].chain.size() > 1) {
    out += "\nFrom the first suspect to the failure\n";
    out += chainText(explanation.suspects[0], files, screen);
  }
  if (!explanation.tried.empty()) {
    out += "\n";
    for (const std::string& text : explanation.tried) out += wrapped(text, screen.width(), 0) + "\n";
  }
  return out + renderCaveats(explanation.caveats, screen);
}

} // namespace faultline::report

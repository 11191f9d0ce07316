#include "report/causes_text.h"

#include "finding/effect.h"

#include "report/terminal.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::report {
namespace {

constexpr size_t kMostStatements = 4; // of one node
constexpr size_t kOfTheFailure = 24;  // and of the first

std::string valueText(const finding::CauseStatement& s) {
  if (!s.value) return "";
  std::string text = finding::valueText(*s.value, s.isCondition);
  if (s.instances > 1) text += fmt::format(", {} times", s.instances);
  return text;
}

std::string sourceLine(const finding::Place& place, const std::string& behind, SourceFiles& files,
                       const Screen& screen) {
  std::string where = placeText({place.file, place.line, 0, ""}, screen);
  std::string source;
  if (auto line = files.line(place.file, place.line)) source = withoutIndent(*line);
  constexpr size_t kSource = 34;
  if (source.size() > kSource) source = source.substr(0, kSource - 3) + "...";
  std::string line = fmt::format("     {:<18} {:<{}}  {}", where, source, kSource, behind);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

constexpr std::string_view kIndent = "          ";

std::string repairText(const finding::CauseLine& line) {
  return fmt::format("{}{} {}{}", kIndent, finding::effectText(line.effect), line.repair,
                     finding::wayText(line.effect));
}

std::string readFirst(const finding::CausesReport& report, size_t most, SourceFiles& files,
                      const Screen& screen) {
  std::string out;
  size_t shown = 0;
  for (const finding::CauseLine& line : report.order) {
    // By its number in the list below; what was pruned is not read.
    auto node = std::find_if(report.nodes.begin(), report.nodes.end(),
                             [&](const finding::CauseNodeInfo& n) { return n.id == line.node; });
    if (node == report.nodes.end()) continue;
    if (most && ++shown > most) break;
    out += sourceLine(line.place, fmt::format("in cause {}", node - report.nodes.begin() + 1), files, screen);
    if (!line.repair.empty()) out += wrapped(repairText(line), screen.width(), kIndent.size()) + "\n";
  }
  return out.empty() ? "" : "Lines to read first\n" + out + "\n";
}

} // namespace

std::string renderCause(const finding::CauseNodeInfo& n, size_t number, bool showsAll, SourceFiles& files,
                        const Screen& screen) {
  std::string head = fmt::format("{:>3}  {}", number, n.relation);
  if (n.count > 1) head += fmt::format(" ({} times alike)", n.count);
  std::string out = wrapped(head, screen.width(), 5) + "\n";
  size_t shown = 0, all = 0,
         most = showsAll       ? n.statements.size()
                : n.level == 0 ? kOfTheFailure
                               : kMostStatements;
  for (const finding::CauseStatement& s : n.statements) {
    if (s.isLibrary) continue;
    if (++all > most) continue;
    out += sourceLine(s.place, valueText(s), files, screen);
    ++shown;
  }
  if (shown < all) out += fmt::format("     ... and {} lines more\n", all - shown);
  for (const std::string& source : n.sources) out += wrapped("     from " + source, screen.width(), 5) + "\n";
  if (!n.isMinimal) out += "     some of these may not be needed: the solver's time was over\n";
  if (n.isEarly && !n.contradiction.empty())
    out += wrapped("     " + n.contradiction, screen.width(), 5) + "\n";
  return out;
}

std::string renderCauses(const finding::CausesReport& report, SourceFiles& files, const Screen& screen,
                         const CausesTextOptions& options) {
  std::string out;
  if (report.failure) out += wrapped(headline(*report.failure, screen), screen.width(), 2) + "\n\n";
  out += readFirst(report, options.mostLines, files, screen);
  size_t number = 0, shown = 0;
  uint32_t level = ~0u;
  for (const finding::CauseNodeInfo& n : report.nodes) {
    ++number;
    if (n.isLeftOpen) continue;
    if (options.mostNodes && shown >= options.mostNodes) break;
    ++shown;
    if (n.level != level) {
      level = n.level;
      out += level == 0 ? "What made it fail\n" : fmt::format("Level {}: what led to that\n", level);
    }
    out += renderCause(n, number, options.mostNodes == 0, files, screen);
  }
  if (shown < report.nodes.size())
    out += fmt::format("\n{} more potential cause{}; --all shows them\n", report.nodes.size() - shown,
                       report.nodes.size() - shown == 1 ? "" : "s");
  return out + renderCaveats(report.caveats, screen);
}

} // namespace faultline::report

#include "report/changes_text.h"

#include "report/terminal.h"

#include <fmt/format.h>
#include <set>

namespace faultline::report {
namespace {

using finding::CodeChange;

bool isSameLine(const finding::Place& a, const finding::Place& b) {
  return a.file == b.file && a.line == b.line;
}

// One for each line of the source, in the order of its likeliest change.
std::vector<std::vector<const CodeChange*>> byLine(const std::vector<CodeChange>& changes) {
  std::vector<std::vector<const CodeChange*>> lines;
  for (const CodeChange& c : changes) {
    auto known = std::find_if(lines.begin(), lines.end(),
                              [&](const auto& line) { return isSameLine(line.front()->place, c.place); });
    if (known == lines.end())
      lines.push_back({&c});
    else
      known->push_back(&c);
  }
  return lines;
}

// What else helps at the line of the first. The same may help in several columns of it.
std::string others(const std::vector<const CodeChange*>& line, const Screen& screen) {
  constexpr size_t kMore = 3;
  std::string out;
  std::set<std::string_view> told{line.front()->text};
  for (const CodeChange* change : line)
    if (told.insert(change->text).second && told.size() <= kMore + 1)
      out += wrapped(fmt::format("   also {}", change->text), screen.width(), 5) + "\n";
  if (told.size() > kMore + 1) out += fmt::format("   and {} more here\n", told.size() - kMore - 1);
  return out;
}

} // namespace

std::string renderChanges(const finding::ChangesReport& report, size_t most, SourceFiles& files,
                          const Screen& screen) {
  std::string out;
  if (report.failure) out += wrapped(headline(*report.failure, screen), screen.width(), 2) + "\n\n";
  auto lines = byLine(report.changes);
  for (size_t k = 0; k < lines.size() && k < most; ++k) {
    const CodeChange& first = *lines[k].front();
    std::string function = first.place.function.empty() ? "" : fmt::format(" in {}()", first.place.function);
    out += wrapped(fmt::format("{}. {}{}: {} {}{}{}", k + 1, placeText(first.place, screen), function,
                               finding::effectText(first.effect), first.text, finding::wayText(first.effect),
                               first.verified ? "" : " (not confirmed)"),
                   screen.width(), 3) +
           "\n";
    out += excerpt(files, first.place, screen, {.before = 1, .after = 1, .values = {}});
    if (first.edit) out += editText(*first.edit, screen);
    out += others(lines[k], screen) + "\n";
  }
  if (lines.size() > most) out += fmt::format("{} more lines (--json has all)\n\n", lines.size() - most);
  if (lines.empty() || !report.changes.front().effect.passes())
    out += "No single small change was found that makes the run pass.\n\n";
  out +=
      wrapped(
          fmt::format(
              "{} of {} changes at {} places tried in {:.1f} s ({}): {} passed{}{}, {} failed in "
              "the same way, {} in another, {} without a verdict.{}",
              report.tried, report.proposals, report.places, report.seconds, report.method, report.passed,
              report.around ? fmt::format(" ({} without getting to where it failed)", report.around) : "",
              report.orderly ? fmt::format(", {} ended by themselves with another status", report.orderly)
                             : "",
              report.same, report.other, report.none,
              report.guards ? fmt::format(" Of {} guards, {} helped.", report.guards, report.guarded) : ""),
          screen.width(), 0) +
      "\n";
  return out + renderCaveats(report.caveats, screen);
}

} // namespace faultline::report

#include "report/explain_text.h"

#include "report/output_text.h"
#include "report/terminal.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::report {
namespace {

constexpr uint32_t kWidestPlace = 26, kWidestValue = 26; // columns of a chain; what is wider goes below

// The line without what is before it, as the terminal can show it.
std::string sourceOf(SourceFiles& files, const finding::Place& place, const Screen& screen, uint32_t most) {
  auto line = files.line(place.file, place.line);
  return line ? cutTo(screenLine(withoutIndent(*line), screen.unicode).text, most) : "";
}

std::string shownText(std::string_view text, const Screen& screen) {
  return screenLine(text, screen.unicode).text;
}

std::string padded(std::string text, uint32_t width) {
  uint32_t have = screenWidth(text);
  return have < width ? text + std::string(width - have, ' ') : text;
}

std::string lineOf(const finding::Place& place, const Screen& screen) {
  return placeText({place.file, place.line, 0, ""}, screen);
}

// Of the first suspect a person wants to see more than the line.
std::string sourceText(const finding::Suspect& s, bool isFirst, SourceFiles& files, const Screen& screen) {
  if (!isFirst) {
    std::string source = sourceOf(files, s.place, screen, screen.width() - 12);
    if (source.empty()) return "";
    return fmt::format("   {:>5} {} {}\n", s.place.line, screen.unicode ? "│" : "|", source);
  }
  bool isSeen =
      !s.chain.empty() && s.chain[0].place.file == s.place.file && s.chain[0].place.line == s.place.line;
  ExcerptOptions options{.before = 2, .after = 1};
  if (isSeen) options.note = shownText(s.chain[0].text, screen);
  return excerpt(files, s.place, screen, options);
}

std::string suspectText(const finding::Suspect& s, size_t number, SourceFiles& files, const Screen& screen) {
  std::string function = s.place.function.empty() ? "" : fmt::format(" in {}()", s.place.function);
  std::string head =
      wrapped(fmt::format("{}. {}{}", number, lineOf(s.place, screen), function), screen.width(), 3);
  std::string out = screen.terminal.paint(Style::Bold, head) + "\n";
  out += sourceText(s, number == 1, files, screen);
  size_t shown = 0;
  for (const finding::Evidence& e : s.evidence) {
    if (e.technique == "slice" && shown > 0) continue; // true of nearly all of them
    if (++shown > 2) break;
    out += wrapped("   " + shownText(e.text, screen), screen.width(), 3) + "\n";
    if (e.edit && number == 1) out += editText(*e.edit, screen);
  }
  return out;
}

// Number, place, source and value in columns; a value that is too wide for its column stands below.
std::string chainText(const finding::Suspect& s, SourceFiles& files, const Screen& screen) {
  uint32_t places = 0, values = 0;
  for (const finding::ChainStep& step : s.chain) {
    places = std::max(places, std::min(screenWidth(lineOf(step.place, screen)), kWidestPlace));
    uint32_t width = screenWidth(shownText(step.text, screen));
    if (width <= kWidestValue) values = std::max(values, width);
  }
  const uint32_t before = 6 + places + 2;
  const uint32_t room = screen.width() > before + values + 2 ? screen.width() - before - values - 2 : 20;
  std::string out;
  size_t number = 0;
  for (const finding::ChainStep& step : s.chain) {
    std::string where = lineOf(step.place, screen), value = shownText(step.text, screen);
    bool isBelow = screenWidth(value) > kWidestValue;
    std::string line = fmt::format("  {:>2}. {}", ++number, padded(where, places));
    std::string gap(before, ' ');
    if (screenWidth(where) > places)
      line = wrapped(line, screen.width(), 6) + "\n" + gap;
    else
      line += "  ";
    const bool isAlone = isBelow || value.empty();
    std::string source = sourceOf(files, step.place, screen, isAlone ? screen.width() - before : room);
    line += isAlone ? source : padded(source, room) + "  " + screen.terminal.paint(Style::Blue, value);
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
    if (isBelow)
      out += screen.terminal.paint(Style::Blue, wrapped(gap + value, screen.width(), before)) + "\n";
  }
  return out;
}

std::string title(const char* text, const Screen& screen) {
  return "\n" + screen.terminal.paint(Style::Bold, text) + "\n";
}

// Whether anything is confirmed has to be known before the suspects are read.
std::string suspectsTitle(const finding::Explanation& explanation, const Screen& screen) {
  if (!explanation.isDoubtful) return title("Suspects, the first is the most likely", screen);
  return title("Suspects, none of them confirmed", screen) +
         wrapped(explanation.caveats.front(), screen.width(), 0) + "\n";
}

std::string notes(const finding::Explanation& explanation, const Screen& screen, bool hasDetails) {
  std::vector<std::string> shown;
  size_t details = 0;
  // Why, another may know.
  for (const std::string& caveat : explanation.caveats)
    hasDetails |= caveat.starts_with("no experiments were made");
  const bool isFirstTold = explanation.isDoubtful && !explanation.suspects.empty();
  for (size_t k = isFirstTold ? 1 : 0; k < explanation.caveats.size(); ++k) {
    if (hasDetails || !finding::Explanation::isDetail(explanation.caveats[k]))
      shown.push_back(explanation.caveats[k]);
    else
      ++details;
  }
  if (details > 0)
    shown.push_back(fmt::format("{} more on what was bounded or not tried: --verbose",
                                details == 1 ? "there is one" : fmt::format("there are {}", details)));
  return renderCaveats(shown, screen);
}

} // namespace

std::string renderExplanation(const finding::Explanation& explanation, SourceFiles& files,
                              const Screen& screen, const ExplainTextOptions& options) {
  std::string out;
  if (explanation.failure) {
    std::string what = shownText(headline(*explanation.failure, screen), screen);
    out += screen.terminal.paint(Style::Red, wrapped(what, screen.width(), 2)) + "\n";
    if (explanation.failure->output) out += "\n" + renderOutput(*explanation.failure, screen);
  }
  if (explanation.smallest && explanation.failure && explanation.failure->output) out += "\n";
  if (explanation.smallest)
    for (const std::string& text : sentencesOf(*explanation.smallest))
      out += wrapped(shownText(text, screen), screen.width(), 2) + "\n";
  size_t number = 0;
  for (const finding::Suspect& s : explanation.suspects) {
    if (number >= options.mostSuspects) break;
    if (number == 0) out += suspectsTitle(explanation, screen);
    out += suspectText(s, ++number, files, screen);
  }
  if (explanation.suspects.empty()) out += "\nNothing was found that could have led to it.\n";
  if (!explanation.suspects.empty() && explanation.suspects[0].chain.size() > 1) {
    out += title("From the first suspect to the failure", screen);
    out += chainText(explanation.suspects[0], files, screen);
  }
  if (!explanation.tried.empty()) {
    out += "\n";
    for (const std::string& text : explanation.tried) out += wrapped(text, screen.width(), 0) + "\n";
  }
  return options.hasNotes ? out + notes(explanation, screen, options.hasDetails) : out;
}

} // namespace faultline::report

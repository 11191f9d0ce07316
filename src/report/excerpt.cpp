#include "report/excerpt.h"

#include "finding/paths.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace faultline::report {
namespace {

constexpr uint32_t kMargin = 10; // columns kept before and after the caret in a line that is cut

// The window of a long line that has the caret in it.
struct Window {
  uint32_t from = 0, width = 0;
};
Window windowOf(const ScreenLine& line, uint32_t caret, uint32_t width) {
  if (line.width <= width || caret + kMargin < width) return {0, width};
  uint32_t from = std::min(caret - std::min(caret, width / 2), line.width - std::min(line.width, width));
  return {from, width};
}

std::string cutLine(const ScreenLine& line, const Window& window) {
  std::string out;
  uint32_t column = 0;
  for (char c : line.text) {
    if ((uint8_t(c) & 0xc0) != 0x80) ++column;
    if (column > window.from && column <= window.from + window.width) out += c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string valuesText(const std::vector<finding::Value>& values, uint32_t width) {
  std::string text;
  for (const finding::Value& v : values)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", v.name, v.text);
  return cutTo(text, width);
}

} // namespace

bool localeHasUnicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = getenv(name);
    if (!value || !*value) continue;
    std::string text(value);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    return text.find("utf-8") != text.npos || text.find("utf8") != text.npos;
  }
  return false;
}

std::string placeText(const finding::Place& place, const Screen& screen) {
  if (place.file.empty()) return "an unknown place";
  std::string text = finding::nearPath(place.file, screen.workingDirectory);
  if (place.line != 0) text += fmt::format(":{}", place.line);
  if (place.line != 0 && place.column != 0) text += fmt::format(":{}", place.column);
  return text;
}

std::string excerpt(SourceFiles& files, const finding::Place& place, const Screen& screen,
                    const ExcerptOptions& options) {
  if (!files.line(place.file, place.line)) return {};
  uint32_t first = place.line > options.before ? place.line - options.before : 1;
  auto digits = std::max<size_t>(4, fmt::format("{}", place.line + options.after).size());
  auto gutter = uint32_t(digits + 5);
  uint32_t width = screen.width() - gutter;
  const char* bar = screen.unicode ? "│" : "|";
  std::string out;
  for (uint32_t number = first; number <= place.line + options.after; ++number) {
    auto line = files.line(place.file, number);
    if (!line) break;
    bool here = number == place.line;
    ScreenLine shown = screenLine(*line, screen.unicode);
    uint32_t caret = here ? shown.columnOf(place.column) : 0;
    Window window = windowOf(shown, caret, width);
    std::string text = cutLine(shown, window);
    std::string head = fmt::format("{} {:>{}} ", here ? ">" : " ", number, digits);
    out +=
        screen.terminal.paint(here ? Style::Bold : Style::Dim, head) + screen.terminal.paint(Style::Dim, bar);
    out += text.empty() ? "\n" : " " + (here ? screen.terminal.paint(Style::Bold, text) : text) + "\n";
    if (!here || (place.column == 0 && options.values.empty() && options.note.empty())) continue;
    uint32_t indent = place.column == 0 ? 0 : caret - window.from;
    std::string mark = place.column == 0 ? "" : screen.terminal.paint(Style::Red, "^");
    uint32_t room = width > indent + 4 ? width - indent - 4 : 0;
    std::string values = options.note.empty() ? valuesText(options.values, room) : cutTo(options.note, room);
    out += std::string(digits + 3, ' ') + screen.terminal.paint(Style::Dim, bar) + " " +
           std::string(indent, ' ') + mark;
    out += (values.empty() ? "" : (mark.empty() ? "" : "  ") + screen.terminal.paint(Style::Blue, values)) +
           "\n";
  }
  return out;
}

std::string editText(const finding::Edit& edit, const Screen& screen) {
  std::string number = edit.isNewLine ? "" : std::to_string(edit.place.line);
  std::string shown = cutTo(screenLine(edit.line, screen.unicode).text, screen.width() - 9);
  std::string line = fmt::format("+ {:>4} {} {}", number, screen.unicode ? "│" : "|", shown);
  return screen.terminal.paint(Style::Green, line) + "\n";
}

} // namespace faultline::report

#include "report/edits.h"

#include "report/statement_text.h"

#include <cctype>

namespace faultline::report {
namespace {

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

constexpr std::string_view kOperators = "+-*/%<>=!&|^~";

// Whether `token` stands at `at`, and not as a part of a longer one. `+` may be that of `+=`.
bool standsAt(std::string_view line, size_t at, std::string_view token) {
  if (token.empty() || line.substr(at, token.size()) != token) return false;
  char before = at > 0 ? line[at - 1] : ' ',
       behind = at + token.size() < line.size() ? line[at + token.size()] : ' ';
  if (isWordCharacter(token.back())) {
    bool isNumber = std::isdigit(static_cast<unsigned char>(token.front()));
    return !isWordCharacter(before) && !isWordCharacter(behind) &&
           !(isNumber && (before == '.' || behind == '.'));
  }
  if (token.front() == '\'' || token.front() == '-') return true; // a character, a negative number
  bool isCompound = behind == '=' && std::string_view("+-*/%&|^").find(token) != std::string_view::npos;
  return kOperators.find(before) == std::string_view::npos &&
         (kOperators.find(behind) == std::string_view::npos || isCompound || behind == '!' || behind == '~');
}

// Where the token stands: at the column, or at one place behind it.
std::optional<size_t> placeOf(std::string_view line, size_t column, std::string_view token) {
  if (standsAt(line, column, token)) return column;
  std::optional<size_t> found;
  for (size_t at = column; at < line.size(); ++at) {
    if (!standsAt(line, at, token)) continue;
    if (found) return std::nullopt;
    found = at;
  }
  return found;
}

// A statement in a line of its own, where that is executed as often as what was tried.
std::optional<finding::Edit> insertion(SourceFiles& files, std::string_view line,
                                       const finding::CodeChange& change) {
  const finding::Place& place = change.place;
  if (!isFirstIn(line, place.column - 1) || (change.isBehind && !endsStatement(line))) return std::nullopt;
  for (uint32_t before = place.line; before-- > 1;) {
    auto text = files.line(place.file, before);
    if (!text || withoutIndent(*text).empty()) continue;
    if (!endsStatement(*text)) return std::nullopt; // this line is a part of what stands there
    break;
  }
  const std::string indent(line.substr(0, line.size() - withoutIndent(line).size()));
  finding::Edit edit{.place = place, .line = indent + change.to, .isNewLine = true};
  edit.column = uint32_t(change.isBehind ? line.size() : indent.size()) + 1;
  edit.text = change.isBehind ? "\n" + indent + change.to : change.to + "\n" + indent;
  return edit;
}

} // namespace

std::optional<finding::Edit> editOf(SourceFiles& files, const finding::CodeChange& change) {
  const finding::Place& place = change.place;
  auto line = files.line(place.file, place.line);
  if (!line || place.column == 0 || place.column > line->size() || change.to.empty()) return std::nullopt;
  finding::Edit edit{.place = place, .text = change.to};
  if (change.form == "inserted") return insertion(files, *line, change);
  if (change.form == "moved") return std::nullopt;
  if (change.form == "replaced") {
    const size_t within = place.column - 1; // the statement begins before it, or there
    const size_t at = change.from.empty() ? line->npos : line->rfind(change.from, within);
    if (at == line->npos || at + change.from.size() <= within) return std::nullopt;
    edit.column = uint32_t(at) + 1;
    edit.length = uint32_t(change.from.size());
    edit.line = std::string(*line).replace(at, change.from.size(), change.to);
    return edit;
  }
  auto at = placeOf(*line, place.column - 1, change.from);
  if (!at) return std::nullopt;
  edit.column = uint32_t(*at) + 1;
  edit.length = uint32_t(change.from.size());
  edit.line =
      std::string(line->substr(0, *at)) + change.to + std::string(line->substr(*at + change.from.size()));
  return edit;
}

} // namespace faultline::report

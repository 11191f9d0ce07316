#include "report/statement_text.h"

#include "report/source.h"

#include <cctype>
#include <vector>

namespace faultline::report {
namespace {

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Behind the character or text that begins at `at`.
size_t behindQuoted(std::string_view line, size_t at) {
  for (size_t k = at + 1; k < line.size(); ++k) {
    if (line[k] == '\\')
      ++k;
    else if (line[k] == line[at])
      return k + 1;
  }
  return line.size();
}

// visit(column, character) for what is not quoted, until it says false.
template <class Visit> void forEachPlain(std::string_view line, size_t from, Visit visit) {
  for (size_t k = from; k < line.size();) {
    if (line[k] == '"' || line[k] == '\'') {
      k = behindQuoted(line, k);
      continue;
    }
    if (!visit(k, line[k])) return;
    ++k;
  }
}

bool opens(char c) { return c == '(' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == ']' || c == '}'; }

// Where a statement begins that `column` lies in: behind the last thing before it that ends one, or opens
// what is not closed until there.
size_t beginOf(std::string_view line, size_t column) {
  size_t begin = 0;
  std::vector<size_t> outer;
  forEachPlain(line, 0, [&](size_t k, char c) {
    if (k >= column) return false;
    if (opens(c)) {
      outer.push_back(begin);
      begin = k + 1;
    } else if (closes(c) && !outer.empty()) {
      begin = c == '}' ? k + 1 : outer.back();
      outer.pop_back();
    } else if (c == ';' || c == ',' || c == '}') {
      begin = k + 1;
    }
    return true;
  });
  return begin;
}

// The first of `ends` behind the column that is not within brackets, or the bracket that closes what is open.
std::optional<size_t> endOf(std::string_view line, size_t column, std::string_view ends) {
  size_t depth = 0;
  std::optional<size_t> end;
  forEachPlain(line, column, [&](size_t k, char c) {
    if (depth == 0 && (closes(c) || ends.find(c) != ends.npos)) {
      end = k;
      return false;
    }
    if (opens(c)) ++depth;
    if (closes(c)) --depth;
    return true;
  });
  return end;
}

// `if (...)`, `else`, `case ...:` before it.
std::string_view withoutHead(std::string_view text) {
  for (;;) {
    text = withoutIndent(text);
    size_t word = 0;
    while (word < text.size() && isWordCharacter(text[word])) ++word;
    const std::string_view head = text.substr(0, word);
    if (head == "else" || head == "do") {
      text.remove_prefix(word);
    } else if (head == "if" || head == "while" || head == "for" || head == "switch") {
      const size_t open = text.find('(');
      const auto end = open == text.npos ? std::nullopt : endOf(text, open + 1, "");
      if (!end || text[*end] != ')') return text;
      text.remove_prefix(*end + 1);
    } else if (head == "case" || head == "default") {
      const size_t colon = text.find(": ");
      if (colon == text.npos) return text;
      text.remove_prefix(colon + 1);
    } else {
      return text;
    }
  }
}

// `char* end = text`: what is assigned is `end = text`.
std::string_view withoutType(std::string_view text) {
  const auto equals = endOf(text, 0, "=");
  if (!equals || text[*equals] != '=') return text;
  std::string_view left = text.substr(0, *equals);
  left = left.substr(0, left.find_last_not_of(' ') + 1);
  size_t name = left.size();
  while (name > 0 && isWordCharacter(left[name - 1])) --name;
  if (name == 0 || name == left.size()) return text;
  const std::string_view type = left.substr(0, name);
  const bool isType = isWordCharacter(type[0]) && type.find_first_of(" *&>") != type.npos &&
                      type.find("->") == type.npos && type.find_first_of("([.+-!") == type.npos;
  return isType ? text.substr(name) : text;
}

} // namespace

bool isFirstIn(std::string_view line, size_t column) {
  const size_t indent = line.size() - withoutIndent(line).size();
  if (column >= line.size() || column < indent) return false;
  const std::string_view text = withoutIndent(line);
  for (std::string_view loop : {"for", "while", "do"})
    if (text.starts_with(loop) && (text.size() == loop.size() || !isWordCharacter(text[loop.size()])))
      return false;
  size_t depth = 0;
  bool isFirst = true;
  forEachPlain(line, indent, [&](size_t k, char c) {
    if (k >= column) return false;
    isFirst &= depth != 0 || (c != ';' && c != '{' && c != '}');
    if (opens(c)) ++depth;
    if (closes(c) && depth > 0) --depth;
    return true;
  });
  const size_t body = line.size() - withoutHead(text).size(); // behind `if (...)`
  return isFirst && (body == indent || column < body);
}

bool endsStatement(std::string_view line) {
  std::string plain;
  forEachPlain(line, 0, [&](size_t k, char c) {
    if (line.substr(k, 2) == "//") return false;
    plain += c;
    return true;
  });
  const std::string_view text = std::string_view(plain).substr(0, plain.find_last_not_of(" \t\r") + 1);
  return text.empty() || text.starts_with('#') || text.ends_with("*/") ||
         std::string_view(";{}:").find(text.back()) != std::string_view::npos;
}

std::optional<std::string> statementAt(std::string_view line, size_t column) {
  if (column >= line.size()) return std::nullopt;
  const auto end = endOf(line, column, ";,");
  if (!end) return std::nullopt;
  std::string_view text = line.substr(0, *end);
  text.remove_prefix(beginOf(line, column));
  text = withoutType(withoutHead(text));
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  if (text.empty() || text.ends_with('}')) return std::nullopt; // values of several
  return std::string(text);
}

} // namespace faultline::report

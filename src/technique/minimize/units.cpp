#include "technique/minimize/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::technique {
namespace {

bool isWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c & 0x80;
}
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Cuts behind each place for which `ends` is true.
template <class Ends> std::vector<Piece> cutBehind(std::string_view text, Ends ends) {
  std::vector<Piece> out;
  size_t begin = 0;
  for (size_t k = 0; k < text.size(); ++k)
    if (ends(k)) {
      out.push_back({begin, k + 1});
      begin = k + 1;
    }
  if (begin < text.size()) out.push_back({begin, text.size()});
  return out;
}

std::vector<Piece> tokens(std::string_view text) {
  return cutBehind(text, [&](size_t k) {
    if (k + 1 == text.size()) return true;
    char c = text[k], next = text[k + 1];
    if (isWordByte(c)) return !isWordByte(next);
    if (isBlank(c)) return !isBlank(next);
    return true;
  });
}

std::vector<Piece> separated(std::string_view text, std::string_view separator) {
  std::vector<Piece> out;
  size_t begin = 0;
  while (begin < text.size() && !separator.empty()) {
    size_t at = text.find(separator, begin);
    size_t end = at == text.npos ? text.size() : at + separator.size();
    out.push_back({begin, end});
    begin = end;
  }
  return out;
}

char closingOf(char c) {
  switch (c) {
  case '(':
    return ')';
  case '[':
    return ']';
  case '{':
    return '}';
  default:
    return 0;
  }
}

bool isQuote(char c) { return c == '"' || c == '\'' || c == '`'; }

// The end of what is quoted from there on, or the place itself: an apostrophe quotes nothing.
size_t endOfQuoted(std::string_view text, size_t from) {
  for (size_t k = from + 1; k < text.size() && text[k] != '\n'; ++k) {
    if (text[k] == '\\')
      ++k;
    else if (text[k] == text[from])
      return k + 1;
  }
  return from + 1;
}

// Calls visit(place, depth) for each byte; a bracket has the depth of what is around it.
template <class Visit> void walkDepths(std::string_view text, Visit visit) {
  std::vector<Piece> pairs = bracketPairs(text);
  std::vector<int> change(text.size() + 1);
  for (const Piece& p : pairs) ++change[p.begin + 1], --change[p.end - 1];
  int depth = 0;
  for (size_t k = 0; k < text.size(); ++k) {
    depth += change[k];
    visit(k, unsigned(depth));
  }
}

std::vector<Piece> items(std::string_view text, unsigned depth, bool isLeading) {
  std::vector<Piece> out;
  Piece now{0, 0};
  bool isOpen = false;
  auto close = [&] {
    if (isOpen && now.size() > 0) out.push_back(now);
    isOpen = false;
  };
  walkDepths(text, [&](size_t k, unsigned at) {
    if (at < depth) {
      close();
      return;
    }
    bool separates = at == depth && (text[k] == ',' || text[k] == ';' || text[k] == '\n');
    if (separates && isLeading) close();
    if (!isOpen) {
      now = {k, k};
      isOpen = true;
    }
    now.end = k + 1;
    if (separates && !isLeading) close();
  });
  close();
  return out;
}

} // namespace

std::string unitName(const Unit& unit) {
  switch (unit.kind) {
  case Unit::Whole:
    return "whole inputs";
  case Unit::Paragraphs:
    return "paragraphs";
  case Unit::Items:
    return unit.depth ? fmt::format("items {} deep", unit.depth) : "items";
  case Unit::Lines:
    return "lines";
  case Unit::Tokens:
    return "tokens";
  case Unit::Separated:
    return "units";
  case Unit::Bytes:
    break;
  }
  return "bytes";
}

std::vector<Piece> cutInto(std::string_view text, const Unit& unit) {
  switch (unit.kind) {
  case Unit::Whole:
    return text.empty() ? std::vector<Piece>() : std::vector<Piece>{{0, text.size()}};
  case Unit::Paragraphs:
    return cutBehind(text, [&](size_t k) {
      return text[k] == '\n' && k > 0 && text[k - 1] == '\n' && (k + 1 == text.size() || text[k + 1] != '\n');
    });
  case Unit::Items:
    return items(text, unit.depth, unit.isLeading);
  case Unit::Lines:
    return cutBehind(text, [&](size_t k) { return text[k] == '\n'; });
  case Unit::Tokens:
    return tokens(text);
  case Unit::Separated:
    return separated(text, unit.separator);
  case Unit::Bytes:
    break;
  }
  return cutBehind(text, [](size_t) { return true; });
}

std::vector<Piece> bracketPairs(std::string_view text) {
  std::vector<Piece> out;
  std::vector<size_t> open;
  for (size_t k = 0; k < text.size(); ++k) {
    char c = text[k];
    if (isQuote(c)) {
      k = endOfQuoted(text, k) - 1;
    } else if (closingOf(c)) {
      open.push_back(k);
    } else if (c == ')' || c == ']' || c == '}') {
      // What does not match was not meant: it is skipped.
      auto match =
          std::find_if(open.rbegin(), open.rend(), [&](size_t o) { return closingOf(text[o]) == c; });
      if (match == open.rend()) continue;
      size_t begin = *match;
      open.erase(std::prev(match.base()), open.end());
      out.push_back({begin, k + 1});
    }
  }
  std::ranges::sort(out, [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  return out;
}

unsigned deepest(std::string_view text) {
  unsigned most = 0;
  walkDepths(text, [&](size_t, unsigned depth) { most = std::max(most, depth); });
  return most;
}

bool isText(std::string_view bytes) {
  size_t odd = 0;
  for (char c : bytes) {
    if (c == 0) return false;
    if (static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t' && c != '\r') ++odd;
  }
  return odd * 10 <= bytes.size();
}

} // namespace faultline::technique

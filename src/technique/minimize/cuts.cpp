#include "technique/minimize/cuts.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace faultline::technique {
namespace {

// Of a larger text there are too many to be tried.
constexpr size_t kMostPairs = 2000;

// Where the word before the place begins.
size_t wordBefore(std::string_view text, size_t at) {
  auto isWord = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == ':'; };
  while (at > 0 && isWord(static_cast<unsigned char>(text[at - 1]))) --at;
  return at;
}

void addItems(std::string_view text, const Piece& pair, size_t word, std::vector<Cut>& out) {
  std::string_view inside = text.substr(pair.begin + 1, pair.size() - 2);
  for (const Piece& item : cutInto(inside, {.kind = Unit::Items, .depth = 0, .isLeading = true})) {
    size_t begin = pair.begin + 1 + item.begin, end = pair.begin + 1 + item.end;
    if (item.begin > 0) ++begin; // the separator goes
    while (begin < end && text[begin] == ' ') ++begin;
    if (begin < end) out.push_back({{word, begin}, {end, pair.end}});
  }
}

} // namespace

std::vector<Cut> bracketCuts(std::string_view text) {
  std::vector<Piece> pairs = bracketPairs(text);
  if (pairs.size() > kMostPairs) return {};
  std::vector<Cut> out, items;
  for (const Piece& pair : pairs) {
    if (pair.size() > 2) out.push_back({pair});
    out.push_back({{pair.begin, pair.begin + 1}, {pair.end - 1, pair.end}});
    size_t word = wordBefore(text, pair.begin);
    if (word < pair.begin) out.push_back({{word, pair.end}});
    addItems(text, pair, word, items);
  }
  std::ranges::sort(items, [](const Cut& a, const Cut& b) {
    return std::pair(b.size(), a.first.begin) < std::pair(a.size(), b.first.begin);
  });
  out.insert(out.end(), items.begin(), items.end());
  return out;
}

std::vector<Cut> tokenRuns(std::string_view text, size_t tokens) {
  std::vector<Piece> all = cutInto(text, {.kind = Unit::Tokens});
  std::vector<Cut> out;
  for (size_t end = all.size(); end >= tokens && tokens > 0; --end)
    out.push_back({{all[end - tokens].begin, all[end - 1].end}});
  return out;
}

} // namespace faultline::technique

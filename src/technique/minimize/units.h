// Cuts text into the pieces that a person would leave out: paragraphs, lines, items between brackets, tokens,
// bytes. The pieces of a text follow each other and, put together, are the text (of Items: parts of it).
//
//   Items, depth 1, of  f(a, g(b), c);     "a," " g(b)," " c"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::technique {

struct Unit {
  enum Kind { Whole, Paragraphs, Items, Lines, Tokens, Bytes, Separated };
  Kind kind = Bytes;
  // Items: inside so many brackets; the comma, semicolon or line end between two goes with the first of them,
  // or, `isLeading`, with the second.
  unsigned depth = 0;
  bool isLeading = false;
  std::string separator = {}; // Separated
};
// "lines", "items 2 deep".
std::string unitName(const Unit& unit);

struct Piece {
  size_t begin = 0, end = 0;
  size_t size() const { return end - begin; }
  bool operator==(const Piece&) const = default;
};
std::vector<Piece> cutInto(std::string_view text, const Unit& unit);

// Matching brackets, the outermost first; what is in quotes does not count. `begin` and `end - 1` are the
// brackets.
std::vector<Piece> bracketPairs(std::string_view text);
// How many brackets are around the innermost place; 0: none.
unsigned deepest(std::string_view text);

// Worth to be cut at lines and words.
bool isText(std::string_view bytes);

} // namespace faultline::technique

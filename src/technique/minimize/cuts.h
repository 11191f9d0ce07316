// What of a text can only go together, so that no single piece shows it: the two brackets of a pair; a call
// of which one argument stays; a few words in a row.
//
//   select hex(substr(name, 3)), (1) from item     "substr(name," with the ")" behind 3; ", (1)"; " from
//   item"
#pragma once

#include "technique/minimize/units.h"

namespace faultline::technique {

// Up to two pieces, the first before the second; an empty one is none.
struct Cut {
  Piece first = {}, second = {};
  size_t size() const { return first.size() + second.size(); }
};

// For each pair of brackets: without what is between them, and with it; with the word before it; and one of
// its items instead of all of that, the largest cuts first.
std::vector<Cut> bracketCuts(std::string_view text);

// All runs of so many tokens, from the end to the start.
std::vector<Cut> tokenRuns(std::string_view text, size_t tokens);

} // namespace faultline::technique

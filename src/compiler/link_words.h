// A recorded link command taken apart into the words that a second link keeps and the inputs among them.
#pragma once

#include "compiler/link_record.h"

#include <optional>
#include <string>
#include <vector>

namespace faultline::compiler {

struct LinkWord {
  std::string text;               // as the user wrote it; for an input the word (or two) that names it
  std::optional<LinkInput> input; // set for an input
  bool wholeArchive = false;      // --whole-archive holds here
};

// Leaves out what names another output, asks for LTO, strips symbols or chooses a language for sources.
// Inputs inside -Wl,a,b,c come out as words of their own; the other pieces stay -Wl words, in order.
std::vector<LinkWord> linkWords(const LinkRecord& link);

} // namespace faultline::compiler

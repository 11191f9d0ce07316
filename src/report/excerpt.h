// A few lines of source around a place, as a compiler shows them, with values beside the line they belong to.
//
//    10 | int sum_list(struct node *n) {
//    11 |   int s = 0;
// >  12 |   n->v = 3;
//       |        ^  n = NULL, s = 0
#pragma once

#include "base/terminal.h"
#include "finding/edit.h"
#include "report/source.h"

namespace faultline::report {

struct Screen {
  Terminal terminal;
  bool unicode = false;         // the locale can show more than ASCII
  std::string workingDirectory; // paths below it are shown relative to it

  uint32_t width() const { return terminal.width > 40 ? uint32_t(terminal.width) : 80; }
};

// Whether LC_ALL, LC_CTYPE or LANG, in this order, asks for UTF-8.
bool localeHasUnicode();

struct ExcerptOptions {
  uint32_t before = 2, after = 1;
  std::vector<finding::Value> values = {};
  std::string note = {}; // in place of values
};

// Empty if the source cannot be read.
std::string excerpt(SourceFiles& files, const finding::Place& place, const Screen& screen,
                    const ExcerptOptions& options);

// The line as it would be: "+  12 |   n.v = 3;"
std::string editText(const finding::Edit& edit, const Screen& screen);

// "src/list.c:12:9"; as much of it as is known.
std::string placeText(const finding::Place& place, const Screen& screen);

} // namespace faultline::report

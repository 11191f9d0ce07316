// Data that the program brings along (texts, tables), from which a value was read as it stands there, and the
// code that names it. What only passes a text on is in the slice of a wrong byte; the line that chose the
// text is not, since it made no more than an address.
//
//   2  const char* kind = "text/plain";         names the text
//   5  strncpy(to, kind, n); ... puts(to);      the wrong byte is the first of it
#pragma once

#include "depend/query.h"

namespace faultline::technique {

struct NamedData {
  uint32_t id = 0;      // of an instruction that names it, or a table that has its address
  uint64_t time = 0;    // when it did
  uint64_t address = 0; // of what was read
  uint64_t bytes = 0;   // of the text or table, that what is asked for was made of
};

// Those that most of it is of first; of the same, those that are closest to the question. `question`: what is
// asked for; only values are followed. `reader`: the instruction that reads the memory which is asked for, if
// it is one.
Result<std::vector<NamedData>> findNamedData(depend::History& history, const depend::Question& question,
                                             std::optional<uint32_t> reader = std::nullopt);

} // namespace faultline::technique

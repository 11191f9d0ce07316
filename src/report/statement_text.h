// A statement as the source has it, found by a column within it.
//
//   if (c == '\n') { lines++; flush(o); }     column of flush: "flush(o)"
//   char* end = text + size;                  column of end: "end = text + size"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace faultline::report {

// `column` is from 0 on. Nothing: the statement goes on in another line.
std::optional<std::string> statementAt(std::string_view line, size_t column);
// Whether what stands at the column is executed whenever the line is, and once: so that a statement that is
// to be executed before it may stand in a line before it.
bool isFirstIn(std::string_view line, size_t column);
// Whether the next line begins a statement that is no part of one of this line.
bool endsStatement(std::string_view line);

} // namespace faultline::report

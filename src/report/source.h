// Lines of source files, read once and kept. A file that is missing, unreadable, huge or not text has no
// lines; a report then goes without.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::report {

class SourceFiles {
public:
  // From 1; as it is in the file, without its end of line.
  std::optional<std::string_view> line(const std::string& path, uint32_t number);

  // 0: there is none.
  size_t lineCount(const std::string& path) { return file(path).lines.size(); }

private:
  struct File {
    std::string text;
    std::vector<std::string_view> lines;
  };
  const File& file(const std::string& path);
  std::map<std::string, File> files_;
};

// Without the blanks and tabs before it.
std::string_view withoutIndent(std::string_view line);

// A line as a terminal can show it: tabs to the next multiple of 8, control characters and bytes that are not
// UTF-8 as `?`. `columnOf` maps a byte column of the file (from 1) to the column on the screen (from 0).
struct ScreenLine {
  std::string text;
  std::vector<uint32_t> columns; // of each byte of the file's line, and of its end
  uint32_t width = 0;

  uint32_t columnOf(uint32_t byteColumn) const;
};
ScreenLine screenLine(std::string_view line, bool unicode);

// Columns that a text takes on the screen, by code points.
uint32_t screenWidth(std::string_view text);
// Cut to at most `width` columns, with `...` where something is missing.
std::string cutTo(std::string_view text, uint32_t width);

} // namespace faultline::report

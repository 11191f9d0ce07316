#include "report/source.h"

#include "base/file.h"
#include "report/utf8.h"

#include <algorithm>
#include <filesystem>

namespace faultline::report {
namespace {

constexpr uintmax_t kLargestFile = 64 << 20;
constexpr uint32_t kTab = 8;

} // namespace

const SourceFiles::File& SourceFiles::file(const std::string& path) {
  auto [it, added] = files_.try_emplace(path);
  File& file = it->second;
  std::error_code error;
  bool isFile = added && std::filesystem::is_regular_file(path, error);
  if (!isFile || std::filesystem::file_size(path, error) > kLargestFile || error) return file;
  auto text = readFile(path);
  if (!text || text->find('\0') != std::string::npos) return file;
  file.text = std::move(*text);
  std::string_view rest = file.text;
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    file.lines.push_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return file;
}

std::optional<std::string_view> SourceFiles::line(const std::string& path, uint32_t number) {
  const File& f = file(path);
  if (number == 0 || number > f.lines.size()) return std::nullopt;
  return f.lines[number - 1];
}

std::string_view withoutIndent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

uint32_t ScreenLine::columnOf(uint32_t byteColumn) const {
  if (byteColumn == 0 || columns.empty()) return 0;
  return columns[std::min<size_t>(byteColumn - 1, columns.size() - 1)];
}

ScreenLine screenLine(std::string_view line, bool unicode) {
  ScreenLine out;
  while (!line.empty()) {
    size_t length = sequenceLength(line);
    size_t bytes = std::max<size_t>(length, 1);
    out.columns.insert(out.columns.end(), bytes, out.width);
    auto c = uint8_t(line[0]);
    if (c == '\t') {
      uint32_t blanks = kTab - out.width % kTab;
      out.text.append(blanks, ' ');
      out.width += blanks;
    } else {
      bool shown = length == 1 ? c >= 0x20 && c != 0x7f : length > 1 && unicode;
      out.text += shown ? std::string(line.substr(0, length)) : "?";
      ++out.width;
    }
    line.remove_prefix(bytes);
  }
  out.columns.push_back(out.width);
  return out;
}

uint32_t screenWidth(std::string_view text) {
  return uint32_t(
      std::count_if(text.begin(), text.end(), [](char c) { return (uint8_t(c) & 0xc0) != 0x80; }));
}

std::string cutTo(std::string_view text, uint32_t width) {
  if (screenWidth(text) <= width) return std::string(text);
  uint32_t keep = width > 3 ? width - 3 : 0;
  size_t at = 0;
  for (uint32_t seen = 0; at < text.size(); ++at)
    if ((uint8_t(text[at]) & 0xc0) != 0x80 && seen++ == keep) break;
  return std::string(text.substr(0, at)) + std::string(std::min(width, 3u), '.');
}

} // namespace faultline::report

#include "report/output_text.h"

#include "report/terminal.h"
#include "report/utf8.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::report {
namespace {

// Control characters would do something to the terminal; what is no text it cannot show.
std::string visible(std::string_view bytes) {
  std::string out;
  for (size_t length; !bytes.empty(); bytes.remove_prefix(std::max<size_t>(length, 1))) {
    length = sequenceLength(bytes);
    const auto c = uint8_t(bytes[0]);
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (length == 0 || c < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", c);
    else
      out += bytes.substr(0, length);
  }
  return out;
}

std::string lineText(std::string_view name, const std::string& line, const Screen& screen) {
  std::string text = line.empty() ? screen.terminal.paint(Style::Dim, "(nothing)")
                                  : cutTo(visible(line), screen.width() - 12);
  return fmt::format("  {:<9} {}\n", name, text);
}

// Below the first difference; nothing where that is not on the screen.
std::string differenceMark(const finding::OutputInfo& output, const Screen& screen) {
  std::string got = visible(output.gotLine), expected = visible(output.expectedLine);
  size_t same = size_t(std::ranges::mismatch(got, expected).in1 - got.begin());
  while (same > 0 && same < got.size() && (uint8_t(got[same]) & 0xc0) == 0x80) --same; // within a character
  uint32_t column = screenWidth(std::string_view(got).substr(0, same));
  if (got.empty() || expected.empty() || got == expected || column + 12 >= screen.width()) return "";
  return std::string(12 + column, ' ') + screen.terminal.paint(Style::Green, "^") + "\n";
}

std::string writerText(const finding::FailureInfo& failure) {
  const finding::OutputInfo& output = *failure.output;
  if (output.argument == 0) return fmt::format("written by {}() itself", output.call);
  std::string name = failure.criterion ? failure.criterion->name : "";
  // A text of the source is its own name.
  if (!name.empty() && name.front() == '"') name.clear();
  std::string text =
      fmt::format("\"{}\" comes from argument {}", cutTo(visible(output.text), 40), output.argument);
  bool isPassedOn =
      failure.criterion && failure.calledFrom && failure.criterion->place == *failure.calledFrom;
  text += isPassedOn ? " passed on to " : " of ";
  text += fmt::format("{}()", output.call);
  if (!name.empty()) text += ", " + name;
  if (!output.conversion.empty()) text += fmt::format(" ({})", output.conversion);
  return text;
}

} // namespace

std::string renderOutput(const finding::FailureInfo& failure, const Screen& screen) {
  if (!failure.output) return "";
  std::string out = lineText("written", failure.output->gotLine, screen);
  out += lineText("expected", failure.output->expectedLine, screen);
  out += differenceMark(*failure.output, screen);
  if (!failure.output->call.empty()) out += wrapped("  " + writerText(failure), screen.width(), 4) + "\n";
  return out;
}

} // namespace faultline::report

#include "report/gdb.h"

#include "base/text.h"
#include "finding/paths.h"
#include "report/utf8.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace faultline::report {
namespace {

// On one line, whatever it holds.
std::string oneLine(std::string_view text) {
  std::string out = cutUtf8(text, 300);
  for (char& c : out)
    if (uint8_t(c) < 0x20 || c == 0x7f) c = '?';
  return out;
}

// What `echo` prints as it stands.
std::string echoed(std::string_view text) {
  std::string out;
  for (char c : oneLine(text)) out += c == '\\' ? "\\\\" : std::string(1, c);
  return out;
}

std::string inQuotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

// What gdb can be asked to print without calling anything: "n", "list->head.next", "a[i]".
std::string expressionOf(std::string_view text) {
  size_t end = text.find(" = ");
  if (end == text.npos) return "";
  std::string name(text.substr(0, end));
  bool isSafe = !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                        "0123456789_.->[]*") == std::string::npos;
  bool hasArrow = name.find("--") != std::string::npos || name.find(">>") != std::string::npos;
  return isSafe && !hasArrow && (std::isalpha(uint8_t(name[0])) || name[0] == '_' || name[0] == '*') ? name
                                                                                                     : "";
}

class Script {
public:
  Script(const finding::Explanation& e, SourceFiles& files, const GdbOptions& options)
      : e_(e), files_(files), o_(options) {}

  std::string render() const {
    std::string out = head();
    if (!e_.failure) return out + "# The run did not fail: there is nothing to stop at.\n";
    out += suspects();
    if (e_.suspects.empty() || e_.suspects[0].chain.empty())
      return out + "# No way from a suspect to the failure is known: there is nothing to stop at.\n";
    out += setup();
    const std::vector<finding::ChainStep>& chain = e_.suspects[0].chain;
    for (size_t k = 0; k < chain.size(); ++k) out += step(chain[k], k + 1, chain.size());
    return out + "\nrun\n";
  }

private:
  std::string shown(const finding::Place& place) const {
    return oneLine(finding::shownPath(place.file, o_.workingDirectory));
  }
  std::string source(const finding::Place& place) const {
    auto line = files_.line(place.file, place.line);
    return line ? oneLine(withoutIndent(*line)) : "";
  }

  std::string head() const {
    std::string out =
        fmt::format("# Made by Faultline {}, faultline explain --format gdb.\n#   gdb -x FILE, then "
                    "`continue` from step to step; `next` does the line.\n",
                    o_.version);
    out += "# It needs debug information (-g) in the program, and counts as in code that was not optimised "
           "(-O0).\n";
    if (e_.failure) out += fmt::format("#\n# {}\n", oneLine(e_.failure->message));
    if (e_.failure && e_.failure->place.isKnown())
      out += fmt::format("#   in {}() at {}:{}\n", oneLine(e_.failure->place.function),
                         shown(e_.failure->place), e_.failure->place.line);
    if (e_.smallest)
      for (const std::string& text : sentencesOf(*e_.smallest)) out += fmt::format("# {}\n", oneLine(text));
    return out;
  }

  std::string suspects() const {
    std::string out = "#\n# Suspects, the first is the most likely; the steps below are its own\n";
    for (size_t k = 0; k < e_.suspects.size(); ++k)
      out += fmt::format("# {:>3}. {}:{}  {}\n", k + 1, shown(e_.suspects[k].place),
                         e_.suspects[k].place.line, oneLine(e_.suspects[k].reason));
    for (const std::string& note : e_.caveats) out += fmt::format("# note: {}\n", oneLine(note));
    return out;
  }

  std::string setup() const {
    std::vector<std::string> arguments(e_.program.argv.begin() + (e_.program.argv.empty() ? 0 : 1),
                                       e_.program.argv.end());
    std::string out = "\nset pagination off\nset confirm off\n";
    out += fmt::format("cd {}\nfile {}\n", oneLine(e_.program.cwd), inQuotes(oneLine(e_.program.path)));
    std::string line = shellCommand(arguments);
    if (!o_.input.empty()) line += (line.empty() ? "" : " ") + ("< " + shellWord(o_.input));
    if (o_.isInputMissing) out += "# The run read its standard input: add < FILE to the next line.\n";
    return out + "set args " + line + "\n";
  }

  std::string step(const finding::ChainStep& s, size_t number, size_t count) const {
    std::string function = s.place.function.empty() ? "" : fmt::format(" in {}()", oneLine(s.place.function));
    std::string where = fmt::format("{}:{}{}", shown(s.place), s.place.line, function);
    if (!s.place.isKnown())
      return fmt::format("\n# Step {} of {} has no place in the source.\n", number, count);
    std::string out = fmt::format("\n# Step {} of {}: {}\n#   {}\n", number, count, where, source(s.place));
    if (!s.hitsBefore)
      out += "# How often the line was executed before is not known: this stops at the first time.\n";
    else if (!s.isExact)
      out += "# Not exact: the line is the head of a loop, and gdb stops where the loop is entered.\n";
    out += fmt::format("tbreak -source {} -line {}\n", inQuotes(shown(s.place)), s.place.line);
    if (s.hitsBefore && *s.hitsBefore > 0) out += fmt::format("ignore $bpnum {}\n", *s.hitsBefore);
    out += fmt::format("commands\n  echo step {} of {}: {}\\n\n", number, count, echoed(where));
    if (!s.text.empty())
      out += fmt::format("  echo the recorded run, with this line done: {}\\n\n", echoed(s.text));
    std::string expression = expressionOf(s.text);
    // Last: what cannot be read here ends the commands.
    if (!expression.empty())
      out += fmt::format("  echo now, before it: {0} =\\040\n  output {0}\n  echo \\n\n", expression);
    return out + "end\n";
  }

  const finding::Explanation& e_;
  SourceFiles& files_;
  const GdbOptions& o_;
};

} // namespace

std::string renderGdb(const finding::Explanation& explanation, SourceFiles& files,
                      const GdbOptions& options) {
  return Script(explanation, files, options).render();
}

} // namespace faultline::report

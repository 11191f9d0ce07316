#include "report/terminal.h"

#include "base/text.h"
#include "report/output_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace faultline::report {
namespace {

constexpr size_t kAllFrames = 24, kFirstFrames = 12, kLastFrames = 4;
constexpr uint32_t kWidestName = 20;

std::string argumentsText(const finding::StackFrame& frame) {
  std::string text;
  for (const finding::Value& v : frame.arguments) {
    // The type that a pointer's own value shows is said with the variables below.
    std::string_view value = v.text;
    if (value.starts_with('(') && value.find(") 0x") != value.npos)
      value.remove_prefix(value.find(") 0x") + 2);
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", v.name, cutTo(value, 32));
  }
  return text;
}

// map<int, vector<char>>::find becomes map<…>::find; the < of an operator is none that opens.
std::string withoutTemplateArguments(std::string_view name, bool unicode) {
  std::string out;
  int depth = 0;
  for (size_t k = 0; k < name.size(); ++k) {
    constexpr std::string_view kOperator = "operator";
    bool isOperator = depth == 0 && name.substr(k).starts_with(kOperator) &&
                      (k == 0 || name[k - 1] == ':' || name[k - 1] == ' ');
    if (isOperator) {
      size_t end = name.find_first_not_of("<>=-", k + kOperator.size());
      out += name.substr(k, end - k);
      k = std::min(end, name.size()) - 1;
    } else if (name[k] == '<') {
      if (depth++ == 0) out += unicode ? "<…>" : "<...>";
    } else if (name[k] == '>' && depth > 0) {
      --depth;
    } else if (depth == 0) {
      out += name[k];
    }
  }
  return out;
}

std::string frameLine(const finding::StackFrame& frame, const Screen& screen) {
  std::string number = fmt::format("#{:<2} ", frame.number);
  std::string place = "at " + placeText({frame.place.file, frame.place.line, 0, ""}, screen);
  std::string function = frame.place.function.empty() ? "?" : frame.place.function;
  uint32_t room = screen.width() - uint32_t(number.size()) - 2;
  if (screenWidth(function) > room / 2) function = withoutTemplateArguments(function, screen.unicode);
  std::string head = fmt::format("{} ({})", function, argumentsText(frame));
  bool oneLine = screenWidth(head) + 1 + screenWidth(place) <= room;
  if (!oneLine) head = screenWidth(head) > room ? cutTo(head, room - 1) + ")" : head;
  std::string_view rest = std::string_view(head).substr(std::min(head.size(), function.size()));
  std::string out = "  " + screen.terminal.paint(Style::Dim, number);
  out +=
      screen.terminal.paint(frame.isLibrary ? Style::Plain : Style::Bold, function.substr(0, head.size())) +
      std::string(rest);
  return out + (oneLine ? " " : "\n      ") + place + "\n";
}

// Which of the frames given have a line of their own.
bool isShown(size_t index, size_t count) {
  return count <= kAllFrames || index < kFirstFrames || index + kLastFrames >= count;
}

std::string frameValues(const finding::StackFrame& frame, const Screen& screen) {
  std::vector<finding::Value> values = frame.arguments;
  values.insert(values.end(), frame.variables.begin(), frame.variables.end());
  std::string out = renderValues(values, 4, screen);
  if (!frame.globals.empty()) out += "    globals:\n" + renderValues(frame.globals, 6, screen);
  return out;
}

std::string stackText(const finding::StopReport& report, const Screen& screen, const StopOptions& options) {
  std::string out = screen.terminal.paint(Style::Bold, "Call stack") + "\n";
  const std::vector<finding::StackFrame>& stack = report.stack;
  size_t next = 0;
  for (size_t k = 0; k < stack.size(); ++k) {
    if (!isShown(k, stack.size())) continue;
    if (size_t gap = stack[k].number - next)
      out +=
          screen.terminal.paint(Style::Dim, fmt::format("  ... {} frames between ...\n", withThousands(gap)));
    next = stack[k].number + 1;
    out += frameLine(stack[k], screen);
    if (options.allFrames) out += frameValues(stack[k], screen);
  }
  return out;
}

// What the instance is inside of, outermost first.
std::string nestingText(const finding::StopReport& report, const Screen& screen) {
  std::string out = screen.terminal.paint(Style::Bold, "Nested in") + "\n";
  constexpr size_t kEnds = 12;
  for (size_t k = 0; k < report.nesting.size(); ++k) {
    if (report.nesting.size() > 2 * kEnds && k == kEnds) {
      out += fmt::format("  ... {} levels between ...\n", report.nesting.size() - 2 * kEnds);
      k = report.nesting.size() - kEnds;
    }
    const finding::NestingLevel& l = report.nesting[k];
    std::string what = l.kind == "loop" ? fmt::format("loop, round {}", withThousands(l.round)) : l.kind;
    out += fmt::format("  {:<16} {}\n", what,
                       screen.terminal.paint(Style::Dim, fmt::format("{}  {}()", placeText(l.place, screen),
                                                                     l.place.function)));
  }
  return out;
}

// The frame whose variables matter: the innermost one of the program's own code.
const finding::StackFrame* ownFrame(const finding::StopReport& report) {
  auto own =
      std::find_if(report.stack.begin(), report.stack.end(), [](const auto& f) { return !f.isLibrary; });
  if (own != report.stack.end()) return &*own;
  return report.stack.empty() ? nullptr : &report.stack.front();
}

// Whether an expression names the variable: as a word of its own, and not as somebody's member.
bool mentions(std::string_view expression, std::string_view name) {
  auto isWord = [](char c) { return std::isalnum(uint8_t(c)) || c == '_'; };
  for (size_t at = expression.find(name); at != expression.npos; at = expression.find(name, at + 1)) {
    std::string_view before = expression.substr(0, at), after = expression.substr(at + name.size());
    bool whole = (before.empty() || !isWord(before.back())) && (after.empty() || !isWord(after.front()));
    if (whole && !before.ends_with('.') && !before.ends_with("->")) return true;
  }
  return false;
}

// The variables that the failing expression is made of.
std::vector<finding::Value> involved(const finding::StopReport& report, const finding::StackFrame& frame) {
  std::vector<finding::Value> out;
  if (!report.failure || !report.failure->criterion) return out;
  for (const auto* list : {&frame.arguments, &frame.variables})
    for (const finding::Value& v : *list)
      if (mentions(report.failure->criterion->name, v.name)) out.push_back(v);
  return out;
}

std::string stopHeadline(const finding::StopReport& report, const Screen& screen) {
  if (report.failure)
    return screen.terminal.paint(Style::Red, wrapped(headline(*report.failure, screen), screen.width(), 2)) +
           "\n";
  if (report.stack.empty()) return "Stopped outside of the program's code\n";
  const finding::Place& place = report.stack.front().place;
  return wrapped(fmt::format("At instance {} in {}() at {}", report.instance, place.function,
                             placeText(place, screen)),
                 screen.width(), 2) +
         "\n";
}

std::string row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<12} {}\n", name, value);
}

} // namespace

std::string wrapped(std::string_view text, uint32_t width, uint32_t indent) {
  size_t lead = std::min(text.find_first_not_of(' '), text.size());
  std::string out(lead, ' ');
  auto column = uint32_t(lead);
  text.remove_prefix(lead);
  const uint32_t room = width > indent + 8 ? width - indent : 8; // of a line that is not the first
  bool isFirst = true;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    uint32_t length = screenWidth(word);
    bool fits = column + !isFirst + length <= width;
    if (!isFirst && !fits && length <= room) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!isFirst) {
      out += ' ';
      ++column;
    }
    isFirst = false;
    // A word longer than any line is broken where the line ends.
    for (char c : word) {
      bool begins = (uint8_t(c) & 0xc0) != 0x80;
      if (begins && column >= width) {
        out += "\n" + std::string(indent, ' ');
        column = indent;
      }
      out += c;
      column += begins;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string headline(const finding::FailureInfo& failure, const Screen& screen) {
  std::string text = failure.message;
  if (!failure.place.function.empty()) text += fmt::format(" in {}()", failure.place.function);
  if (failure.place.isKnown()) text += " at " + placeText(failure.place, screen);
  if (failure.calledFrom)
    text += fmt::format(", called from {}() at {}", failure.calledFrom->function,
                        placeText(*failure.calledFrom, screen));
  return text;
}

std::string renderValues(const std::vector<finding::Value>& values, uint32_t indent, const Screen& screen) {
  uint32_t name = 0;
  for (const finding::Value& v : values) name = std::max(name, std::min(screenWidth(v.name), kWidestName));
  std::string out;
  for (const finding::Value& v : values) {
    std::string pad(name > screenWidth(v.name) ? name - screenWidth(v.name) : 0, ' ');
    std::string text = fmt::format("{}{}{} = {}", std::string(indent, ' '), v.name, pad, v.text);
    std::string type = v.type.empty() || v.text.starts_with("(") ? "" : fmt::format("  ({})", v.type);
    if (screenWidth(text) + screenWidth(type) > screen.width()) type.clear();
    out += wrapped(text, screen.width(), indent + 4) + screen.terminal.paint(Style::Dim, type) + "\n";
  }
  return out;
}

std::string renderCaveats(const std::vector<std::string>& caveats, const Screen& screen) {
  std::string out;
  for (const std::string& caveat : caveats)
    out += screen.terminal.paint(Style::Yellow, "note: ") + wrapped(caveat, screen.width() - 6, 6) + "\n";
  return out;
}

std::string renderStop(const finding::StopReport& report, SourceFiles& files, const Screen& screen,
                       const StopOptions& options) {
  std::string out = stopHeadline(report, screen);
  if (report.failure && report.failure->output) out += "\n" + renderOutput(*report.failure, screen);
  const finding::StackFrame* own = ownFrame(report);
  if (own) {
    std::string source = excerpt(files, own->place, screen, {.values = involved(report, *own)});
    out += source.empty() ? "" : "\n" + source;
  }
  if (!report.stack.empty()) out += "\n" + stackText(report, screen, options);
  if (!report.nesting.empty()) out += "\n" + nestingText(report, screen);
  if (own && !options.allFrames) {
    std::string values = frameValues(*own, screen);
    std::string title =
        screen.terminal.paint(Style::Bold, fmt::format("Variables of {}()", own->place.function));
    if (!values.empty()) out += "\n" + title + "\n" + values;
  }
  if (!report.printed.empty()) out += "\n" + renderValues(report.printed, 2, screen);
  if (!report.caveats.empty()) out += "\n" + renderCaveats(report.caveats, screen);
  return out;
}

std::string renderInfo(const finding::RecordingInfo& info, const Screen& screen) {
  std::string out = screen.terminal.paint(Style::Bold, info.path) + "\n";
  out += row("command", cutTo(shellCommand(info.program.argv), screen.width() - 15));
  out += row("directory", info.program.cwd);
  out += row("made", info.created);
  out += row("outcome", screen.terminal.paint(info.failed ? Style::Red : Style::Green, info.outcome));
  out += row("ran for", humanDuration(info.seconds));
  out += row("size", fmt::format("{} ({} before compression)", humanSize(info.storedBytes),
                                 humanSize(info.rawBytes)));
  out += row("epochs", withThousands(info.epochs));
  out += row("records", withThousands(info.records));
  if (info.threads > 1) out += row("threads", withThousands(info.threads));
  if (!info.caveats.empty()) out += "\n" + renderCaveats(info.caveats, screen);
  return out;
}

std::string renderVerify(const finding::VerifyReport& report, SourceFiles& files, const Screen& screen) {
  std::string verdict = report.isSame ? screen.terminal.paint(Style::Green, "The replay is exact")
                                      : screen.terminal.paint(Style::Red, "The replay differs from the run");
  double rate = report.seconds > 0 ? double(report.instructions) / report.seconds : 0;
  std::string out = fmt::format("{}: {} instructions in {}", verdict, withThousands(report.instructions),
                                humanDuration(report.seconds));
  out += rate >= 1e6 ? fmt::format(", {:.0f} million a second\n", rate / 1e6) : "\n";
  for (const std::string& what : report.checked) out += fmt::format("  same {}\n", what);
  if (!report.isSame) {
    std::string where = report.instance.empty() ? "" : fmt::format(" at instance {}", report.instance);
    if (report.place.isKnown())
      where += fmt::format(", {}() at {}", report.place.function, placeText(report.place, screen));
    out += wrapped(fmt::format("  {}{}", report.difference, where), screen.width(), 4) + "\n";
    out += excerpt(files, report.place, screen, {});
  }
  std::vector<std::string> caveats = report.recording.caveats;
  caveats.insert(caveats.end(), report.caveats.begin(), report.caveats.end());
  return caveats.empty() ? out : out + "\n" + renderCaveats(caveats, screen);
}

} // namespace faultline::report

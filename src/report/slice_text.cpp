#include "report/slice_text.h"

#include "finding/paths.h"
#include "report/terminal.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace faultline::report {

using finding::Place;
using finding::SliceStatement;

namespace {

std::string sourceLine(SourceFiles& files, const Place& place, bool unicode) {
  auto line = files.line(place.file, place.line);
  if (!line) return "(source not found)";
  return screenLine(*line, unicode).text;
}

std::string valueNote(const SliceStatement& s) {
  if (!s.value || s.value->text.empty()) return "";
  const finding::Value& v = *s.value;
  bool test = s.value->type.empty() && (v.text == "true" || v.text == "false");
  return finding::valueText(v, test);
}

std::string note(const SliceStatement& s) {
  std::string out = valueNote(s);
  if (s.instances > 1) out += fmt::format("{}{} times", out.empty() ? "" : ", ", s.instances);
  if (!s.why.empty()) out += fmt::format("{}{}", out.empty() ? "" : "; ", s.why);
  return out;
}

// Those that are shown, by function, in the order of the source.
std::vector<const SliceStatement*> chosen(const finding::SliceReport& report, const SliceTextOptions& options,
                                          size_t& library) {
  std::vector<const SliceStatement*> all;
  for (const SliceStatement& s : report.statements) {
    if (s.isLibrary && !options.library)
      ++library;
    else
      all.push_back(&s);
  }
  if (options.mostStatements == 0 || all.size() <= options.mostStatements) return all;
  std::vector<const SliceStatement*> order = all;
  std::sort(order.begin(), order.end(),
            [](auto* a, auto* b) { return std::tuple(a->distance, a) < std::tuple(b->distance, b); });
  // What the value passed through is not all that a person wants to see: decisions close to it are often what
  // is wrong, and potential ones are what a relevant slice was asked for.
  std::vector<const SliceStatement*> near;
  auto choose = [&](size_t most, auto&& fits) {
    for (const SliceStatement* s : order)
      if (near.size() < most && fits(*s) && std::find(near.begin(), near.end(), s) == near.end())
        near.push_back(s);
  };
  size_t most = options.mostStatements;
  choose(most / 2, [](const SliceStatement& s) { return s.isThin; });
  choose(near.size() + most / 4, [](const SliceStatement& s) { return s.relation == "potential"; });
  choose(most, [](const SliceStatement&) { return true; });
  std::erase_if(
      all, [&](const SliceStatement* s) { return std::find(near.begin(), near.end(), s) == near.end(); });
  return all;
}

class SliceWriter {
public:
  SliceWriter(SourceFiles& files, const Screen& screen) : files_(files), screen_(screen) {}

  void statement(const SliceStatement& s, bool newFunction, bool gap) {
    const Terminal& t = screen_.terminal;
    if (newFunction) {
      out_ += fmt::format("\n{}  {}\n", t.paint(Style::Bold, s.place.function + "()"),
                          t.paint(Style::Dim, finding::shownPath(s.place.file, screen_.workingDirectory)));
    } else if (gap) {
      out_ += t.paint(Style::Dim, "       ...") + "\n";
    }
    std::string source = sourceLine(files_, s.place, screen_.unicode);
    std::string text = note(s);
    uint32_t column = std::clamp<uint32_t>(screen_.width() / 2, 36, 60);
    bool fits = screenWidth(source) + 10 <= column;
    std::string number = fmt::format("{:>6} ", s.place.line);
    std::string mark = s.isThin ? "*" : " ";
    out_ += fmt::format(" {}{}  {}", s.isThin ? t.paint(Style::Yellow, mark) : mark,
                        s.isThin ? t.paint(Style::Bold, number) : number, source);
    uint32_t used = 10 + screenWidth(source);
    if (text.empty()) {
      out_ += "\n";
      return;
    }
    if (!fits) {
      out_ += "\n";
      used = 0;
    }
    out_ += std::string(column > used ? column - used : 2, ' ');
    std::string note = wrapped(text, screen_.width() > column ? screen_.width() - column : 40, 0);
    if (!note.empty() && note.back() == '\n') note.pop_back();
    size_t from = 0;
    for (bool first = true;; first = false) {
      size_t end = note.find('\n', from);
      if (!first) out_ += std::string(column, ' ');
      out_ += t.paint(Style::Dim, note.substr(from, end - from)) + "\n";
      if (end == std::string::npos) break;
      from = end + 1;
    }
  }

  std::string out_;

private:
  SourceFiles& files_;
  const Screen& screen_;
};

std::string renderSources(const std::vector<finding::SliceSource>& sources, const Screen& screen) {
  if (sources.empty()) return "";
  constexpr size_t kMost = 12;
  std::string out = "\n" + screen.terminal.paint(Style::Bold, "Where it comes from") + "\n";
  for (size_t k = 0; k < sources.size() && k < kMost; ++k) {
    out += "  " + sources[k].text;
    if (sources[k].place.isKnown())
      out += screen.terminal.paint(Style::Dim, ", at " + placeText(sources[k].place, screen));
    out += "\n";
  }
  if (sources.size() > kMost) out += fmt::format("  and {} more\n", sources.size() - kMost);
  return out;
}

} // namespace

std::string renderSlice(const finding::SliceReport& report, SourceFiles& files, const Screen& screen,
                        const SliceTextOptions& options) {
  SliceWriter writer(files, screen);
  if (report.failure) writer.out_ += headline(*report.failure, screen) + "\n";
  writer.out_ += fmt::format("{}\n", report.question);
  size_t library = 0;
  std::vector<const SliceStatement*> shown = chosen(report, options, library);
  const SliceStatement* before = nullptr;
  for (const SliceStatement* s : shown) {
    bool newFunction =
        !before || before->place.function != s->place.function || before->place.file != s->place.file;
    writer.statement(*s, newFunction, before && s->place.line > before->place.line + 1);
    before = s;
  }
  std::string& out = writer.out_;
  out += renderSources(report.sources, screen);
  size_t folded = report.statements.size() - library - shown.size();
  out += "\n";
  if (folded)
    out += fmt::format("{} further statements influence it less directly; --all shows them.\n", folded);
  if (library)
    out += fmt::format("{} statements of system headers are not shown; --library shows them.\n", library);
  bool thin = std::any_of(shown.begin(), shown.end(), [](auto* s) { return s->isThin; });
  if (thin) out += "* the value itself passed through here\n";
  out += renderCaveats(report.caveats, screen);
  return out;
}

std::string renderOrigin(const finding::OriginReport& report, SourceFiles& files, const Screen& screen) {
  const Terminal& t = screen.terminal;
  std::string out;
  if (report.failure) out += headline(*report.failure, screen) + "\n";
  out += report.question + "\n\n";
  for (const finding::OriginStep& s : report.steps) {
    std::string indent(2 + 2 * size_t(s.depth), ' ');
    std::string what;
    if (s.value)
      what = s.value->name.empty() ? s.value->text : fmt::format("{} = {}", s.value->name, s.value->text);
    out += fmt::format("{}{}{}{}", indent, t.paint(Style::Dim, screen.unicode ? "← " : "<- "),
                       t.paint(Style::Bold, what), what.empty() ? "" : "  ");
    out += fmt::format(
        "{}  {}\n", s.how,
        t.paint(Style::Dim, fmt::format("{}  {}()", placeText(s.place, screen), s.place.function)));
    if (s.place.isKnown()) {
      std::string source = sourceLine(files, s.place, screen.unicode);
      size_t first = source.find_first_not_of(' ');
      if (first != std::string::npos)
        out += indent + "    " + cutTo(source.substr(first), screen.width() - uint32_t(indent.size()) - 6) +
               "\n";
    }
  }
  if (report.steps.empty()) out += "  It was made right there, of constants or of what is named below.\n";
  out += renderSources(report.sources, screen);
  if (!report.caveats.empty()) out += "\n";
  out += renderCaveats(report.caveats, screen);
  return out;
}

std::string sliceDot(const finding::SliceReport& report, SourceFiles& files, const Screen& screen) {
  auto quoted = [](std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + "\"";
  };
  auto key = [](const Place& p) { return fmt::format("{}:{}:{}", p.file, p.line, p.function); };
  std::string out = "digraph slice {\n  node [shape=box, fontname=monospace];\n  rankdir=BT;\n";
  std::map<std::string, bool> known;
  for (const SliceStatement& s : report.statements) {
    std::string source = sourceLine(files, s.place, screen.unicode);
    size_t first = source.find_first_not_of(' ');
    std::string label = fmt::format("{}:{}  {}", finding::shownPath(s.place.file, screen.workingDirectory),
                                    s.place.line, first == std::string::npos ? "" : source.substr(first));
    if (std::string value = valueNote(s); !value.empty()) label += "\\n" + value;
    std::string text = quoted(label);
    for (size_t at; (at = text.find("\\\\n")) != std::string::npos;) text.replace(at, 3, "\\n");
    out += fmt::format("  {} [label={}{}];\n", quoted(key(s.place)), text, s.isThin ? ", style=bold" : "");
    known[key(s.place)] = true;
  }
  for (const SliceStatement& s : report.statements)
    if (s.usedAt && known.contains(key(*s.usedAt)))
      out += fmt::format("  {} -> {} [label={}];\n", quoted(key(s.place)), quoted(key(*s.usedAt)),
                         quoted(s.relation));
  return out + "}\n";
}

} // namespace faultline::report

#include "report/html_source.h"

#include "finding/paths.h"
#include "report/html_text.h"
#include "report/utf8.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::report {
namespace {

constexpr uint32_t kAround = 6;       // lines before and after one that is marked
constexpr uint32_t kAroundTree = 1;   // if it is in the cause tree and nothing else
constexpr size_t kLongestLine = 2000; // characters
constexpr size_t kShortestGap = 3;    // a smaller one is shown

} // namespace

HtmlSource::HtmlSource(const finding::Explanation& explanation, SourceFiles& files,
                       const HtmlOptions& options)
    : files_(files), options_(options), marks_(marksOf(explanation)),
      order_(filesByInterest(explanation, marks_)) {
  choose();
}

void HtmlSource::choose() {
  size_t room = options_.mostLines;
  for (const std::string& path : order_) {
    size_t count = files_.lineCount(path);
    if (count == 0) {
      missing_.push_back(path);
      continue;
    }
    File file{path, {}};
    bool isWhole = count <= std::min(options_.wholeFile, room);
    for (const auto& [number, mark] : marks_[path]) {
      uint32_t around = mark.rank || mark.isFailure || !mark.steps.empty() ? kAround : kAroundTree;
      uint32_t from = number > around ? number - around : 1;
      auto to = uint32_t(std::min<size_t>(number + around, count));
      if (number > count || file.lines.size() + (to - from + 1) > room) {
        left_ += !isWhole;
        continue;
      }
      for (uint32_t k = from; k <= to; ++k) file.lines.insert(k);
    }
    for (uint32_t k = 1; isWhole && k <= count; ++k) file.lines.insert(k);
    std::set<uint32_t> gaps; // too small to be worth a gap
    for (auto it = file.lines.begin(); it != file.lines.end() && std::next(it) != file.lines.end(); ++it)
      if (*std::next(it) - *it <= kShortestGap)
        for (uint32_t k = *it + 1; k < *std::next(it); ++k) gaps.insert(k);
    file.lines.merge(gaps);
    room -= std::min(room, file.lines.size());
    if (!file.lines.empty()) shown_.push_back(std::move(file));
  }
}

std::string HtmlSource::anchor(const finding::Place& place) const {
  for (size_t k = 0; k < shown_.size(); ++k)
    if (shown_[k].path == place.file && shown_[k].lines.contains(place.line))
      return fmt::format("#f{}L{}", k, place.line);
  return "";
}

std::string HtmlSource::link(const finding::Place& place) const {
  if (!place.isKnown()) return "<span class=\"at\">an unknown place</span>";
  std::string path = finding::shownPath(place.file, options_.workingDirectory);
  std::string text = html(fmt::format("{}:{}", path, place.line));
  std::string to = anchor(place);
  if (to.empty()) return fmt::format("<span class=\"at\">{}</span>", text);
  return fmt::format("<a class=\"at\" href=\"{}\">{}</a>", to, text);
}

std::string HtmlSource::code(const finding::Place& place) const {
  auto text = files_.line(place.file, place.line);
  return text ? html(cutUtf8(withoutIndent(*text), kLongestLine)) : "";
}

// What hovering over a marked line, or going to it with the keyboard, shows.
std::string HtmlSource::details(const Mark& mark) const {
  std::string out;
  if (mark.rank)
    out +=
        fmt::format("<p>Suspect <a href=\"#s{0}\">{0}</a>, heat {1:.0f} %</p>", mark.rank, 100 * mark.heat);
  if (mark.isFailure) out += "<p class=\"bad\">The run failed here</p>";
  if (!mark.rank && mark.isInTree) out += "<p>In the cause tree</p>";
  if (!mark.values.empty()) {
    out += "<ul>";
    for (const std::string& v : mark.values) out += "<li><code>" + html(cutUtf8(v, 400)) + "</code></li>";
    out += "</ul>";
  }
  return out;
}

std::string HtmlSource::line(size_t file, uint32_t number) const {
  const File& f = shown_[file];
  std::string text = html(cutUtf8(files_.line(f.path, number).value_or(""), kLongestLine));
  auto lines = marks_.find(f.path);
  auto found = lines->second.find(number);
  const Mark* mark = found == lines->second.end() ? nullptr : &found->second;
  std::string id = fmt::format("f{}L{}", file, number);
  if (!mark)
    return fmt::format(
        "<div class=\"ln\" id=\"{0}\"><a class=\"no\" href=\"#{0}\" tabindex=\"-1\">{1}</a><span "
        "class=\"sts\"></span><code>{2}</code></div>\n",
        id, number, text);
  std::string steps;
  for (const Mark::Step& s : mark->steps)
    steps +=
        fmt::format("<a class=\"st\" data-s=\"{0}\" href=\"#s{0}c{1}\" aria-label=\"step {1}\"{2}>{1}</a>",
                    s.suspect, s.number, s.suspect == 1 ? "" : " hidden");
  std::string value = mark->values.empty()
                          ? ""
                          : fmt::format("<span class=\"val\">{}</span>", html(cutUtf8(mark->values[0], 80)));
  std::string kind = mark->isFailure ? " failed" : mark->rank ? " suspect" : "";
  return fmt::format("<div class=\"ln mk{0}\" id=\"{1}\" style=\"--h:{2:.2f}\" tabindex=\"0\" "
                     "aria-describedby=\"{1}t\"><a class=\"no\" href=\"#{1}\" tabindex=\"-1\">{3}</a><span "
                     "class=\"sts\">{4}</span><code>{5}</code>{6}<div class=\"tip\" role=\"tooltip\" "
                     "id=\"{1}t\">{7}</div></div>\n",
                     kind, id, mark->heat, number, steps, text, value, details(*mark));
}

std::string HtmlSource::render() const {
  std::string out;
  for (size_t k = 0; k < shown_.size(); ++k) {
    const File& f = shown_[k];
    out += fmt::format("<section class=\"file\"><h3 id=\"f{}\">{}</h3>\n<div class=\"src\">\n", k,
                       html(finding::shownPath(f.path, options_.workingDirectory)));
    uint32_t last = 0;
    for (uint32_t number : f.lines) {
      if (number != last + 1) out += fmt::format("<div class=\"gap\">{} lines</div>\n", number - last - 1);
      out += line(k, number);
      last = number;
    }
    if (size_t count = files_.lineCount(f.path); count > last)
      out += fmt::format("<div class=\"gap\">{} lines</div>\n", count - last);
    out += "</div></section>\n";
  }
  for (const std::string& path : missing_)
    out += fmt::format("<p class=\"note\">{}: the source is not here, or is not text.</p>\n",
                       html(finding::shownPath(path, options_.workingDirectory)));
  if (left_)
    out +=
        fmt::format("<p class=\"note\">{} lines that play a part are not shown: there are too many, or the "
                    "files are shorter now.</p>\n",
                    left_);
  return out;
}

} // namespace faultline::report

#include "report/html_tree.h"

#include "finding/paths.h"
#include "report/html_text.h"
#include "report/utf8.h"

#include <fmt/format.h>

namespace faultline::report {
namespace {

using finding::CauseNodeInfo;
using finding::CauseStatement;

constexpr size_t kDeepest = 40;   // what is deeper stands beside: browsers nest elements only so far
constexpr size_t kOpenLevels = 1; // further ones are folded to begin with
constexpr size_t kMostStatements = 12;

class TreeWriter {
public:
  TreeWriter(const std::vector<CauseNodeInfo>& nodes, const HtmlSource& source, const HtmlOptions& options)
      : source_(source), options_(options) {
    std::set<uint32_t> ids;
    for (const CauseNodeInfo& n : nodes) ids.insert(n.id);
    for (const CauseNodeInfo& n : nodes)
      if (n.id == n.parent || !ids.contains(n.parent))
        roots_.push_back(&n);
      else
        children_[n.parent].push_back(&n);
  }

  std::string render() {
    std::string out = "<ul class=\"tree\">\n";
    for (const CauseNodeInfo* n : roots_) out += node(*n, 0);
    return out + "</ul>\n";
  }

private:
  std::string statements(const CauseNodeInfo& n) const {
    std::string out;
    size_t count = 0, left = 0;
    for (const CauseStatement& s : n.statements) {
      if (s.isLibrary) continue;
      if (++count > kMostStatements) {
        ++left;
        continue;
      }
      std::string value = !s.value                ? ""
                          : s.value->name.empty() ? s.value->text
                                                  : fmt::format("{} {} {}", s.value->name,
                                                                s.isCondition ? "is" : "=", s.value->text);
      out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n", source_.link(s.place),
                         source_.code(s.place),
                         value.empty() ? "" : "<code>" + html(cutUtf8(value, 200)) + "</code>");
    }
    if (out.empty()) return "";
    if (left)
      out += fmt::format("<tr><td colspan=\"3\" class=\"dim\">and {} further lines</td></tr>\n", left);
    return "<table><caption>made by</caption>\n" + out + "</table>\n";
  }

  std::string title(const CauseNodeInfo& n) const {
    std::string what =
        n.condition && !n.condition->name.empty()
            ? fmt::format("<code>{}</code> {} <b>{}</b>", html(cutUtf8(n.condition->name, 200)),
                          n.kind == "failure" ? "=" : "is", html(cutUtf8(n.condition->text, 80)))
            : fmt::format("<code>{}</code>", source_.code(n.place));
    return fmt::format("{} <span class=\"where\">{}</span>", what, source_.link(n.place));
  }

  std::string body(const CauseNodeInfo& n) const {
    std::string out;
    if (!n.relation.empty()) out += "<p>" + htmlWithCode(n.relation) + "</p>\n";
    out += statements(n);
    if (!n.contradiction.empty()) out += "<p class=\"dim\">" + htmlWithCode(n.contradiction) + "</p>\n";
    if (!n.sources.empty()) {
      out += "<p class=\"dim\">It ends in: ";
      for (size_t k = 0; k < n.sources.size() && k < 8; ++k) out += (k ? ", " : "") + html(n.sources[k]);
      out += n.sources.size() > 8 ? ", ...</p>\n" : "</p>\n";
    }
    if (!n.isExpanded) out += "<p class=\"dim\">What led here was not looked at.</p>\n";
    return out;
  }

  std::string node(const CauseNodeInfo& n, size_t depth) {
    if (!done_.insert(n.id).second) return "";
    std::string place =
        n.place.isKnown()
            ? fmt::format("{}:{}", finding::shownPath(n.place.file, options_.workingDirectory), n.place.line)
            : "";
    std::string prune =
        place.empty() || depth == 0
            ? ""
            : fmt::format("<button type=\"button\" class=\"prune\" data-at=\"{}\" hidden>this is "
                          "right</button>",
                          html(place));
    auto below = children_.find(n.id);
    std::string count =
        below == children_.end() ? "" : fmt::format(" <span class=\"n\">{}</span>", below->second.size());
    std::string out =
        fmt::format("<li class=\"node\"><details{}><summary>{}{}</summary>{}<div class=\"body\">{}</div>\n",
                    depth < kOpenLevels ? " open" : "", title(n), count, prune, body(n));
    std::string inner;
    if (below != children_.end())
      for (const CauseNodeInfo* c : below->second) inner += node(*c, depth + 1);
    if (depth >= kDeepest) return out + "</details></li>\n" + inner;
    return out + (inner.empty() ? "" : "<ul>\n" + inner + "</ul>\n") + "</details></li>\n";
  }

  const HtmlSource& source_;
  const HtmlOptions& options_;
  std::vector<const CauseNodeInfo*> roots_;
  std::map<uint32_t, std::vector<const CauseNodeInfo*>> children_;
  std::set<uint32_t> done_;
};

} // namespace

std::string renderHtmlTree(const std::vector<CauseNodeInfo>& nodes, const HtmlSource& source,
                           const HtmlOptions& options) {
  return TreeWriter(nodes, source, options).render();
}

} // namespace faultline::report

#include "report/html.h"

#include "base/text.h"
#include "report/html_assets.h"
#include "report/html_source.h"
#include "report/html_text.h"
#include "report/html_tree.h"

#include <filesystem>
#include <fmt/format.h>

namespace faultline::report {
namespace {

using finding::kFirstScreen;

class Page {
public:
  Page(const finding::Explanation& explanation, SourceFiles& files, const HtmlOptions& options)
      : e_(explanation), options_(options), source_(explanation, files, options) {}

  std::string render() const {
    return head() + header() + "<main>\n<div class=\"left\">\n" + suspects() + notes() + "</div>\n" +
           source() + tree() + "</main>\n" + footer();
  }

private:
  std::string programName() const { return e_.program.argv.empty() ? e_.program.path : e_.program.argv[0]; }

  std::string head() const {
    // Nothing is fetched, and no script runs but ours.
    std::string policy = fmt::format("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; "
                                     "base-uri 'none'; form-action 'none'",
                                     kHtmlScriptHash);
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"Faultline {}\">\n<title>{}: why it failed</title>\n"
        "<style>{}</style>\n</head>\n<body>\n",
        policy, html(options_.version), html(programName()), kHtmlStyle);
  }

  std::string wrongOutput(const finding::OutputInfo& o) const {
    auto row = [](const char* name, const std::string& text) {
      return fmt::format("<tr><th>{}</th><td><code>{}</code></td></tr>\n", name, html(text));
    };
    return "<table class=\"diff\">\n" + row("expected", o.expectedLine) + row("printed", o.gotLine) +
           "</table>\n";
  }

  std::string header() const {
    std::string out = "<header>\n";
    if (!e_.failure) {
      out += fmt::format(
          "<h1><code>{}</code> did not fail</h1>\n<p class=\"dim\">There is nothing to explain.</p>\n",
          html(programName()));
    } else {
      out += fmt::format("<h1>Why <code>{}</code> failed</h1>\n", html(programName()));
      std::string where = e_.failure->place.function.empty()
                              ? ""
                              : fmt::format(" in <code>{}()</code>", html(e_.failure->place.function));
      if (e_.failure->place.isKnown()) where += " at " + source_.link(e_.failure->place);
      if (e_.failure->calledFrom)
        where += fmt::format(", called from <code>{}()</code> at {}", html(e_.failure->calledFrom->function),
                             source_.link(*e_.failure->calledFrom));
      out += fmt::format("<p class=\"what\">{}{}</p>\n", html(e_.failure->message), where);
      if (e_.failure->output) out += wrongOutput(*e_.failure->output);
    }
    if (e_.smallest)
      for (const std::string& text : sentencesOf(*e_.smallest)) out += "<p>" + html(text) + "</p>\n";
    return out + fmt::format("<p class=\"run dim\"><code>{}</code> in <code>{}</code></p>\n</header>\n",
                             html(shellCommand(e_.program.argv)), html(e_.program.cwd));
  }

  std::string chain(const finding::Suspect& s, size_t rank) const {
    if (s.chain.empty()) return "<p class=\"dim\">How it led to the failure is not known.</p>\n";
    std::string out = "<h4>From here to the failure</h4>\n<ol class=\"chain\">\n";
    for (size_t k = 0; k < s.chain.size(); ++k) {
      const finding::ChainStep& step = s.chain[k];
      std::string function =
          step.place.function.empty() ? "" : fmt::format(" in {}()", html(step.place.function));
      std::string value =
          step.text.empty() ? "" : fmt::format("<br><span class=\"val\">{}</span>", html(step.text));
      out += fmt::format("<li id=\"s{}c{}\"><span class=\"num\">{}</span>{}<span class=\"dim\">{}</span><br>"
                         "<code>{}</code>{}</li>\n",
                         rank, k + 1, k + 1, source_.link(step.place), function, source_.code(step.place),
                         value);
    }
    return out + "</ol>\n";
  }

  std::string suspect(const finding::Suspect& s, size_t rank) const {
    double top = e_.suspects[0].score;
    std::string function = s.place.function.empty() ? "" : fmt::format(" in {}()", html(s.place.function));
    std::string evidence, edit;
    for (const finding::Evidence& e : s.evidence)
      if (e.edit && edit.empty())
        edit = fmt::format("<p class=\"edit\"><code>+ {}</code></p>\n", html(e.edit->line));
    for (const finding::Evidence& e : s.evidence)
      if (e.text != s.reason)
        evidence += fmt::format("<li>{} <span class=\"dim\">({})</span></li>\n", htmlWithCode(e.text),
                                html(e.technique));
    if (!evidence.empty()) evidence = "<h4>What else speaks for it</h4>\n<ul>\n" + evidence + "</ul>\n";
    return fmt::format(
        "<details class=\"suspect card\" name=\"suspect\" id=\"s{0}\" data-s=\"{0}\"{1}>\n<summary>"
        "<span class=\"rank\" style=\"--h:{2:.2f}\">{0}</span><span class=\"head\">{3}{4}</span>"
        "<code class=\"line\">{5}</code><span class=\"why\">{6}</span></summary>\n<div class=\"more\">\n"
        "{7}{8}</div></details>\n",
        rank, rank == 1 ? " open" : "", top > 0 ? std::max(0.0, s.score / top) : 0, source_.link(s.place),
        function, source_.code(s.place), htmlWithCode(s.reason), edit + evidence, chain(s, rank));
  }

  std::string suspects() const {
    if (!e_.failure) return "";
    std::string out = "<section aria-label=\"Suspects\">\n<h2>Suspects, the first is the most likely</h2>\n";
    if (e_.suspects.empty()) out += "<p>Nothing was found that could have led to it.</p>\n";
    for (size_t k = 0; k < e_.suspects.size(); ++k) {
      if (k == kFirstScreen)
        out += fmt::format("<details class=\"rest\"><summary class=\"note\">{} further lines that play a part"
                           "</summary>\n",
                           e_.suspects.size() - kFirstScreen);
      out += suspect(e_.suspects[k], k + 1);
    }
    return out + (e_.suspects.size() > kFirstScreen ? "</details>\n" : "") + "</section>\n";
  }

  std::string notes() const {
    std::string out;
    for (const std::string& text : e_.tried) out += "<li>" + html(text) + "</li>\n";
    for (const std::string& text : e_.caveats) out += "<li><b>note:</b> " + html(text) + "</li>\n";
    if (out.empty()) return "";
    return "<section aria-label=\"What was tried\">\n<h2>What was tried, and what was not</h2>\n<ul "
           "class=\"card\" "
           "style=\"padding:.6rem .8rem .6rem 1.8rem\">\n" +
           out + "</ul>\n</section>\n";
  }

  std::string source() const {
    std::string text = source_.render();
    if (text.empty()) return "";
    return "<section class=\"right\" aria-label=\"Source\">\n<h2>Source</h2>\n<div>\n<p "
           "class=\"legend\"><span>less "
           "suspicious <span class=\"scale\"></span> more</span><span><span class=\"num\">1</span> step of "
           "the "
           "chain</span><span class=\"val\">value that was seen</span></p>\n" +
           text + "</div></section>\n";
  }

  std::string tree() const {
    if (e_.tree.empty()) return "";
    return "<section class=\"below\" aria-label=\"Cause tree\">\n<h2>All potential causes</h2>\n<div "
           "class=\"card "
           "pad\">\n<p class=\"bar\" hidden><button type=\"button\" data-fold=\"open\">unfold all</button>"
           "<button type=\"button\" data-fold=\"close\">fold all</button></p>\n<div id=\"pruned\" "
           "class=\"bar\" "
           "hidden><span class=\"dim\">Held to be right:</span><span id=\"prunedlist\" class=\"bar\"></span>"
           "<span class=\"dim\">Ask again with</span> <code id=\"prunedcommand\"></code></div>\n" +
           renderHtmlTree(e_.tree, source_, options_) + "</div></section>\n";
  }

  std::string footer() const {
    return fmt::format(
        "<footer><p class=\"keys\"><kbd>j</kbd> <kbd>k</kbd> walk along the chain, <kbd>1</kbd> to "
        "<kbd>9</kbd> open a suspect, <kbd>Tab</kbd> goes from mark to mark with their values.</p>\n"
        "<p>Made by Faultline {}. A suspect is evidence from one run, not a proof.</p></footer>\n"
        "<script>{}</script>\n</body>\n</html>\n",
        html(options_.version), kHtmlScript);
  }

  const finding::Explanation& e_;
  const HtmlOptions& options_;
  HtmlSource source_;
};

} // namespace

std::string renderHtml(const finding::Explanation& explanation, SourceFiles& files,
                       const HtmlOptions& options) {
  return Page(explanation, files, options).render();
}

} // namespace faultline::report

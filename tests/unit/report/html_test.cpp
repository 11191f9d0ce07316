// The page: whatever the program and its source hold, it is text. How it behaves in a browser is shown in
// tests/cli/html_test.cpp.
#include "report/html.h"
#include "report/html_assets.h"
#include "report/html_text.h"
#include "report/utf8.h"
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Elements that are opened and not closed, scripts, handlers, links to elsewhere: what must not be there.
std::string trouble(const std::string& page) {
  constexpr const char* kScript = R"(
import sys
from html.parser import HTMLParser
EMPTY = {"meta", "br"}
class Check(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.bad, self.scripts, self.ids = [], [], 0, set()
        self.wanted = set()
    def handle_starttag(self, tag, attrs):
        if tag not in EMPTY: self.open.append(tag)
        self.scripts += tag == "script"
        if tag in ("iframe", "object", "embed", "img", "link", "form", "base"): self.bad.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name == "src": self.bad.append(f"{tag} {name}")
            if name == "href":
                if not value.startswith("#"): self.bad.append(f"link to {value}")
                else: self.wanted.add(value[1:])
            if name == "id":
                if value in self.ids: self.bad.append(f"id {value} twice")
                self.ids.add(value)
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: self.bad.append(f"</{tag}> out of place")
check = Check()
text = open(sys.argv[1], "rb").read().decode("utf-8")
check.feed(text)
check.close()
if check.open: check.bad.append(f"open: {check.open}")
if check.scripts != 1: check.bad.append(f"{check.scripts} scripts")
for name in sorted(check.wanted - check.ids): check.bad.append(f"link to #{name}, which is not there")
for c in text:
    if ord(c) < 32 and c not in "\t\n": check.bad.append(f"control character {ord(c)}")
print("\n".join(check.bad[:20]), end="")
)";
  test::TempDir dir;
  test::writeFile(dir / "page.html", page);
  test::RunResult got = test::run({"/usr/bin/python3", "-c", kScript, dir / "page.html"});
  return got.out + got.err;
}

class Html : public ::testing::Test {
protected:
  test::TempDir dir_;
  std::string file_ = dir_ / "a.c";

  std::string page(const finding::Explanation& e, HtmlOptions options = {}) {
    options.workingDirectory = dir_.path();
    SourceFiles files;
    std::string text = renderHtml(e, files, options);
    EXPECT_EQ(trouble(text), "");
    return text;
  }
  finding::Explanation explained(uint32_t line, const std::string& text) {
    finding::Explanation e;
    e.program = {.path = "/x/prog", .argv = {"./prog", text}, .cwd = "/x"};
    e.failure = finding::FailureInfo{.kind = "crash", .message = text, .place = {file_, line, 1, text}};
    e.suspects = {{.place = {file_, line, 1, text}, .score = 4, .reason = text}};
    e.suspects[0].evidence = {{"critical", text, 4}, {"causes", text + " too", 1}};
    e.suspects[0].chain = {{{file_, line, 1, text}, text}, {{file_, line + 1, 1, "main"}, "n = 1"}};
    e.tree = {{.id = 0, .parent = 0, .kind = "failure", .place = {file_, line}, .relation = text}};
    e.tree[0].statements = {{.place = {file_, line}, .value = finding::Value{text, text, text}}};
    e.tree.push_back({.id = 1, .parent = 0, .level = 1, .kind = "direct", .place = {file_, line}});
    e.tree[1].condition = finding::Value{text, "", text};
    e.tree[1].contradiction = text;
    e.tree[1].sources = {text};
    e.tried = e.caveats = {text};
    return e;
  }
};

TEST_F(Html, TheScriptIsTheOneThatThePolicyAllows) {
  test::TempDir dir;
  test::writeFile(dir / "script", kHtmlScript);
  test::RunResult got = test::run(
      {"/usr/bin/python3", "-c",
       "import sys, hashlib, base64\n"
       "print(base64.b64encode(hashlib.sha256(open(sys.argv[1], 'rb').read()).digest()).decode(), end='')",
       dir / "script"});
  EXPECT_EQ(got.out, kHtmlScriptHash) << "put this into src/report/html_assets.cpp";
}

TEST_F(Html, WhateverTheSourceAndTheValuesHoldIsText) {
  for (const std::string& text :
       {std::string("</script><script>alert(1)</script>"), std::string("\"><img src=x onerror=alert(1)>"),
        std::string("' onmouseover='alert(1)"), std::string("<!-- ]]> --> &amp; &lt;b&gt;"),
        std::string("\xff\xfe\x80 bytes \xc3"), std::string("a\x01\x02\x1b[31m\x7f\xc2\x85"),
        std::string("`</code>` and `<b>"), std::string("{0} {} %s")}) {
    test::writeFile(file_, "int x;\n" + text + "\nint y;\n");
    std::string got = page(explained(2, text));
    EXPECT_THAT(got, AllOf(Not(HasSubstr("alert(1)</script>")), Not(HasSubstr("<img")))) << text;
    EXPECT_EQ(validUtf8(got), got) << text;
  }
}

TEST_F(Html, WhatChangesTheOrderOfReadingIsMadeVisible) {
  EXPECT_EQ(html("a\xe2\x80\xae"
                 "b"),
            "a<span class=\"odd\">U+202E</span>b");
  EXPECT_EQ(html("a\x01"), "a<span class=\"odd\">\\x01</span>");
  EXPECT_EQ(html("ä\t<"), "ä\t&lt;");
}

TEST_F(Html, SuspectsStepsAndValuesAreLinkedWithTheSource) {
  test::writeFile(file_, "int f(int n) {\n  return n + 1;\n}\n");
  std::string got = page(explained(2, "n = 3"));
  EXPECT_THAT(got, AllOf(HasSubstr("id=\"s1\""), HasSubstr("id=\"s1c1\""), HasSubstr("href=\"#f0L2\""),
                         HasSubstr("id=\"f0L2\""), HasSubstr("role=\"tooltip\"")));
  EXPECT_THAT(got, HasSubstr("Content-Security-Policy\" content=\"default-src 'none'"));
}

TEST_F(Html, ASourceThatIsGoneOrShorterIsSaid) {
  EXPECT_THAT(page(explained(2, "n = 3")), HasSubstr("a.c: the source is not here"));
  test::writeFile(file_, "int x;\n");
  EXPECT_THAT(page(explained(7, "n = 3")), HasSubstr("a.c:7"));
}

TEST_F(Html, OfALargeFileOnlyWhatMattersIsShown) {
  std::string source;
  for (int k = 1; k <= 20000; ++k) source += "line" + std::to_string(k) + ";\n";
  test::writeFile(file_, source);
  std::string got = page(explained(9000, "n = 3"));
  EXPECT_THAT(got, AllOf(HasSubstr("line9000;"), HasSubstr("line8994;"), Not(HasSubstr("line8993;")),
                         HasSubstr("8993 lines"), HasSubstr("line9007;")));
}

TEST_F(Html, HugeLinesDeepTreesAndLongChainsAreBounded) {
  test::writeFile(file_, "int x;\n" + std::string(3000000, 'x') + "\n");
  finding::Explanation e = explained(2, "n = 3");
  for (uint32_t k = 2; k < 2000; ++k)
    e.tree.push_back({.id = k, .parent = k - 1, .level = k, .kind = "direct", .place = {file_, 1}});
  for (uint32_t k = 0; k < 3000; ++k) e.suspects[0].chain.push_back({{file_, 1, 1, "f"}, "n = 4"});
  EXPECT_LT(page(e).size(), 4'000'000u);
}

TEST_F(Html, ARunThatDidNotFailSaysSo) {
  finding::Explanation e;
  e.program.argv = {"./prog"};
  EXPECT_THAT(page(e), HasSubstr("did not fail"));
}

TEST_F(Html, ATreeThatGoesRoundIsShownOnce) {
  test::writeFile(file_, "int x;\nint y;\n");
  finding::Explanation e = explained(1, "n = 3");
  e.tree.push_back({.id = 7, .parent = 8, .kind = "direct", .place = {file_, 1}});
  e.tree.push_back({.id = 8, .parent = 7, .kind = "direct", .place = {file_, 1}});
  page(e);
}

} // namespace
} // namespace faultline::report

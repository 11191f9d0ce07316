// The page of --format html in a real browser: headless Chromium, if it is there.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBin = FAULTLINE_BIN_DIR;

std::string browser() {
  for (const char* name : {"/usr/bin/chromium-headless-shell", "/usr/bin/chromium"})
    if (std::filesystem::exists(name)) return name;
  return "";
}

// Its own text is hostile: the page must show it, and not obey it.
constexpr const char* kHostile = R"(#include <stdio.h>
#include <stdlib.h>
/* </script><script>document.title = "owned"</script> <img src=x onerror="document.title='owned'"> */
static int limit(int n) { /* "quotes" 'and' <b>tags</b> &amp; */
  int most = n * 2;
  if (n >= 3)
    most = 9;
  return most;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), sum = 0;
  for (int i = 0; i < n; i++)
    sum += limit(i);
  if (sum > 12)
    abort();
  return 0;
}
)";

class HtmlPage : public ::testing::Test {
protected:
  test::TempDir dir_;
  test::RunOptions options_{.cwd = dir_.path(),
                            .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"XDG_DATA_HOME", dir_ / "data"}}};

  void SetUp() override {
    if (browser().empty())
      GTEST_SKIP() << "no chromium-headless-shell here: the page was not tried in a browser "
                      "(scripts/install_packages.sh installs it)";
    test::writeFile(dir_ / "program.c", kHostile);
    ASSERT_EQ(test::run({kBin + "/faultline-cc", "program.c", "-o", "program"}, options_).status, 0);
    test::RunResult got = test::run(
        {kBin + "/faultline", "explain", "-q", "--format", "html", "-o", "page.html", "--", "./program", "5"},
        options_);
    ASSERT_EQ(got.status, 0) << got.err;
    ASSERT_EQ(got.out, "");
  }
  // The document after its scripts have run.
  std::string dom(const std::string& file, const std::string& fragment = "",
                  const std::string& size = "1280,900") {
    test::RunResult got =
        test::run({browser(), "--headless", "--no-sandbox", "--disable-gpu",
                   "--user-data-dir=" + (dir_ / "profile"), "--virtual-time-budget=3000",
                   "--window-size=" + size, "--dump-dom", "file://" + (dir_ / file) + fragment},
                  options_);
    EXPECT_EQ(got.status, 0) << got.err;
    return got.out;
  }
  // The page, and then a person's hand on it, whose words end up in the title.
  std::string titleAfter(const std::string& script, const std::string& size = "1280,900") {
    std::string page = test::readFile(dir_ / "page.html");
    size_t policy = page.find("script-src 'sha256-");
    size_t end = page.find("';", policy) + 1;
    page.replace(policy, end - policy, "script-src 'unsafe-inline'");
    page.insert(page.rfind("</body>"), "<script>{" + script + "}</script>");
    test::writeFile(dir_ / "tried.html", page);
    std::string got = dom("tried.html", "", size);
    size_t from = got.find("<title>") + 7;
    return got.substr(from, got.find("</title>") - from);
  }
};

TEST_F(HtmlPage, ItsScriptRunsAndNothingElseDoes) {
  std::string got = dom("page.html");
  EXPECT_THAT(got, HasSubstr("<title>./program: why it failed</title>"))
      << "the source's own script did not run";
  EXPECT_THAT(got, HasSubstr(">this is right</button>"));
  EXPECT_THAT(got, Not(HasSubstr("hidden=\"\">this is right</button>"))) << "our script did not run";
}

TEST_F(HtmlPage, ALinkToAFoldedSuspectUnfoldsIt) {
  EXPECT_THAT(dom("page.html", "#s2c1"), HasSubstr("id=\"s2\" data-s=\"2\" open=\"\""));
}

TEST_F(HtmlPage, TheTreeCanBePrunedAndBroughtBack) {
  std::string title = titleAfter(R"js(
    const shown = () => document.querySelectorAll(".node:not(.pruned)").length;
    const before = shown();
    document.querySelector(".prune").click();
    const after = shown(), command = document.querySelector("#prunedcommand").textContent;
    document.querySelector("#prunedlist button").click();
    document.title = [before > after, shown() === before, command].join("|");)js");
  EXPECT_THAT(title, ::testing::MatchesRegex("true\\|true\\|--correct program.c:[0-9]+"));
}

TEST_F(HtmlPage, ValuesShowOnFocusAsWellAsOnHover) {
  EXPECT_EQ(titleAfter(R"js(
    const line = document.querySelector(".ln.mk"), tip = line.querySelector(".tip");
    const before = getComputedStyle(tip).display;
    line.focus();
    document.title = before + "|" + getComputedStyle(tip).display + "|" + (tip.textContent.trim().length > 0);)js"),
            "none|block|true");
}

TEST_F(HtmlPage, KeysWalkAlongTheChain) {
  EXPECT_THAT(titleAfter(R"js(
    dispatchEvent(new KeyboardEvent("keydown", {key: "j"}));
    const first = location.hash;
    dispatchEvent(new KeyboardEvent("keydown", {key: "2"}));
    document.title = first + "|" + document.querySelector("#s2").open + "|" + document.querySelector("#s1").open;)js"),
              ::testing::MatchesRegex("#f0L[0-9]+\\|true\\|false"));
}

TEST_F(HtmlPage, APhoneNeedNotScrollSideways) {
  EXPECT_EQ(titleAfter("const page = document.documentElement;"
                       "document.title = innerWidth + '|' + (page.scrollWidth <= page.clientWidth);",
                       "380,800"),
            "380|true");
}

} // namespace
} // namespace faultline::cli

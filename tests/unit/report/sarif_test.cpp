// SARIF: what services rely on. That the whole is valid is shown on real runs, in tests/cli/formats_test.cpp.
#include "report/sarif_results.h"
#include "report/sarif_rules.h"
#include "support/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::report {
namespace {

using finding::Json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Sarif : public ::testing::Test {
protected:
  test::TempDir dir_;
  SarifOptions options_{.version = "1.2.3", .root = dir_.path(), .workingDirectory = dir_.path()};

  Json made(const SarifLog& log) {
    SourceFiles files;
    std::string text = renderSarif(log, files, options_);
    EXPECT_EQ(test::schemaErrors(text, FAULTLINE_SOURCE_DIR "/tests/schema/sarif.schema.json"), "");
    return Json::parse(text)["runs"][0];
  }
  SarifResult suspect(uint32_t line, std::string message = "It is.", uint32_t column = 1) {
    return {
        .rule = kRuleSuspect, .place = {dir_ / "a b.c", line, column, "f"}, .message = std::move(message)};
  }
  std::string print(const std::string& source, uint32_t line) {
    test::writeFile(dir_ / "a b.c", source);
    return made({.technique = "explain",
                 .results = {suspect(line)}})["results"][0]["partialFingerprints"]["faultlineLine/v1"];
  }
};

TEST_F(Sarif, PathsAreRelativeToTheRepositoryAndEncoded) {
  SarifLog log{.technique = "explain", .results = {suspect(2)}};
  log.results.push_back({.rule = kRuleSuspect, .place = {"/usr/include/x.h", 7}, .message = "m"});
  Json run = made(log);
  Json at = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
  EXPECT_EQ(at["uri"], "a%20b.c");
  EXPECT_EQ(at["uriBaseId"], "SRCROOT");
  EXPECT_EQ(run["originalUriBaseIds"]["SRCROOT"]["uri"], "file://" + dir_.path() + "/");
  Json other = run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"];
  EXPECT_EQ(other["uri"], "file:///usr/include/x.h");
  EXPECT_FALSE(other.contains("uriBaseId"));
}

TEST_F(Sarif, TheRepositoryIsWhereGitIs) {
  test::writeFile(dir_ / "repo/.git/HEAD", "");
  test::writeFile(dir_ / "repo/src/deep/x", "");
  EXPECT_EQ(repositoryRoot(dir_ / "repo/src/deep"), dir_ / "repo");
  EXPECT_EQ(repositoryRoot(dir_ / "none"), dir_ / "none");
}

TEST_F(Sarif, AFingerprintStaysWhenLinesMoveAndGoesWhenTheLineChanges) {
  std::string first = print("int a;\nif (x  < 3)\n", 2);
  EXPECT_EQ(print("int a;\n\n\n  if (x < 3)\n", 4), first);
  EXPECT_NE(print("int a;\nif (x <= 3)\n", 2), first);
}

TEST_F(Sarif, EqualLinesOfAFunctionHaveFingerprintsOfTheirOwn) {
  test::writeFile(dir_ / "a b.c", "x++;\nx++;\n");
  Json up = made({.technique = "explain", .results = {suspect(1), suspect(2)}})["results"];
  Json down = made({.technique = "explain", .results = {suspect(2), suspect(1)}})["results"];
  EXPECT_NE(up[0]["partialFingerprints"], up[1]["partialFingerprints"]);
  EXPECT_EQ(up[0]["partialFingerprints"], down[1]["partialFingerprints"]) << "whatever their rank";
}

TEST_F(Sarif, ColumnsAreCharactersNotBytes) {
  test::writeFile(dir_ / "a b.c", "s = \"äöü\"; x = 1;\n");
  Json run = made({.technique = "explain", .results = {suspect(1, "m", 15)}});
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startColumn"], 12);
  EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
}

TEST_F(Sarif, ProgramTextIsNoPlaceholderAndNoLink) {
  Json results = made({.technique = "explain",
                       .results = {suspect(1, "p = {0}, a[1](2)"), suspect(2, "a[i] = 3")}})["results"];
  EXPECT_EQ(results[0]["message"]["text"], "p = {{0}}, a\\[1\\](2)");
  EXPECT_EQ(results[1]["message"]["text"], "a[i] = 3");
}

TEST_F(Sarif, BytesThatAreNotTextDoNotBreakIt) {
  test::writeFile(dir_ / "a b.c", "char *s = \"\xff\xfe\x01\";\n");
  Json run = made({.technique = "explain", .results = {suspect(1, "s = \"\xff\"")}});
  EXPECT_EQ(run["results"][0]["message"]["text"], "s = \"\xef\xbf\xbd\"");
}

TEST_F(Sarif, LimitsOfServicesAreKeptAndSaid) {
  SarifLog log{.technique = "explain"};
  for (uint32_t k = 1; k <= 6000; ++k) log.results.push_back(suspect(k, std::string(3000, 'x')));
  for (uint32_t k = 1; k <= 2500; ++k)
    log.results[0].flow.push_back({{dir_ / "a b.c", k, 0, "f"}, "n = " + std::to_string(k)});
  Json run = made(log);
  EXPECT_EQ(run["results"].size(), 5000u);
  EXPECT_EQ(run["results"][0]["message"]["text"].get<std::string>().size(), 1000u);
  Json steps = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
  ASSERT_EQ(steps.size(), 1000u);
  EXPECT_EQ(steps[0]["location"]["message"]["text"], "n = 1");
  EXPECT_EQ(steps[999]["location"]["message"]["text"], "n = 2500");
  EXPECT_THAT(run["invocations"][0].dump(),
              AllOf(HasSubstr("1000 further results are left out"), HasSubstr("1500 steps in the middle")));
}

TEST_F(Sarif, ASuspectHasItsEvidenceItsWayAndTheFailure) {
  finding::Explanation e;
  e.failure =
      finding::FailureInfo{.kind = "crash", .message = "Segmentation fault", .place = {dir_ / "a.c", 9}};
  e.caveats = {"the tree is not complete"};
  finding::Suspect s{.place = {dir_ / "a.c", 3, 5, "f"}, .score = 4};
  s.evidence = {{"critical", "`n > 3` was true", 4}, {"causes", "n = 4", 1}};
  s.chain = {{{dir_ / "a.c", 3, 5, "f"}, "n = 4"}, {{dir_ / "a.c", 9, 1, "main"}, ""}};
  e.suspects = {s};
  Json run = made(sarifOf(e));
  Json r = run["results"][0];
  EXPECT_EQ(r["ruleId"], "FL1001");
  EXPECT_EQ(run["tool"]["driver"]["rules"][r["ruleIndex"].get<size_t>()]["id"], "FL1001");
  EXPECT_THAT(r["message"]["text"].get<std::string>(),
              AllOf(HasSubstr("`n > 3` was true."), HasSubstr("n = 4."), HasSubstr("failed [here](1)")));
  EXPECT_EQ(r["relatedLocations"][0]["message"]["text"], "Segmentation fault");
  Json steps = r["codeFlows"][0]["threadFlows"][0]["locations"];
  EXPECT_EQ(steps[0]["location"]["message"]["text"], "n = 4");
  EXPECT_EQ(steps[1]["location"]["message"]["text"], "executed in main()");
  EXPECT_THAT(run["invocations"][0].dump(), HasSubstr("the tree is not complete"));
}

TEST_F(Sarif, AFailureThatNothingExplainsIsAResult) {
  finding::Explanation e;
  e.failure = finding::FailureInfo{.kind = "crash", .message = "Killed", .place = {dir_ / "a.c", 9}};
  EXPECT_EQ(made(sarifOf(e))["results"][0]["ruleId"], "FL1000");
  e.failure->place = {};
  EXPECT_TRUE(made(sarifOf(e))["results"].empty()) << "a result needs a place";
}

} // namespace
} // namespace faultline::report

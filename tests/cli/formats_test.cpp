// --format: every document is valid, whatever the run.
#include "support/json_schema.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kBin = FAULTLINE_BIN_DIR;
const std::string kSource = FAULTLINE_SOURCE_DIR;

constexpr const char* kCount = R"(#include <stdio.h>
#include <stdlib.h>
static int limit(int n) {
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
  printf("%d\n", sum);
  return 0;
}
)";

class Formats : public ::testing::Test {
protected:
  test::TempDir dir_;
  test::RunOptions options_{.cwd = dir_.path(),
                            .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"XDG_DATA_HOME", dir_ / "data"}}};

  void build(const std::string& source) {
    test::writeFile(dir_ / "repo/.git/HEAD", "");
    test::writeFile(dir_ / "repo/src/program.c", source);
    options_.cwd = dir_ / "repo";
    test::RunResult built =
        test::run({kBin + "/faultline-cc", "-g", "src/program.c", "-o", "program"}, options_);
    ASSERT_EQ(built.status, 0) << built.err;
  }
  test::RunResult ask(std::vector<std::string> words, const std::string& format) {
    words.insert(words.begin(), kBin + "/faultline");
    words.insert(words.begin() + 2, {"--format", format, "--quiet"});
    return test::run(words, options_);
  }
  static std::string sarifErrors(const std::string& text) {
    std::string errors = test::schemaErrors(text, kSource + "/tests/schema/sarif.schema.json");
    const char* official = getenv("FAULTLINE_SARIF_SCHEMA");
    if (official && *official) errors += test::schemaErrors(text, official);
    return errors;
  }
};

TEST_F(Formats, AFormatThatACommandHasNotIsRefusedInOneLine) {
  build(kCount);
  test::RunResult got = ask({"show", "--", "./program", "5"}, "sarif");
  EXPECT_EQ(got.status, 1);
  EXPECT_EQ(got.err, "faultline: error: show has no format sarif: it has text and json\n");
  got = test::run({kBin + "/faultline", "explain", "--json", "--format", "sarif", "--", "./program", "5"},
                  options_);
  EXPECT_EQ(got.status, 1);
  EXPECT_EQ(got.err, "faultline: error: --json and --format sarif: give one of them\n");
}

TEST_F(Formats, FormatJsonIsJson) {
  build(kCount);
  test::RunResult got = ask({"show", "--", "./program", "5"}, "json");
  EXPECT_EQ(json::parse(got.out)["technique"], "show");
}

TEST_F(Formats, SarifOfEveryTechniqueIsValidAndNamesTheFileFromTheRepository) {
  build(kCount);
  ASSERT_EQ(
      test::run({kBin + "/faultline", "record", "-q", "--alterable", "-o", "run.flr", "--", "./program", "5"},
                options_)
          .status,
      0);
  for (const char* technique : {"explain", "causes", "critical", "slice", "chop", "invariants"}) {
    std::vector<std::string> words{technique, "run.flr"};
    if (words[0] == "chop") words.push_back("--argv");
    test::RunResult got = ask(words, "sarif");
    ASSERT_EQ(got.status, 0) << technique << got.err;
    EXPECT_EQ(sarifErrors(got.out), "") << technique;
    json run = json::parse(got.out)["runs"][0];
    ASSERT_FALSE(run["results"].empty()) << technique;
    EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
              "src/program.c")
        << technique;
    EXPECT_THAT(run["automationDetails"]["id"].get<std::string>(), HasSubstr(technique));
  }
}

TEST_F(Formats, WhatTheProgramPrintsIsNoPartOfADocument) {
  build("#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  puts(\"hello\");\n  fflush(stdout);\n"
        "  abort();\n}\n");
  EXPECT_THAT(ask({"explain", "--", "./program"}, "sarif").out, StartsWith("{"));
}

TEST_F(Formats, ARunThatPassedGivesAnEmptyLog) {
  build(kCount);
  test::RunResult got = ask({"explain", "--", "./program", "2"}, "sarif");
  EXPECT_EQ(got.status, 2);
  EXPECT_EQ(sarifErrors(got.out), "");
  EXPECT_TRUE(json::parse(got.out)["runs"][0]["results"].empty());
}

TEST_F(Formats, ASourceThatIsNewerThanTheProgramIsSaid) {
  build(kCount);
  test::RunResult got = ask({"explain", "--", "./program", "5"}, "text");
  EXPECT_THAT(got.out, Not(HasSubstr("newer than the program")));
  auto later = std::filesystem::last_write_time(dir_ / "repo/program") + std::chrono::seconds(5);
  std::filesystem::last_write_time(dir_ / "repo/src/program.c", later);
  got = ask({"explain", "--", "./program", "5"}, "text");
  EXPECT_THAT(got.out, HasSubstr("src/program.c is newer than the program"));
}

TEST_F(Formats, SarifNeedsNoSource) {
  build(kCount);
  ASSERT_EQ(
      test::run({kBin + "/faultline", "record", "-q", "-o", "run.flr", "--", "./program", "5"}, options_)
          .status,
      0);
  std::filesystem::remove(dir_ / "repo/src/program.c");
  test::RunResult got = ask({"explain", "--without", "critical", "run.flr"}, "sarif");
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(sarifErrors(got.out), "");
}

} // namespace
} // namespace faultline::cli

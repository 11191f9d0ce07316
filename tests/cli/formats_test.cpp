// --format: every document is valid, whatever the run.
#include "support/json_schema.h"

#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

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
    words.insert(words.begin() + 2, {"--format", format});
    if (format != "text") words.insert(words.begin() + 2, "--quiet"); // which leaves out notes
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

// What one format says must be what all say: suspects in this order at these places, the first one's chain
// with these values.
struct Facts {
  std::vector<std::string> suspects, steps, values;
  bool operator==(const Facts&) const = default;
};

std::string lineOf(const json& place) {
  std::string file = place["file"].get<std::string>();
  return file.substr(file.find("src/")) + ":" + std::to_string(place["line"].get<int>());
}

Facts factsOfJson(const std::string& text) {
  Facts out;
  json suspects = json::parse(text)["suspects"];
  for (const json& s : suspects) out.suspects.push_back(lineOf(s["place"]));
  for (const json& step : suspects.at(0)["chain"]) {
    out.steps.push_back(lineOf(step));
    out.values.push_back(step["text"]);
  }
  return out;
}

Facts factsOfSarif(const std::string& text) {
  Facts out;
  auto at = [](const json& location) {
    const json& p = location["physicalLocation"];
    return p["artifactLocation"]["uri"].get<std::string>() + ":" +
           std::to_string(p["region"]["startLine"].get<int>());
  };
  json results = json::parse(text)["runs"][0]["results"];
  for (const json& r : results) out.suspects.push_back(at(r["locations"][0]));
  for (const json& step : results.at(0)["codeFlows"][0]["threadFlows"][0]["locations"]) {
    out.steps.push_back(at(step["location"]));
    std::string value = step["location"]["message"]["text"];
    out.values.push_back(value.starts_with("executed in ") ? "" : value);
  }
  return out;
}

// All first groups, with the markup taken off.
std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  std::vector<std::string> out;
  std::regex regex(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    std::string one = (*it)[1];
    for (auto& [from, to] :
         {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
      for (size_t at = one.find(from); at != one.npos; at = one.find(from, at + 1))
        one.replace(at, strlen(from), to);
    out.push_back(one);
  }
  return out;
}

Facts factsOfHtml(const std::string& text) {
  Facts out;
  out.suspects = matches(text, "<span class=\"head\"><a class=\"at\" href=\"[^\"]*\">([^<]*)</a>");
  out.steps = matches(text, "<li id=\"s1c[0-9]+\"><span class=\"num\">[0-9]+</span><a class=\"at\" "
                            "href=\"[^\"]*\">([^<]*)</a>");
  out.values = matches(text, "<li id=\"s1c[^\n]*?</code>(?:<br><span class=\"val\">([^<]*)</span>)?</li>");
  return out;
}

Facts factsOfGdb(const std::string& text) {
  Facts out;
  out.suspects = matches(text, "\n#  +[0-9]+\\. ([^ ]*)  ");
  out.steps = matches(text, "\n  echo step [0-9]+ of [0-9]+: ([^ ]*) in");
  out.values = matches(
      text, "\n  echo step [^\n]*\n(?:  echo the recorded run, with this line done: ([^\n]*)\\\\n\n)?");
  return out;
}

TEST_F(Formats, EveryFormatShowsTheSameFacts) {
  build(kCount);
  ASSERT_EQ(
      test::run({kBin + "/faultline", "record", "-q", "--alterable", "-o", "run.flr", "--", "./program", "5"},
                options_)
          .status,
      0);
  std::map<std::string, std::string> got;
  for (const char* format : {"json", "sarif", "html", "gdb", "text"}) {
    test::RunResult answer = ask({"explain", "run.flr"}, format);
    ASSERT_EQ(answer.status, 0) << format << answer.err;
    got[format] = answer.out;
  }
  Facts facts = factsOfJson(got["json"]);
  ASSERT_GE(facts.suspects.size(), 3u);
  ASSERT_GE(facts.steps.size(), 2u);
  for (auto& [format, said] : {std::pair{"sarif", factsOfSarif(got["sarif"])},
                               {"html", factsOfHtml(got["html"])},
                               {"gdb", factsOfGdb(got["gdb"])}}) {
    EXPECT_EQ(said.suspects, facts.suspects) << format;
    EXPECT_EQ(said.steps, facts.steps) << format;
    EXPECT_EQ(said.values, facts.values) << format << got[format];
  }
  // The terminal has the first five, and a value may stand on a line of its own.
  facts.suspects.resize(std::min<size_t>(5, facts.suspects.size()));
  std::string text = got["text"];
  size_t chain = text.find("From the first suspect");
  ASSERT_NE(chain, std::string::npos) << text;
  EXPECT_EQ(matches(text.substr(0, chain), "\n[0-9]\\. ([^ \n]*)"), facts.suspects) << text;
  EXPECT_EQ(matches(text.substr(chain), "\n +[0-9]+\\. ([^ \n]*)"), facts.steps) << text;
  for (const std::string& value : facts.values) EXPECT_THAT(text.substr(chain), HasSubstr(value));
}

// Where an importer such as CodeChecker's gets with it: the base and the name, one behind the other, as a
// path.
std::string pathOf(const json& run, const json& location) {
  const json& file = location.at("physicalLocation").at("artifactLocation");
  std::string uri = file.at("uri");
  if (file.contains("uriBaseId"))
    uri = run.at("originalUriBaseIds").at(file["uriBaseId"].get<std::string>()).at("uri").get<std::string>() +
          uri;
  return uri.starts_with("file://") ? uri.substr(7) : "";
}

// CodeChecker's importer resolves every location to a file, and takes rules, messages, lines and the steps of
// code flows; a step without a message it drops, and a base that it cannot resolve ends it.
TEST_F(Formats, SarifHasAllThatAnImporterNeeds) {
  build(kCount);
  for (const char* technique : {"explain", "causes", "critical"}) {
    test::RunResult got = ask({technique, "--", "./program", "5"}, "sarif");
    json run = json::parse(got.out).at("runs").at(0);
    std::set<std::string> rules;
    for (const json& rule : run.at("tool").at("driver").at("rules")) rules.insert(rule.at("id"));
    ASSERT_FALSE(run.at("results").empty()) << technique;
    size_t steps = 0;
    auto check = [&](const json& location) {
      EXPECT_TRUE(std::filesystem::is_regular_file(pathOf(run, location))) << location.dump(1);
      EXPECT_GT(location.at("physicalLocation").at("region").at("startLine"), 0);
    };
    for (const json& result : run["results"]) {
      EXPECT_TRUE(rules.contains(result.at("ruleId")));
      EXPECT_NE(result.at("message").at("text"), "");
      ASSERT_EQ(result.at("locations").size(), 1u);
      check(result["locations"][0]);
      for (const json& flow : result.value("codeFlows", json::array()))
        for (const json& thread : flow.at("threadFlows"))
          for (const json& step : thread.at("locations")) {
            EXPECT_NE(step.at("location").at("message").at("text"), "");
            check(step["location"]);
            ++steps;
          }
    }
    if (technique != std::string("critical"))
      EXPECT_GT(steps, 0u) << technique; // a decision leads nowhere else
  }
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

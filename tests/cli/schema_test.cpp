// docs/schema/faultline-1.schema.json: what every command prints with --json is as it says, and has nothing
// that it does not name.
#include "support/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace faultline::cli {
namespace {

using nlohmann::json;

const std::string kBin = FAULTLINE_BIN_DIR;
const std::string kSchema = FAULTLINE_SOURCE_DIR "/docs/schema/faultline-1.schema.json";

constexpr const char* kBrackets = R"(#include <stdio.h>
#include <stdlib.h>
static int depth;
static void open_one(void) { depth++; }
int main(int argc, char **argv) {
  int c, most = 0;
  while ((c = getchar()) != EOF) {
    if (c == '(') open_one();
    if (depth > most) most = depth;
  }
  if (most > 1) abort();
  printf("%d\n", most);
  return 0;
}
)";

class Schema : public ::testing::Test {
protected:
  test::TempDir dir_;
  test::RunOptions options_{.cwd = dir_.path(),
                            .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"XDG_DATA_HOME", dir_ / "data"}}};

  void SetUp() override {
    test::writeFile(dir_ / "program.c", kBrackets);
    test::writeFile(dir_ / "fails", "a(b(c\n");
    test::writeFile(dir_ / "passes", "a(bc\n");
    test::writeFile(dir_ / "right", "7\n");
    test::RunResult built = test::run({kBin + "/faultline-cc", "program.c", "-o", "program"}, options_);
    ASSERT_EQ(built.status, 0) << built.err;
    test::writeFile(dir_ / "wrong.c",
                    "int main(int n, char** v) { int a[2], i = n + 1; a[i] = 1; return 0; }\n");
    built = test::run({kBin + "/faultline-cc", "-g", "wrong.c", "-o", "wrong"}, options_);
    ASSERT_EQ(built.status, 0) << built.err;
  }
  // Of the command, to be looked at further.
  json check(std::vector<std::string> words, int status = 0) {
    std::string shown = testing::PrintToString(words);
    words.insert(words.begin(), kBin + "/faultline");
    words.insert(words.begin() + 2, {"--json", "--quiet"});
    test::RunResult got = test::run(words, options_);
    EXPECT_EQ(got.status, status) << shown << got.err;
    EXPECT_EQ(test::schemaErrors(got.out, kSchema, true), "") << shown << got.out.substr(0, 2000);
    return json::parse(got.out, nullptr, false);
  }
};

TEST_F(Schema, EveryCommandPrintsWhatItSays) {
  std::set<std::string> checked;
  auto ask = [&](const std::vector<std::string>& words, int status = 0) {
    json document = check(words, status);
    if (document.is_object()) checked.insert(document.value("technique", ""));
  };
  ask({"record", "--alterable", "--stdin", "fails", "-o", "run.flr", "--", "./program"});
  ask({"explain", "run.flr"});
  ask({"causes", "run.flr"});
  ask({"critical", "run.flr"});
  ask({"memory", "run.flr"});
  check({"memory", "--", "./wrong"});
  ask({"changes", "run.flr"});
  ask({"vary", "run.flr"});
  ask({"invariants", "--decisions", "--error-trace", "trace.c", "run.flr"});
  ask({"slice", "run.flr"});
  ask({"slice", "--relevant", "--at", "program.c:9:most", "run.flr"});
  ask({"slice", "--forward", "stdin", "run.flr"});
  ask({"origin", "--value", "most", "run.flr"});
  ask({"minimize", "run.flr"});
  ask({"minimize", "--isolate", "passes", "run.flr"});
  ask({"chop", "run.flr"});
  ask({"show", "--index", "--globals", "--frames", "all", "--print", "most", "run.flr"});
  ask({"show", "--at", "@20", "run.flr"});
  ask({"verify", "run.flr"});
  ask({"info", "run.flr"});
  ask({"record", "--children", "--stdin", "passes", "--", "./program"});
  ask({"list"});
  ask({"remove", "program-1"});
  ask({"cache"});
  ask({"cache", "--clean"});
  ask({"doctor"});
  // A command that nobody thought of here must not go unchecked.
  json schema = json::parse(test::readFile(kSchema));
  std::set<std::string> known = schema["properties"]["technique"]["enum"].get<std::set<std::string>>();
  EXPECT_EQ(checked, known);
  std::string help = test::run({kBin + "/faultline", "--help"}).out;
  std::istringstream lines(help.substr(std::min(help.find("Subcommands:"), help.size())));
  std::string line;
  std::getline(lines, line);
  for (; std::getline(lines, line) && line.starts_with("  ");) {
    std::string name = line.substr(2, line.find(' ', 2) - 2);
    if (name.empty() || name == "build" || name == "worker") continue; // print no document
    EXPECT_TRUE(known.contains(name)) << name << ": say what its document has in " << kSchema;
  }
}

TEST_F(Schema, FailuresOfOtherKindsAndRunsThatPass) {
  check({"explain", "--expect", "right", "--stdin", "passes", "--", "./program"});
  check({"show", "--expect-status", "4", "--stdin", "passes", "--", "./program"});
  for (const char* technique :
       {"explain", "causes", "critical", "changes", "vary", "slice", "origin", "invariants", "show"})
    check({technique, "--stdin", "passes", "--", "./program"}, 2);
}

TEST_F(Schema, ADocumentWithAMistakeIsNotValid) {
  json document = check({"show", "--stdin", "fails", "--", "./program"});
  document["stack"][0]["place"]["line"] = "seven";
  EXPECT_NE(test::schemaErrors(document.dump(), kSchema), "");
  document = check({"show", "--stdin", "fails", "--", "./program"});
  document["nobody_named_me"] = 1;
  EXPECT_EQ(test::schemaErrors(document.dump(), kSchema), "") << "later versions may add members";
  EXPECT_NE(test::schemaErrors(document.dump(), kSchema, true), "");
}

} // namespace
} // namespace faultline::cli

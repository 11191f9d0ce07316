// A search finds the same wherever its experiments are run, and does not run again what is known.
#include "support/run.h"
#include "support/slurm_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kBin = FAULTLINE_BIN_DIR;

constexpr const char* kProgram = R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  char text[100] = "";
  FILE *in = fopen(argv[1], "r");
  if (!in || !fgets(text, sizeof text, in)) return 0;
  if (strchr(text, 'x') && strstr(text, "42")) abort();
  return 0;
}
)";

class WhereExperimentsRun : public ::testing::Test {
protected:
  void SetUp() override {
    writeFile(dir_ / "p.c", kProgram);
    writeFile(dir_ / "in", "some text, and 42 of x");
    RunResult built = run({kBin + "/faultline-cc", "-g", "p.c", "-o", "p"}, {.cwd = dir_.path()});
    ASSERT_EQ(built.status, 0) << built.err;
    ASSERT_EQ(faultline({"record", "-o", "run.flr", "--", "./p", "in"}).status, 0);
  }
  RunResult faultline(std::vector<std::string> words) const {
    words.insert(words.begin(), kBin + "/faultline");
    return run(words, {.cwd = dir_.path(),
                       .env = {{"XDG_DATA_HOME", dir_ / "data"}, {"XDG_CACHE_HOME", dir_ / "cache"}}});
  }
  json minimize(std::vector<std::string> words) const {
    words.insert(words.begin(), {"minimize", "--json", "--output-input", dir_ / "small"});
    words.push_back("run.flr");
    std::filesystem::remove(dir_ / "small");
    RunResult answer = faultline(words);
    EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
    return json::parse(answer.out, nullptr, false);
  }
  TempDir dir_;
};

TEST_F(WhereExperimentsRun, WhatIsKnownIsNotRunAgain) {
  json first = minimize({});
  std::string small = readFile(dir_ / "small");
  EXPECT_EQ(small.size(), 3u);
  EXPECT_EQ(first["stats"]["from_cache"], 0);
  json second = minimize({});
  EXPECT_EQ(readFile(dir_ / "small"), small);
  EXPECT_GT(second["stats"]["from_cache"], 5);
  EXPECT_EQ(second["stats"]["verdicts"], first["stats"]["verdicts"]);
  EXPECT_EQ(minimize({"--no-cache"})["stats"]["from_cache"], 0);
}

TEST_F(WhereExperimentsRun, TheClusterFindsTheSame) {
  if (std::string why = SlurmCluster::whyNot(); !why.empty()) GTEST_SKIP() << why;
  json here = minimize({"--no-cache"});
  std::string small = readFile(dir_ / "small");
  SlurmCluster cluster;
  std::filesystem::create_directory(dir_ / "shared");
  json there = minimize({"--no-cache", "--executor", "slurm", "--shared", dir_ / "shared"});
  EXPECT_EQ(readFile(dir_ / "small"), small);
  EXPECT_EQ(there["stats"]["verdicts"], here["stats"]["verdicts"]);
  EXPECT_TRUE(there["confirmed"]);
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "shared"));
  EXPECT_EQ(SlurmCluster::tasks(), 0u);
}

TEST_F(WhereExperimentsRun, WithoutAClusterItSaysSo) {
  std::filesystem::create_directory(dir_ / "empty");
  RunResult answer =
      run({kBin + "/faultline", "minimize", "--executor", "slurm", "run.flr"},
          {.cwd = dir_.path(), .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"PATH", dir_ / "empty"}}});
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.err, HasSubstr("sinfo"));
}

} // namespace
} // namespace faultline::test

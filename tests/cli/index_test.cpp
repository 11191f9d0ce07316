// What is kept beside a recording: the second question about a long run is answered without replaying it,
// with the same answer, and whatever happens to the folder costs time only.
#include "support/run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kBin = FAULTLINE_BIN_DIR;

// About 70 million instructions, with some memory, then a crash.
constexpr const char* kLong = R"(#include <stdio.h>
#include <stdlib.h>
static unsigned table[5000];
static unsigned mix(unsigned x, int k) {
  unsigned i = x % 5000;
  table[i] += x ^ (unsigned)k;
  return x * 1664525u + 1013904223u + table[(i + 77) % 5000];
}
int main(int argc, char **argv) {
  unsigned x = 1;
  for (int k = 0; k < 2000000; k++) x = mix(x, k);
  printf("%u\n", x);
  return *(int *)(long)(argc - 1);
}
)";

class Index : public ::testing::Test {
protected:
  void SetUp() override {
    writeFile(dir / "long.c", kLong);
    ASSERT_EQ(run({kBin + "/faultline-cc", "-g", "long.c", "-o", "long"}, {.cwd = dir.path()}).status, 0);
    record();
  }
  void record() {
    RunResult r = faultline({"record", "-q", "-o", "run.flr", "--", "./long"});
    ASSERT_EQ(r.status, 0) << r.err;
  }
  RunResult faultline(std::vector<std::string> words, const std::string& size = "") {
    words.insert(words.begin(), kBin + "/faultline");
    return run(words, {.cwd = dir.path(),
                       .env = {{"XDG_DATA_HOME", dir / "data"},
                               {"XDG_CACHE_HOME", dir / "cache"},
                               {"NO_COLOR", "1"},
                               {"FAULTLINE_INDEX_SIZE", size}}});
  }
  json ask(std::vector<std::string> words, const std::string& size = "") {
    words.insert(words.begin(), {"show", "--json"});
    words.push_back("run.flr");
    RunResult r = faultline(words, size);
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    return json::parse(r.out, nullptr, false);
  }
  static uint64_t executed(const json& document) { return document["stats"]["executed"].get<uint64_t>(); }
  static json answer(json document) {
    document.erase("stats");
    return document;
  }
  const std::string kFile = "run.flr.index/checkpoints";
  TempDir dir;
};

TEST_F(Index, TheSecondQuestionReplaysAlmostNothing) {
  json first = ask({});
  uint64_t all = executed(first);
  ASSERT_GT(all, 50'000'000u);
  ASSERT_TRUE(fs::exists(dir / kFile));
  json second = ask({});
  EXPECT_EQ(executed(second), 0u);
  EXPECT_EQ(answer(second), answer(first));
  for (uint64_t part : {1, 3, 6, 9}) {
    std::string at = fmt::format("@{}", all / 10 * part);
    json quick = ask({"--at", at});
    EXPECT_LT(executed(quick), 12'000'000u);
    EXPECT_EQ(answer(quick), answer(ask({"--at", at}, "0"))) << at;
  }
  json back = ask({"--at", "@-30000000"});
  EXPECT_LT(executed(back), 12'000'000u);
}

TEST_F(Index, InstancesAreFoundByTheirNamesToo) {
  json first = ask({"--at", "@40000000"});
  ASSERT_TRUE(fs::exists(dir / kFile)) << "half of the run is worth keeping";
  std::string instance = first["instance"].get<std::string>();
  json second = ask({"--at", instance.substr(0, instance.find(' '))});
  EXPECT_EQ(answer(second), answer(first));
  EXPECT_LT(executed(second), 12'000'000u);
  std::string epoch = instance.substr(0, instance.find(':'));
  RunResult none = faultline({"show", "--at", epoch + ":4000000000", "run.flr"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("has no instance"));
  // What goes further extends it.
  ask({});
  EXPECT_EQ(executed(ask({})), 0u);
  EXPECT_LT(executed(ask({"--at", "@30000000"})), 12'000'000u);
}

TEST_F(Index, VerifyTakesNobodysWordButLeavesCheckpoints) {
  for (int k = 0; k < 2; ++k) {
    RunResult r = faultline({"verify", "--json", "run.flr"});
    ASSERT_EQ(r.status, 0) << r.out;
    EXPECT_GT(json::parse(r.out)["stats"]["instructions"], 50'000'000);
    EXPECT_GT(json::parse(r.out)["stats"]["executed"], 50'000'000);
  }
  EXPECT_EQ(executed(ask({})), 0u);
}

TEST_F(Index, ADamagedOneIsMadeAgain) {
  json first = ask({});
  std::string good = readFile(dir / kFile);
  std::vector<std::string> bad;
  for (size_t at = 3; at < good.size(); at += good.size() / 12 + 1) {
    bad.push_back(good);
    bad.back()[at] = char(bad.back()[at] ^ 0x41);
  }
  bad.push_back(good.substr(0, good.size() / 2));
  bad.push_back(good.substr(0, 20));
  bad.push_back("");
  bad.push_back(good + "x");
  for (const std::string& text : bad) {
    writeFile(dir / kFile, text);
    json again = ask({});
    EXPECT_EQ(answer(again), answer(first));
    json middle = ask({"--at", "@33000000"});
    EXPECT_TRUE(middle.is_object());
  }
  writeFile(dir / kFile, "nothing of ours");
  ask({});
  EXPECT_EQ(executed(ask({})), 0u);
}

// The same slice, whether windows of the run are passed over or not.
TEST_F(Index, TheNextSlicePassesOverWhatDoesNotMatter) {
  writeFile(dir / "quiet.c", R"(
static unsigned table[64];
static int wanted;
static void work(unsigned n) {
  for (unsigned k = 0; k < n; k++) table[k % 64] += k;
}
int main(int argc, char **argv) {
  wanted = argc - 1;
  work(1000000);
  return *(int *)(long)wanted;
}
)");
  ASSERT_EQ(run({kBin + "/faultline-cc", "-g", "quiet.c", "-o", "quiet"}, {.cwd = dir.path()}).status, 0);
  ASSERT_EQ(faultline({"record", "-q", "-o", "run.flr", "--", "./quiet"}).status, 0);
  auto slice = [&](const std::string& size = "") {
    RunResult r = faultline({"slice", "--json", "run.flr"}, size);
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    return json::parse(r.out, nullptr, false);
  };
  auto traced = [](const json& document) { return document["stats"]["traced"].get<uint64_t>(); };
  json first = slice();
  EXPECT_GT(traced(first), 10'000'000u);
  const std::string file = "run.flr.index/windows";
  ASSERT_TRUE(fs::exists(dir / file));
  json second = slice();
  EXPECT_EQ(answer(second), answer(first));
  EXPECT_LT(traced(second), 2'000'000u);
  EXPECT_EQ(second["stats"]["walked"], first["stats"]["walked"]);
  ASSERT_EQ(first["statements"].size(), 3u) << "argc, wanted, and where it crashed";
  EXPECT_EQ(first["statements"][1]["line"], 8);
  // None may be kept; one that is damaged or lost is the same as none, and is made again.
  std::string good = readFile(dir / file);
  EXPECT_EQ(answer(slice("0")), answer(first));
  for (size_t at : {size_t(9), size_t(70), good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ 0x20);
    writeFile(dir / file, bad);
    json again = slice();
    EXPECT_EQ(answer(again), answer(first)) << at;
    EXPECT_EQ(traced(again), traced(first)) << at;
  }
  fs::remove_all(dir / "run.flr.index");
  EXPECT_EQ(answer(slice()), answer(first));
  EXPECT_LT(traced(slice()), 2'000'000u);
}

TEST_F(Index, AnotherRunsIsNotUsed) {
  ask({});
  fs::copy(dir / "run.flr.index", dir / "old");
  record();
  EXPECT_FALSE(fs::exists(dir / "run.flr.index")) << "it was of the recording that had this name";
  fs::copy(dir / "old", dir / "run.flr.index");
  EXPECT_GT(executed(ask({})), 50'000'000u);
}

TEST_F(Index, WithoutAPlaceToWriteThereIsNone) {
  writeFile(dir / "run.flr.index", "a file where the folder should be");
  json first = ask({});
  EXPECT_EQ(answer(ask({})), answer(first));
  EXPECT_EQ(readFile(dir / "run.flr.index"), "a file where the folder should be");
  fs::remove(dir / "run.flr.index");
  ask({}, "0");
  EXPECT_FALSE(fs::exists(dir / "run.flr.index"));
  // With little room there is less in it.
  ask({}, "40K");
  if (fs::exists(dir / kFile)) {
    EXPECT_LT(fs::file_size(dir / kFile), 41'000u);
  }
}

TEST_F(Index, TwoAtOnceDoNoHarm) {
  std::string show = kBin + "/faultline show --json run.flr";
  RunResult r = run({"sh", "-c", fmt::format("{0} >a & {0} >b & {0} >c & wait", show)},
                    {.cwd = dir.path(), .env = {{"XDG_CACHE_HOME", dir / "cache"}}});
  ASSERT_EQ(r.status, 0) << r.err;
  json a = json::parse(readFile(dir / "a")), b = json::parse(readFile(dir / "b"));
  EXPECT_EQ(answer(a), answer(b));
  EXPECT_EQ(executed(ask({})), 0u);
  size_t files = 0;
  for (auto& entry : fs::directory_iterator(dir / "run.flr.index")) files += entry.exists();
  EXPECT_EQ(files, 1u) << "no part is left behind";
}

TEST_F(Index, IsShownAndGoesWithTheRecording) {
  ask({});
  EXPECT_THAT(faultline({"info", "run.flr"}).out, HasSubstr("checkpoints"));
  json info = json::parse(faultline({"info", "--json", "run.flr"}).out);
  EXPECT_EQ(info["index"][0]["name"], "checkpoints");
  EXPECT_GT(json::parse(faultline({"list", "--json", "."}).out)["recordings"][0]["indexBytes"], 1000);
  RunResult wrong = faultline({"remove", "run.flr", "long.c"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_TRUE(fs::exists(dir / "run.flr")) << "one of them is no recording: nothing is removed";
  EXPECT_EQ(faultline({"remove", "run.flr"}).status, 0);
  EXPECT_FALSE(fs::exists(dir / "run.flr"));
  EXPECT_FALSE(fs::exists(dir / "run.flr.index"));
}

} // namespace
} // namespace faultline::test

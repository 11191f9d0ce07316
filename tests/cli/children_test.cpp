// `--children`: forked children get recordings of their own, which replay by themselves from the start of the
// program. The program is tests/programs/parts/children.c.
#include "support/run.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

const std::string kBin = FAULTLINE_BIN_DIR;

class ForkedChildren : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    shared_ = new TempDir;
    RunResult built =
        run({kBin + "/faultline-cc", "-g", "-pthread",
             std::string(FAULTLINE_SOURCE_DIR) + "/tests/programs/parts/children.c", "-o", program()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  static void TearDownTestSuite() { delete shared_; }
  static std::string program() { return *shared_ / "program"; }

  RunResult faultline(Words words) {
    words.insert(words.begin(), kBin + "/faultline");
    return run(words, {.cwd = dir.path(),
                       .env = {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", *shared_ / "cache"}},
                       .timeout = std::chrono::seconds(60)});
  }

  json record(const std::string& way, Words options = {"--children"}) {
    Words words = {"record", "--json", "-o", "run.flr"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", program(), way});
    RunResult r = faultline(words);
    EXPECT_EQ(r.status, 0) << r.err;
    return json::parse(r.out);
  }

  // "1:SIGSEGV", "2:exit 3"
  static std::vector<std::string> ends(const json& document) {
    std::vector<std::string> list;
    for (const json& child : document["children"]["kept"]) {
      const json& end = child["end"];
      list.push_back(child["number"].get<std::string>() + ":" +
                     (end["timedOut"] == true  ? "hang"
                      : end.contains("signal") ? end["signal"].get<std::string>()
                                               : "exit " + std::to_string(end["status"].get<int>())));
    }
    return list;
  }

  void expectAllExact() {
    int count = 0;
    for (auto& entry : fs::directory_iterator(dir.path())) {
      if (entry.path().extension() != ".flr") {
        EXPECT_EQ(entry.path().string().find(".part-"), std::string::npos) << "left behind: " << entry.path();
        continue;
      }
      RunResult r = faultline({"verify", entry.path()});
      EXPECT_EQ(r.status, 0) << entry.path() << r.out << r.err;
      ++count;
    }
    EXPECT_GT(count, 0);
  }

  TempDir dir;
  static TempDir* shared_;
};
TempDir* ForkedChildren::shared_;

TEST_F(ForkedChildren, AreLeftAloneUnlessAskedFor) {
  RunResult r = faultline({"record", "-o", "run.flr", "--", program(), "many"});
  EXPECT_THAT(r.err, HasSubstr("forked 30 children, not recorded; use --children"));
  EXPECT_FALSE(fs::exists(dir / "run.child-1.flr"));
  expectAllExact();
}

TEST_F(ForkedChildren, OfADaemonOutliveItAndCloseWhatTheyFind) {
  EXPECT_THAT(ends(record("by-hand")), ElementsAre("1:exit 0", "1.1:SIGSEGV"));
  EXPECT_THAT(faultline({"show", "run.child-1.1.flr"}).out, HasSubstr("where p is NULL) in readThrough()"));
  EXPECT_THAT(faultline({"info", "run.child-1.1.flr"}).out, HasSubstr("of run.flr"));
  expectAllExact();
}

TEST_F(ForkedChildren, OfLibcsDaemon) {
  EXPECT_THAT(ends(record("by-libc")), ElementsAre("1:SIGSEGV"));
  expectAllExact();
}

TEST_F(ForkedChildren, ThatBecomeOtherProgramsAreNotKept) {
  json document = record("replace");
  EXPECT_THAT(ends(document), ElementsAre("2:exit 127"));
  EXPECT_EQ(document["children"]["replaced"], 2);
  expectAllExact();
}

TEST_F(ForkedChildren, ThatAreKilledReplayUpToThere) {
  json document = record("kill");
  EXPECT_THAT(ends(document), ElementsAre("1:SIGKILL"));
  EXPECT_THAT(document["children"]["kept"][0]["caveats"].dump(), HasSubstr("did not close its log"));
  expectAllExact();
}

TEST_F(ForkedChildren, OfAProgramWithThreadsHaveOneAndMakeMore) {
  EXPECT_THAT(ends(record("threads")), ElementsAre("1:exit 40", "1.1:SIGABRT"));
  expectAllExact();
}

TEST_F(ForkedChildren, ThatFailAreKeptBeforeThoseThatDoNot) {
  json document = record("many", {"--children=3"});
  auto kept = ends(document);
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[2], "28:SIGSEGV");
  EXPECT_EQ(document["children"]["dropped"], 27);
  expectAllExact();
}

TEST_F(ForkedChildren, ThatHangAreEndedByTheTimeLimit) {
  EXPECT_THAT(ends(record("hang", {"--children", "--timeout", "0.5"})), ElementsAre("1:hang"));
}

TEST_F(ForkedChildren, BeginWithAllThatTheirParentHadLogged) {
  EXPECT_THAT(ends(record("large")), ElementsAre("1:exit 3"));
  EXPECT_GT(fs::file_size(dir / "run.child-1.flr"), 0u);
  expectAllExact();
}

TEST_F(ForkedChildren, AreWhatAQuestionIsAboutIfOnlyTheyFail) {
  RunResult r = faultline({"show", "--children", "--", program(), "many"});
  EXPECT_THAT(r.out, HasSubstr("in readThrough()"));
  EXPECT_THAT(r.err, HasSubstr("child 28"));
}

} // namespace
} // namespace faultline::test

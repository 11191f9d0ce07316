// A recorder that is killed leaves its file without an end. `list` says so, the reading commands take it as
// far as it goes, `remove` removes it, and the next `record` makes a recording of it.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const std::string kBin = FAULTLINE_BIN_DIR;

class Leftover : public ::testing::Test {
protected:
  void SetUp() override {
    writeFile(dir / "long.c", R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  unsigned long sum = 0;
  char text[200];
  for (long k = 0; argc > 1 || k < 10; k++) {
    snprintf(text, sizeof text, "%ld %lu", k, sum * 2654435761u);
    for (int i = 0; text[i]; i++) sum = sum * 31 + text[i];
  }
  printf("%lu\n", sum);
  return 0;
}
)");
    ASSERT_EQ(run({kBin + "/faultline-cc", "-g", dir / "long.c", "-o", dir / "long"}).status, 0);
    ASSERT_EQ(faultline({"record", "-q", "-o", dir / "first.flr", "--", dir / "long"}).status,
              0); // the variant
  }

  RunResult faultline(std::vector<std::string> words) {
    words.insert(words.begin(), kBin + "/faultline");
    return run(words, world());
  }
  RunOptions world() const {
    return {.cwd = dir.path(), .env = {{"XDG_CACHE_HOME", dir / "cache"}, {"XDG_DATA_HOME", dir / "data"}}};
  }

  // Records the endless run, and kills the recorder once some of the log is in the file. `before` is run
  // while it still lives.
  RunResult killRecorder(const std::string& before = ":") {
    std::string script = R"(
      "$1" record -q -- "$2" forever &
      recorder=$!
      for i in $(seq 600); do
        size=$(cat "$3"/*.part-* 2>/dev/null | wc -c)
        [ "$size" -gt 200000 ] && break
        sleep 0.1
      done
      eval "$4"
      kill -9 $recorder
      wait $recorder 2>/dev/null
      true)";
    return run({"/bin/sh", "-c", script, "sh", kBin + "/faultline", dir / "long", recordings(), before},
               world());
  }
  std::string recordings() const { return dir / "data/faultline/recordings"; }
  json list() { return json::parse(faultline({"list", "--json"}).out)["recordings"]; }

  TempDir dir;
};

TEST_F(Leftover, IsSaidReadAndRemoved) {
  RunResult live = killRecorder("\"$1\" list");
  EXPECT_THAT(live.out, HasSubstr("is being recorded"));
  json all = list();
  ASSERT_EQ(all.size(), 1u) << all.dump(1);
  EXPECT_EQ(all[0]["leftover"], true);
  std::string name = all[0]["name"];
  EXPECT_THAT(faultline({"list"}).out, HasSubstr("left by a recorder that was killed"));
  // It was killed between two chunks, or while it was writing one.
  EXPECT_THAT(faultline({"info", name}).out, AnyOf(HasSubstr("the recorder did not come to its end"),
                                                   HasSubstr("the recording is cut off")));
  RunResult verified = faultline({"verify", name});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  // It is not taken for the latest run.
  EXPECT_EQ(faultline({"info"}).status, 1);
  EXPECT_EQ(faultline({"remove", name}).status, 0);
  EXPECT_EQ(list().size(), 0u);
}

TEST_F(Leftover, BecomesARecordingWithTheNextOne) {
  killRecorder();
  RunResult next = faultline({"record", "--", dir / "long"});
  EXPECT_EQ(next.status, 0) << next.err;
  EXPECT_THAT(next.err, HasSubstr("an earlier recorder was killed; what it had is now"));
  json all = list();
  ASSERT_EQ(all.size(), 2u) << all.dump(1);
  for (const json& one : all) EXPECT_FALSE(one.contains("leftover")) << one.dump(1);
  RunResult verified = faultline({"verify", recordings() + "/long-1.flr"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_THAT(faultline({"info", "long-1"}).out, HasSubstr("cut off"));
}

} // namespace
} // namespace faultline::test

// Shared objects that a program opens by itself: built by us they are recorded and replayed like the program,
// built by others they are outside. The sources are tests/programs/parts/plugin*.c.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

const std::string kBin = FAULTLINE_BIN_DIR;
const std::string kParts = std::string(FAULTLINE_SOURCE_DIR) + "/tests/programs/parts/";

class Plugins : public ::testing::Test {
protected:
  void SetUp() override {
    build({kBin + "/faultline-cc", "-g", "-rdynamic", kParts + "plugin_host.c", "-o", "host", "-ldl",
           "-Wl,-rpath," + dir.path() + "/found"});
  }
  void build(const Words& words) {
    RunResult built = run(words, {.cwd = dir.path()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  void buildPlugin(const std::string& compiler, const std::string& file) {
    std::filesystem::create_directories(std::filesystem::path(dir / file).parent_path());
    build({compiler, "-g", "-shared", "-fPIC", kParts + "plugin.c", "-o", file});
  }
  RunResult faultline(Words words) {
    words.insert(words.begin(), kBin + "/faultline");
    return run(words, {.cwd = dir.path(), .env = {{"XDG_CACHE_HOME", dir / "cache"}}});
  }
  RunResult record(Words words, const Words& options = {}) {
    Words all = {"record", "-q", "-o", "run.flr"};
    all.insert(all.end(), options.begin(), options.end());
    all.insert(all.end(), {"--", "./host"});
    all.insert(all.end(), words.begin(), words.end());
    RunResult r = faultline(all);
    EXPECT_EQ(r.status, 0) << r.err;
    return r;
  }
  void expectExact(const std::string& file = "run.flr") {
    RunResult r = faultline({"verify", file});
    EXPECT_EQ(r.status, 0) << r.out << r.err;
  }

  TempDir dir;
};

TEST_F(Plugins, BuiltByUsAreInside) {
  buildPlugin(kBin + "/faultline-cc", "plugin.so");
  RunResult expected = run({dir / "host", "./plugin.so"}, {.cwd = dir.path()});
  EXPECT_EQ(record({"./plugin.so"}).out, expected.out);
  expectExact();
  record({"./plugin.so", "crash"});
  expectExact();
  EXPECT_THAT(faultline({"show", "run.flr"}).out, HasSubstr("where s is NULL) in pluginCrash()"));
  EXPECT_THAT(faultline({"info", "run.flr"}).out, HasSubstr("plugin.so"));
}

TEST_F(Plugins, AreFoundByNameOnTheProgramsSearchPath) {
  buildPlugin(kBin + "/faultline-cc", "found/plugin-by-name.so");
  record({"plugin-by-name.so", "crash"});
  expectExact();
  EXPECT_THAT(faultline({"show", "run.flr"}).out, HasSubstr("in pluginCrash()"));
}

TEST_F(Plugins, BuiltByOthersAreOutside) {
  buildPlugin("clang-19", "plugin.so");
  RunResult expected = run({dir / "host", "./plugin.so"}, {.cwd = dir.path()});
  EXPECT_EQ(record({"./plugin.so"}).out, expected.out);
  expectExact();
  record({"./plugin.so", "crash"});
  expectExact();
  EXPECT_THAT(faultline({"show", "run.flr"}).out, Not(HasSubstr("in pluginCrash()")));
}

TEST_F(Plugins, OfAForkedChild) {
  buildPlugin(kBin + "/faultline-cc", "plugin.so");
  record({"./plugin.so", "fork"}, {"--children"});
  expectExact();
  expectExact("run.child-1.flr");
  EXPECT_THAT(faultline({"show", "run.child-1.flr"}).out, HasSubstr("in pluginCrash()"));
}

TEST_F(Plugins, AreMadeAnewFromWhatTheProgramOpened) {
  buildPlugin(kBin + "/faultline-cc", "plugin.so");
  record({"./plugin.so"});
  std::filesystem::remove_all(dir / "cache");
  expectExact();
  std::filesystem::remove_all(dir / "cache");
  std::filesystem::remove(dir / "plugin.so");
  RunResult r = faultline({"verify", "run.flr"});
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, HasSubstr("plugin.so, which the program opened, is gone"));
}

} // namespace
} // namespace faultline::test

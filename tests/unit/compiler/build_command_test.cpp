#include "compiler/build_command.h"

#include "support/environment.h"
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::compiler {
namespace {

using ::testing::HasSubstr;

class BuildCommand : public ::testing::Test {
protected:
  int build(const std::string& script) {
    std::vector<std::string> command = {"sh", "-c", "cd " + dir.path() + " && " + script};
    auto status = runBuild(command);
    EXPECT_TRUE(status) << status.error().message;
    return status ? *status : -1;
  }

  test::TempDir dir;
  test::ScopedVariable cache{"XDG_CACHE_HOME", dir / "cache"};
};

TEST_F(BuildCommand, SetsTheCompilersByVariableAndByName) {
  ASSERT_EQ(build("echo $CC $CXX > variables; for n in gcc g++ clang cc; do command -v $n; done > names"), 0);
  EXPECT_THAT(test::readFile(dir / "variables"), HasSubstr("/faultline-cc "));
  EXPECT_THAT(test::readFile(dir / "variables"), HasSubstr("/faultline-c++\n"));
  std::string at = dir / "cache/faultline/compilers/";
  EXPECT_EQ(test::readFile(dir / "names"), at + "gcc\n" + at + "g++\n" + at + "clang\n" + at + "cc\n");
}

TEST_F(BuildCommand, AScriptThatCallsGccGetsAProgramWithIr) {
  test::writeFile(dir / "a.c", "int main(void) { return 0; }");
  test::writeFile(dir / "b.cpp", "#include <string>\nint main() { return std::string().size(); }");
  ASSERT_EQ(build("gcc a.c -o a && g++ b.cpp -o b"), 0);
  for (const char* program : {"a", "b"})
    EXPECT_THAT(test::run({"readelf", "-SW", dir / program}).out, HasSubstr(".faultline_ir")) << program;
}

TEST_F(BuildCommand, ReturnsTheStatusOfTheBuild) {
  EXPECT_EQ(build("exit 7"), 7);
  EXPECT_EQ(build("kill -KILL $$"), 128 + 9);
  EXPECT_FALSE(runBuild({}));
}

} // namespace
} // namespace faultline::compiler

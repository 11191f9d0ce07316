#include "base/process.h"

#include <csignal>
#include <gtest/gtest.h>

namespace faultline {
namespace {

using namespace std::chrono_literals;

TEST(Process, PassesWordsWithoutAShell) {
  auto r = runCommand({.argv = {"printf", "%s|", "a b", "$HOME", "'"}});
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->ok());
  EXPECT_EQ(r->out, "a b|$HOME|'|");
}

TEST(Process, CapturesMoreThanAPipeHoldsOnBothStreams) {
  auto r = runCommand({.argv = {"sh", "-c", "head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2"}});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->out.size(), 300000u);
  EXPECT_EQ(r->err.size(), 200000u);
}

TEST(Process, InputThatIsNeverReadDoesNoHarm) {
  auto r = runCommand({.argv = {"true"}, .input = std::string(1 << 20, 'x')});
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->ok());
}

TEST(Process, HasNoInputUnlessGivenOne) {
  auto r = runCommand({.argv = {"cat"}});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->out, "");
}

TEST(Process, TellsAFailingCommandFromAMissingOne) {
  auto failing = runCommand({.argv = {"sh", "-c", "exit 7"}});
  ASSERT_TRUE(failing);
  EXPECT_EQ(failing->status, 7);
  auto missing = runCommand({.argv = {"faultline-no-such-command"}});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("faultline-no-such-command"), std::string::npos);
}

TEST(Process, KillsAtTheTimeLimitWithAllThatWasStarted) {
  auto r = runCommand({.argv = {"sh", "-c", "echo begun; sleep 60 & sleep 60"}, .timeout = 200ms});
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->timedOut);
  EXPECT_EQ(r->signal, SIGKILL);
  EXPECT_EQ(r->out, "begun\n");
}

TEST(Process, TimeLimitHoldsForACommandThatClosedItsOutput) {
  auto r = runCommand({.argv = {"sh", "-c", "exec sleep 60 >&- 2>&-"}, .timeout = 200ms});
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->timedOut);
}

TEST(Process, ReplacesAVariableOfTheEnvironment) {
  auto r = runCommand({.argv = {"sh", "-c", "env | grep ^LANG="}, .environment = {{"LANG", "test"}}});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->out, "LANG=test\n");
}

} // namespace
} // namespace faultline

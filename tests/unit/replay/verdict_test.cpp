#include "replay/verdict.h"

#include <csignal>
#include <gtest/gtest.h>

namespace faultline::replay {
namespace {

recording::End exited(int status) {
  recording::End end;
  end.waitStatus = status << 8;
  return end;
}

Verdict judged(const Outcome& outcome, const recording::Expectation& expectation = {}) {
  auto verdict = judge(outcome, expectation);
  EXPECT_TRUE(verdict) << (verdict ? "" : verdict.error().message);
  return verdict ? *verdict : Verdict{};
}

TEST(Verdict, ByDefaultStatusAndSignalsCount) {
  EXPECT_FALSE(judged({exited(0), {}, {}, {}}).failed());
  EXPECT_EQ(judged({exited(3), {}, {}, {}}).kind, Verdict::Status);
  recording::End killed;
  killed.waitStatus = SIGSEGV;
  EXPECT_EQ(judged({killed, {}, {}, {}}).kind, Verdict::Crashed);
  EXPECT_FALSE(judged({killed, {}, {}, {}}, {.status = 128 + SIGSEGV}).failed());
  killed.timedOut = true;
  EXPECT_EQ(judged({killed, {}, {}, {}}).kind, Verdict::Hung);
}

TEST(Verdict, AnExpectedStatusIsTheOnlyRightOne) {
  EXPECT_FALSE(judged({exited(3), {}, {}, {}}, {.status = 3}).failed());
  Verdict v = judged({exited(0), {}, {}, {}}, {.status = 3});
  EXPECT_EQ(v.kind, Verdict::WrongStatus);
  EXPECT_EQ(v.text, "Wrong exit status: 0, expected 3");
}

TEST(Verdict, TheFirstWrongByte) {
  Verdict v = judged({exited(1), "12\n7\n", "", {}}, {.output = "12\n8\n"});
  EXPECT_EQ(v.kind, Verdict::WrongOutput);
  EXPECT_EQ(v.text, "Wrong output: byte 4 of standard output (line 2) is \"7\", expected \"8\"");
  EXPECT_EQ(v.difference->offset, 3u);
  EXPECT_EQ(v.difference->gotLine, "7");
  EXPECT_EQ(v.difference->expectedLine, "8");
  EXPECT_EQ(judged({exited(1), "same", "", {}}, {.output = "same"}).kind, Verdict::Status);
  EXPECT_FALSE(judge({exited(0), {}, {}, {}}, {.output = "x"})) << "nothing was captured";
}

TEST(Verdict, OutputThatEndsEarlyOrGoesOn) {
  auto missing = firstDifference("a\nb", "a\nb\n");
  EXPECT_EQ(missing->kind, OutputDifference::Missing);
  EXPECT_EQ(missing->offset, 3u);
  EXPECT_EQ(missing->expected, "\n");
  EXPECT_EQ(missing->expectedLine, "b");
  auto extra = firstDifference("a\nb\n", "a\n");
  EXPECT_EQ(extra->kind, OutputDifference::Extra);
  EXPECT_EQ(extra->line, 2u);
  EXPECT_EQ(extra->gotLine, "b");
  EXPECT_EQ(extra->expectedLine, "");
  EXPECT_FALSE(firstDifference("", ""));
  EXPECT_EQ(firstDifference("", "x")->line, 1u);
}

TEST(Verdict, AnOracleMaySayWhatItExpected) {
  Outcome outcome{exited(0), "1\n2\n", "", {}};
  EXPECT_FALSE(judged(outcome, {.oracle = "grep -q 2 $FAULTLINE_STDOUT"}).failed());
  Verdict v = judged(outcome, {.oracle = "printf '1\\n3\\n'; exit 1"});
  EXPECT_EQ(v.kind, Verdict::WrongOutput);
  EXPECT_EQ(v.difference->offset, 2u);
  v = judged(outcome, {.oracle = "echo something else; exit 1"});
  EXPECT_EQ(v.kind, Verdict::Rejected);
  EXPECT_EQ(v.text, "The oracle rejects the run: something else");
  EXPECT_FALSE(judge(outcome, {.oracle = "/no/such/command"}));
}

TEST(Verdict, BytesAreQuoted) { EXPECT_EQ(quotedBytes("a\"\n\x01\xff"), "\"a\\\"\\n\\x01\\xff\""); }

} // namespace
} // namespace faultline::replay

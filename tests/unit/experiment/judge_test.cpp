#include "experiment/judge.h"
#include "experiment/stability.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::experiment {
namespace {

using ::testing::HasSubstr;

Ending crash(int signal, uint64_t site, uint64_t counter) {
  Ending ending;
  ending.waitStatus = signal;
  ending.site = site;
  ending.counter = counter;
  return ending;
}
Ending exitWith(int status, uint64_t site = 1, std::string output = {}) {
  Ending ending;
  ending.waitStatus = status << 8;
  ending.site = site;
  ending.output = std::move(output);
  return ending;
}
Ending cut(Ending::Cut why) {
  Ending ending = crash(SIGKILL, 0, 0);
  ending.cut = why;
  return ending;
}
Judge judgeOf(const Ending& original, recording::Expectation expectation = {}) {
  auto judge = Judge::create(std::move(expectation), original, "/");
  if (!judge) throw std::runtime_error(judge.error().message);
  return *judge;
}
Verdict verdict(const Judge& judge, const Ending& ending) {
  auto verdict = judge.judge(ending);
  if (!verdict) throw std::runtime_error(verdict.error().message);
  return *verdict;
}

TEST(Judge, ACrashIsTheSameOnlyAtTheSamePlace) {
  Judge judge = judgeOf(crash(SIGSEGV, 0, 0x4000));
  EXPECT_EQ(verdict(judge, crash(SIGSEGV, 0, 0x4000)), Verdict::SameFailure);
  EXPECT_EQ(verdict(judge, crash(SIGSEGV, 0, 0x4004)), Verdict::OtherFailure);
  EXPECT_EQ(verdict(judge, crash(SIGBUS, 0, 0x4000)), Verdict::OtherFailure);
  EXPECT_EQ(verdict(judge, crash(SIGSEGV, 7, 0x4000)), Verdict::OtherFailure);
  EXPECT_EQ(verdict(judge, exitWith(0)), Verdict::Passed);
  EXPECT_EQ(verdict(judge, exitWith(1)), Verdict::OtherFailure);
}

// Code that may be altered is there twice; of its copy the instruction is known.
TEST(Judge, ACrashInACopyIsTheSameAtTheSameInstruction) {
  Ending original = crash(SIGSEGV, 0, 0x4000);
  original.instruction = 31;
  Judge judge = judgeOf(original);
  Ending inCopy = crash(SIGSEGV, 0, 0x8000);
  EXPECT_EQ(verdict(judge, inCopy), Verdict::OtherFailure);
  inCopy.instruction = 31;
  EXPECT_EQ(verdict(judge, inCopy), Verdict::SameFailure);
  inCopy.instruction = 32;
  EXPECT_EQ(verdict(judge, inCopy), Verdict::OtherFailure);
  // Where the original's is not known, nothing is the same by it.
  inCopy.instruction = 0;
  EXPECT_EQ(verdict(judgeOf(crash(SIGSEGV, 0, 0x4000)), inCopy), Verdict::OtherFailure);
}

TEST(Judge, InALibraryTheCallIsThePlace) {
  Judge judge = judgeOf(crash(SIGABRT, 12, 0x7f00));
  EXPECT_EQ(verdict(judge, crash(SIGABRT, 12, 0x7f44)), Verdict::SameFailure);
  EXPECT_EQ(verdict(judge, crash(SIGABRT, 13, 0x7f00)), Verdict::OtherFailure);
}

TEST(Judge, MoreOfTheOutputMayBeRightThanItWas) {
  Judge judge = judgeOf(exitWith(0, 1, "a\nx\nc\ny\n"), {.output = "a\nb\nc\nd\n"});
  auto progress = [&](const std::string& output) { return judge.progress(exitWith(0, 1, output)); };
  EXPECT_DOUBLE_EQ(progress("a\nb\nc\ny\n"), 4.0 / 6);
  EXPECT_DOUBLE_EQ(progress("a\nb"), 1.0 / 6);
  EXPECT_EQ(progress("a\nz\nc\nd\n"), 0); // wrong in the same line
  EXPECT_EQ(progress("q\nb\nc\nd\n"), 0); // and before it
  EXPECT_EQ(progress("a\nx\nc\ny\n"), 0);
  EXPECT_LT(progress("a\nb\nc\nd\ntoo much"), 1);
  EXPECT_EQ(judge.progress(cut(Ending::Time)), 0);
}

TEST(Judge, WithoutAnExpectedOutputNothingIsMoreRight) {
  EXPECT_EQ(judgeOf(exitWith(1)).progress(exitWith(1, 1, "more")), 0);
  // The status is wrong, not the output.
  EXPECT_EQ(judgeOf(exitWith(1, 1, "a\n"), {.output = "a\n", .status = 0}).progress(exitWith(1, 1, "a\n")),
            0);
}

TEST(Judge, WhereTheRunCrashedAnOrderlyEndIsToldFromOtherFailures) {
  Judge judge = judgeOf(crash(SIGSEGV, 0, 0x4000));
  EXPECT_EQ(judge.orderlyEnd(exitWith(2)), 2);
  EXPECT_EQ(verdict(judge, exitWith(2)), Verdict::OtherFailure); // it does not pass all the same
  EXPECT_EQ(judge.orderlyEnd(exitWith(0)), std::nullopt);        // that is to pass
  EXPECT_EQ(judge.orderlyEnd(crash(SIGABRT, 7, 0)), std::nullopt);
  EXPECT_EQ(judge.orderlyEnd(cut(Ending::Time)), std::nullopt);
}

TEST(Judge, WhereSomebodySaidHowItShouldEndNoOtherEndIsInOrder) {
  EXPECT_EQ(judgeOf(crash(SIGSEGV, 0, 0x4000), {.status = 1}).orderlyEnd(exitWith(2)), std::nullopt);
  EXPECT_EQ(judgeOf(crash(SIGSEGV, 0, 0x4000), {.output = "a"}).orderlyEnd(exitWith(2)), std::nullopt);
  EXPECT_EQ(judgeOf(exitWith(1)).orderlyEnd(exitWith(2)), std::nullopt); // a status was the failure
}

TEST(Judge, TheRightStatusWithTheSameComplaintIsToldFromOthers) {
  auto complaining = [](int status, uint64_t bytes) {
    Ending ending = exitWith(status);
    ending.errorBytes = bytes;
    return ending;
  };
  Judge judge = judgeOf(complaining(1, 30));
  EXPECT_TRUE(judge.complains(complaining(0, 30)));
  EXPECT_FALSE(judge.complains(complaining(0, 0)));
  EXPECT_FALSE(judge.complains(complaining(0, 12)));
  EXPECT_FALSE(judgeOf(complaining(1, 0)).complains(complaining(0, 0))); // nobody has said anything
  EXPECT_FALSE(judgeOf(complaining(0, 30), {.status = 2}).complains(complaining(2, 30))); // as it should
  Ending crashed = crash(SIGSEGV, 0, 0x4000);
  crashed.errorBytes = 30; // what was said before says nothing of the crash
  EXPECT_FALSE(judgeOf(crashed).complains(complaining(0, 30)));
}

Ending counted(Ending ending, uint64_t executions, uint64_t before = 0) {
  ending.executions = executions;
  ending.executionsBefore = before;
  return ending;
}

TEST(Judge, ARunThatPassesMayHaveGoneAroundTheFailure) {
  Judge judge = judgeOf(counted(crash(SIGABRT, 7, 0), 3));
  EXPECT_EQ(judge.reaches(counted(exitWith(0), 3, 1)), 1);
  EXPECT_EQ(judge.reaches(counted(exitWith(0), 9, 1)), 1);
  EXPECT_EQ(judge.reaches(counted(exitWith(0), 2, 1)), 0.5);
  EXPECT_EQ(judge.reaches(counted(exitWith(0), 1, 1)), 0); // what was before says nothing
  EXPECT_EQ(judge.reaches(exitWith(0)), std::nullopt);     // made in a way in which it is not counted
  EXPECT_EQ(judgeOf(crash(SIGABRT, 7, 0)).reaches(counted(exitWith(0), 3)), std::nullopt);
}

TEST(Judge, TheFewerStepsAreLostTheLessARunStrays) {
  Ending original = crash(SIGABRT, 7, 0);
  original.epochs = 1000;
  Judge judge = judgeOf(original);
  auto straysWith = [&](uint64_t lost) {
    Ending ending = exitWith(0);
    ending.stepsLost = lost;
    return judge.strays(ending).value_or(-1);
  };
  EXPECT_EQ(straysWith(0), 0);
  EXPECT_LT(straysWith(1), straysWith(10));
  EXPECT_LT(straysWith(10), straysWith(900));
  EXPECT_EQ(straysWith(1000), 1);
  EXPECT_EQ(judge.strays(exitWith(0)), std::nullopt);
}

TEST(Judge, AnExitIsToldByStatusAndCall) {
  Judge judge = judgeOf(exitWith(2, 30));
  EXPECT_EQ(verdict(judge, exitWith(2, 30)), Verdict::SameFailure);
  EXPECT_EQ(verdict(judge, exitWith(2, 31)), Verdict::OtherFailure);
  EXPECT_EQ(verdict(judge, exitWith(3, 30)), Verdict::OtherFailure);
}

TEST(Judge, AnExpectedStatusIsNoFailure) {
  Judge judge = judgeOf(exitWith(0), {.status = 2});
  EXPECT_EQ(verdict(judge, exitWith(2, 9)), Verdict::Passed);
  EXPECT_EQ(verdict(judge, exitWith(0)), Verdict::SameFailure);
}

TEST(Judge, AWrongOutputIsAWrongOutput) {
  Judge judge = judgeOf(exitWith(0, 1, "13\n"), {.output = "12\n"});
  EXPECT_EQ(verdict(judge, exitWith(0, 1, "12\n")), Verdict::Passed);
  EXPECT_EQ(verdict(judge, exitWith(0, 1, "14\n")), Verdict::SameFailure);
  EXPECT_EQ(verdict(judge, crash(SIGSEGV, 0, 5)), Verdict::OtherFailure);
}

TEST(Judge, TheOracleIsAsked) {
  Judge judge = judgeOf(exitWith(0, 1, "bad 1"), {.oracle = "! grep -q bad $FAULTLINE_STDOUT"});
  EXPECT_EQ(verdict(judge, exitWith(0, 1, "bad 2")), Verdict::SameFailure);
  EXPECT_EQ(verdict(judge, exitWith(0, 1, "good")), Verdict::Passed);
  EXPECT_EQ(verdict(judge, exitWith(4, 1, "good")), Verdict::Passed) << "the oracle has the last word";
}

TEST(Judge, WhatWasCutShortHasNoVerdict) {
  Judge judge = judgeOf(crash(SIGSEGV, 0, 0x4000));
  for (auto why :
       {Ending::Time, Ending::Steps, Ending::Memory, Ending::Output, Ending::Containment, Ending::Broken})
    EXPECT_EQ(verdict(judge, cut(why)), Verdict::None) << why;
}

TEST(Judge, UnlessNotToEndIsTheFailure) {
  Judge judge = judgeOf(cut(Ending::Time));
  EXPECT_EQ(verdict(judge, cut(Ending::Time)), Verdict::SameFailure);
  EXPECT_EQ(verdict(judge, cut(Ending::Steps)), Verdict::SameFailure);
  EXPECT_EQ(verdict(judge, cut(Ending::Memory)), Verdict::None);
  EXPECT_EQ(verdict(judge, exitWith(0)), Verdict::Passed);
}

TEST(Judge, WhatDoesNotFailCannotBeJudgedBy) {
  auto judge = Judge::create({}, exitWith(0), "/");
  ASSERT_FALSE(judge);
  EXPECT_THAT(judge.error().message, HasSubstr("does not fail"));
}

TEST(Stability, CountsHowOftenTheUnalteredRunFails) {
  Judge judge = judgeOf(crash(SIGSEGV, 0, 0x4000));
  int count = 0;
  RunFunction flaky = [&](const RunSpec&) -> Result<Ending> {
    return ++count % 5 == 0 ? exitWith(0) : crash(SIGSEGV, 0, 0x4000);
  };
  auto stability = checkStability(flaky, {}, judge, 10);
  ASSERT_TRUE(stability);
  EXPECT_EQ(stability->same, 8u);
  EXPECT_EQ(stability->passed, 2u);
  EXPECT_TRUE(stability->isFlaky());
  EXPECT_DOUBLE_EQ(stability->confidence(Verdict::SameFailure), 1);
  EXPECT_DOUBLE_EQ(stability->confidence(Verdict::Passed), 0.8);
  EXPECT_NEAR(stability->confidence(Verdict::Passed, 3), 0.992, 1e-9);
  EXPECT_EQ(stability->confidence(Verdict::None), 0);
  RunFunction steady = [](const RunSpec&) -> Result<Ending> { return crash(SIGSEGV, 0, 0x4000); };
  EXPECT_DOUBLE_EQ(checkStability(steady, {}, judge, 3)->confidence(Verdict::Passed), 1);
}

} // namespace
} // namespace faultline::experiment

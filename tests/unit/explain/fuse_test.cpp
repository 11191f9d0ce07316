// One ranking of what several techniques found, on findings made by hand.
#include "explain/fuse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace faultline::explain {
namespace {

using finding::CauseNodeInfo;
using finding::CausesReport;
using finding::CauseStatement;
using finding::CriticalReport;
using finding::Place;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Place at(uint32_t line) { return {"/src/a.c", line, 1, "f"}; }

CauseStatement statement(uint32_t line, uint64_t time, const char* name = "x", const char* text = "1") {
  CauseStatement s;
  s.place = at(line);
  s.instances = 1;
  s.value = finding::Value{name, "int", text};
  s.time = time;
  return s;
}

CauseNodeInfo node(uint32_t id, uint32_t parent, uint32_t level, std::vector<CauseStatement> statements) {
  CauseNodeInfo n;
  n.id = id;
  n.parent = parent;
  n.level = level;
  n.relation = "decided that line 9 was executed";
  n.statements = std::move(statements);
  return n;
}

// Read as it stands: node after node, each line once.
CausesReport tree(std::vector<CauseNodeInfo> nodes) {
  CausesReport report;
  std::set<uint32_t> seen;
  for (const CauseNodeInfo& n : nodes)
    for (const CauseStatement& s : n.statements)
      if (!s.isLibrary && seen.insert(s.place.line).second)
        report.order.push_back({.place = s.place, .node = n.id});
  report.nodes = std::move(nodes);
  return report;
}

finding::CriticalDecision decision(uint32_t line, uint64_t time, bool verified = true) {
  finding::CriticalDecision d;
  d.place = at(line);
  d.time = time;
  d.verified = verified;
  d.condition = finding::Value{"n > 3", "", "false"};
  return d;
}

std::vector<uint32_t> linesOf(const std::vector<finding::Suspect>& suspects) {
  std::vector<uint32_t> lines;
  for (const finding::Suspect& s : suspects) lines.push_back(s.place.line);
  return lines;
}

TEST(Fuse, ADecisionThatRepairsComesBeforeWhatIsMerelyPossible) {
  CausesReport causes =
      tree({node(0, 0, 0, {statement(20, 100), statement(9, 90)}), node(1, 0, 1, {statement(5, 80)})});
  CriticalReport critical;
  critical.decisions = {decision(5, 80)};
  Found found{.failure = at(20), .causes = &causes, .critical = &critical};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(5, 9, 20));
  EXPECT_THAT(suspects[0].reason, HasSubstr("the run passes"));
  EXPECT_EQ(suspects[0].evidence.size(), 2u); // the tree has it as well
}

TEST(Fuse, WhoAsksWhatACallGaveCountsLessThanWhoDecidedThatWithin) {
  CriticalReport critical;
  critical.decisions = {decision(30, 300), decision(20, 200)};
  Found found{.failure = at(40), .knowsOutput = true, .critical = &critical};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(30, 20));
  critical.decisions[0].isPassedOn = critical.decisions[1].isAsked = true;
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(20, 30));
}

// After it the run does what it had refused: another way, and the right one.
TEST(Fuse, HowFarARunStraysThatIsNotRefusedSaysNothing) {
  CriticalReport critical;
  critical.decisions = {decision(20, 200)};
  critical.decisions[0].effect.strays = 0.9;
  Found found{.failure = at(40), .isStatus = true, .critical = &critical};
  const double far = fuse(found, 10)[0].score;
  critical.decisions[0].isAsked = true;
  EXPECT_GT(fuse(found, 10)[0].score, 10 * far);
  found.isStatus = false; // of a crash, or an assertion, it may well be that it leads around
  EXPECT_LT(fuse(found, 10)[0].score, 2 * far);
}

// An exception, or longjmp(): nobody asks, and nothing in the function that sets the status repairs the run.
TEST(Fuse, WhoSetAStatusBecauseItWasToldSoCountsLess) {
  CausesReport causes = tree({node(0, 0, 0, {statement(40, 400), statement(41, 390)})});
  CriticalReport critical;
  critical.decisions = {decision(20, 100), decision(22, 200)};
  critical.decisions[0].place.function = critical.decisions[1].place.function = "thrower";
  critical.decisions[0].effect.strays = critical.decisions[1].effect.strays = 0.9;
  Found found{.isStatus = true, .causes = &causes, .critical = &critical};
  found.chosen = {{.place = at(40), .decided = {at(41)}}};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(22, 40, 41, 20)) << "22 came last: it threw";
  critical.decisions[1].place.function = "f"; // it is the function's own
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(41, 40, 20, 22));
}

TEST(Fuse, WhoCalledWhatDecidedIsTold) {
  CriticalReport critical;
  critical.decisions = {decision(20, 200)};
  Found found{.failure = at(40), .knowsOutput = true, .critical = &critical};
  found.led = {{.calls = {at(50), at(60)}, .isOfMany = false}};
  auto few = fuse(found, 10);
  EXPECT_THAT(linesOf(few), ElementsAre(20, 50, 60));
  EXPECT_THAT(few[1].reason, HasSubstr("called what decided, at line 20"));
  found.led[0].isOfMany = true;
  EXPECT_GT(fuse(found, 10)[1].score, few[1].score);
}

TEST(Fuse, TheLineThatFailedIsNoNews) {
  CausesReport causes = tree({node(0, 0, 0, {statement(20, 100), statement(9, 90)})});
  CriticalReport critical;
  critical.decisions = {decision(20, 99)}; // the assertion itself
  Found found{.failure = at(20), .causes = &causes, .critical = &critical};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(9, 20));
}

TEST(Fuse, OfDecisionsThatRepairTheFirstFoundCountsMost) {
  CriticalReport critical;
  critical.decisions = {decision(20, 300), decision(30, 200),
                        decision(10, 100)}; // from the failure backwards
  EXPECT_THAT(linesOf(fuse({.critical = &critical}, 10)), ElementsAre(20, 30, 10));
}

TEST(Fuse, OfNestedDecisionsThatRepairTheInnerCountsMore) {
  CriticalReport critical;
  critical.decisions = {decision(11, 101), decision(10, 100)};
  critical.decisions[1].isAround = true; // the loop around it
  EXPECT_THAT(linesOf(fuse({.critical = &critical}, 10)), ElementsAre(11, 10));
}

TEST(Fuse, ADecisionThatMakesMoreOfTheOutputRightCountsByItsShare) {
  CriticalReport critical;
  critical.decisions = {decision(10, 100), decision(20, 200), decision(30, 300)};
  critical.decisions[0].effect.share = 0.2;
  critical.decisions[1].effect.share = 0.9;
  auto suspects = fuse({.critical = &critical}, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(30, 20, 10)); // a repair counts most
  EXPECT_THAT(suspects[1].reason, HasSubstr("90 % of the output that was wrong comes out right"));
  EXPECT_THAT(suspects[1].reason, Not(HasSubstr("passes")));
}

TEST(Fuse, WhatWasNotConfirmedCountsLess) {
  CriticalReport critical;
  critical.decisions = {decision(10, 100, false), decision(20, 200)};
  EXPECT_THAT(linesOf(fuse({.critical = &critical}, 10)), ElementsAre(20, 10));
}

TEST(Fuse, InACrashWhatLeadsAroundItCountsLess) {
  CausesReport causes = tree({node(0, 0, 0, {statement(20, 100), statement(9, 90)})});
  CriticalReport critical;
  critical.decisions = {decision(5, 80)};
  Found found{.failure = at(20), .isCrash = true, .causes = &causes, .critical = &critical};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(9, 20, 5));
  found.knowsOutput = true;
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(5, 9, 20));
  found.isCrash = found.knowsOutput = false;
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(5, 9, 20));
  found.isHang = true;
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(9, 20, 5)) << "many ways lead around a loop";
}

TEST(Fuse, WhatLeadsThroughWhereItFailedComesBeforeWhatLeadsAround) {
  finding::ChangesReport changes;
  changes.changes = {{.place = at(4),
                      .form = "operator",
                      .text = "with `<`",
                      .verified = true,
                      .effect = {.reaches = 0, .strays = 0.1}},
                     {.place = at(8),
                      .form = "operator",
                      .text = "with `+`",
                      .verified = true,
                      .effect = {.reaches = 1, .strays = 0.1}}};
  changes.tried = 100;
  changes.passed = 2;
  changes.around = 1;
  Found found{.failure = at(20), .changes = &changes};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(8, 4));
  EXPECT_EQ(suspects[0].reason, "the run passes with `+`");
  EXPECT_EQ(suspects[1].reason, "the run passes with `<`, but never gets to where it failed");
}

// That a line failed is no news, but that a guard before it helps is.
TEST(Fuse, AGuardAtTheFailureCountsInFull) {
  finding::ChangesReport changes;
  changes.changes = {{.place = at(20),
                      .form = "guard",
                      .text = "if `f` is left here when `p` is null",
                      .verified = true,
                      .effect = {.strays = 0}}};
  changes.tried = changes.passed = 100; // guards are none of these
  Found found{.isCrash = true, .changes = &changes};
  const double elsewhere = fuse(found, 10)[0].score;
  found.failure = at(20);
  EXPECT_EQ(fuse(found, 10)[0].score, elsewhere);
  found.slice = {at(20)};
  EXPECT_LT(fuse(found, 10)[0].score, elsewhere + Weights().inSlice);
  changes.changes.insert(changes.changes.begin(), changes.changes[0]);
  changes.changes[0].place = at(18);
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(18, 20)); // the nearer one comes first
}

// A program that refuses bad input ends with a status: a repair of a crash, but less surely one.
TEST(Fuse, AnOrderlyEndCountsLessThanToPass) {
  finding::ChangesReport changes;
  changes.changes = {{.place = at(4),
                      .form = "comparison",
                      .text = "with `<`",
                      .verified = true,
                      .effect = {.status = 1, .reaches = 1, .strays = 0.1}},
                     {.place = at(8),
                      .form = "comparison",
                      .text = "with `>`",
                      .verified = true,
                      .effect = {.reaches = 1, .strays = 0.1}}};
  changes.tried = 100;
  changes.passed = changes.orderly = 1;
  Found found{.failure = at(20), .isCrash = true, .changes = &changes};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(8, 4));
  EXPECT_EQ(suspects[1].reason, "the run ends by itself (status 1) with `<`");
}

TEST(Fuse, WhatStillComplainsCountsLessUnlessEverythingDoes) {
  finding::ChangesReport changes;
  auto change = [](uint32_t line, bool complains) {
    return finding::CodeChange{.place = at(line),
                               .form = "comparison",
                               .text = "with `<`",
                               .verified = true,
                               .effect = {.complains = complains, .reaches = 1, .strays = 0}};
  };
  changes.changes = {change(4, true), change(8, false)};
  changes.tried = 100;
  changes.passed = 2;
  Found found{.changes = &changes};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(8, 4));
  EXPECT_LT(suspects[1].score, suspects[0].score / 2);
  changes.changes[1] = change(8, true);
  suspects = fuse(found, 10);
  EXPECT_EQ(suspects[0].score, suspects[1].score);
  const double all = suspects[0].score;
  changes.changes[1] = change(8, false);
  changes.changes[1].effect.strays = 0.9; // that it prints nothing is no wonder
  EXPECT_GE(fuse(found, 10)[0].score, all);
}

TEST(Fuse, ADecisionAndTheChangeThatTurnsItRoundAreOneFact) {
  CriticalReport critical;
  critical.decisions = {decision(5, 80)};
  finding::ChangesReport changes;
  changes.changes = {{.place = at(5), .form = "comparison", .text = "with `<`", .verified = true}};
  changes.tried = critical.tried = 1000;
  changes.passed = critical.passed = 1;
  Found found{.knowsOutput = true, .changes = &changes};
  double change = fuse(found, 10)[0].score;
  found.critical = &critical;
  auto both = fuse(found, 10);
  EXPECT_EQ(both[0].evidence.size(), 2u); // both are told
  EXPECT_EQ(both[0].score, change);
}

TEST(Fuse, TheSameChangeOfOneLineAfterTheOtherIsToldOnce) {
  finding::ChangesReport changes;
  auto change = [](uint32_t line, const char* text) {
    return finding::CodeChange{.place = at(line), .form = "variable", .text = text, .verified = true};
  };
  changes.changes = {change(30, "with `n`"), change(31, "with `n`"), change(32, "with `n`")};
  changes.changes.push_back(change(40, "with `n`"));
  changes.changes.push_back(change(31 + 20, "with `m`"));
  changes.tried = 1000;
  changes.passed = 5;
  Found found{.knowsOutput = true, .changes = &changes};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(30, 40, 51, 31, 32));
}

TEST(Fuse, WhatNobodyWroteOrMistakesCountsLess) {
  auto scoreOf = [](finding::CodeChange change) {
    change.place = at(7);
    change.verified = true;
    finding::ChangesReport changes;
    changes.changes = {change};
    changes.tried = 1000;
    changes.passed = 1;
    return fuse({.knowsOutput = true, .changes = &changes}, 1)[0].score;
  };
  const finding::Edit edit;
  const double likely = scoreOf({.form = "comparison", .from = "<", .to = "<=", .edit = edit});
  EXPECT_LT(scoreOf({.form = "comparison", .from = "<", .to = "==", .edit = edit}), likely / 2);
  EXPECT_LT(scoreOf({.form = "comparison", .from = "==", .to = "<=", .edit = edit}), likely);
  EXPECT_EQ(scoreOf({.form = "comparison", .from = "==", .to = "!=", .edit = edit}), likely);
  const double sum = scoreOf({.form = "operator", .from = "+", .to = "-", .edit = edit});
  EXPECT_EQ(sum, likely);
  EXPECT_LT(scoreOf({.form = "operator", .from = "+", .to = "-"}), sum / 2) << "there is none in the source";
  EXPECT_LT(scoreOf({.form = "operator", .from = "&", .to = "|", .edit = edit}), sum);
  const double next = scoreOf({.form = "next-to", .from = "7", .to = "8", .edit = edit});
  EXPECT_LT(scoreOf({.form = "next-to", .from = "'\\\\'", .to = "']'", .edit = edit}), next / 2);
}

TEST(Fuse, OfAFunctionOfManyWhoCalledItIsToldAsWell) {
  finding::ChangesReport changes;
  changes.changes = {{.place = at(7), .form = "operator", .text = "with `-`", .verified = true}};
  changes.tried = 1000;
  changes.passed = 1;
  Found found{.knowsOutput = true, .changes = &changes};
  const double ofFew = fuse(found, 10)[0].score;
  changes.changes[0].isOfMany = true;
  changes.changes[0].calls = {at(30), at(50)};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(7, 30, 50));
  EXPECT_LT(suspects[0].score, ofFew);
  EXPECT_EQ(suspects[1].reason, "called f(), where a change of line 7 repairs the run");
}

TEST(Fuse, ABlockOfAFixedSizeIsRarelyTooSmall) {
  finding::MemoryReport memory;
  memory.errors.push_back({.kind = "out-of-bounds", .access = "write", .place = at(5)});
  memory.errors[0].object = finding::MemoryObjectInfo{.kind = "heap", .size = 8, .made = at(3)};
  Found found{.isCrash = true, .memory = &memory};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(3, 5));
  found.isSizeConstant = true;
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(5, 3));
  found.isSizeConstant = false;
  memory.errors[0].object->kind = "local";
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(5, 3));
}

TEST(Fuse, WhatLedToACrashIsWhereATestIsMissing) {
  Found found{.failure = at(20), .isCrash = true, .guards = {at(18), at(12)}, .slice = {at(30)}};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(18, 12, 30));
  EXPECT_EQ(suspects[0].reason, "decided that line 20 was executed, which crashed");
  found.isCrash = false; // an assertion is such a test itself
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(30));
}

TEST(Fuse, WhoNoticedThatTheHeapIsWrittenOverHasLittleToDoWithIt) {
  finding::MemoryReport memory;
  memory.errors.push_back({.kind = "out-of-bounds", .access = "write", .place = at(5)});
  Found found{.isCrash = true, .isHeapCorruption = true, .memory = &memory, .decided = {at(4)}};
  found.failure = at(20);
  found.guards = {at(18)};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(5, 4, 18));
  const double late = fuse(found, 10)[2].score;
  memory.errors[0].access = "read"; // which harms nothing
  EXPECT_GT(fuse(found, 10)[2].score, 2 * late);
  memory.errors.clear();
  EXPECT_GT(fuse(found, 10)[0].score, 2 * late);
}

TEST(Fuse, OfAStackThatRanOverTheRecursionIsTold) {
  Found found{.failure = at(20), .isCrash = true, .recursion = {at(7), at(9)}, .slice = {at(30), at(9)}};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(9, 7, 30));
  EXPECT_THAT(suspects[1].reason, ::testing::HasSubstr("until there was no stack left"));
}

TEST(Fuse, TheLessTheRunStraysTheMoreARepairSays) {
  finding::ChangesReport changes;
  changes.changes = {{.place = at(4),
                      .form = "operator",
                      .text = "with `<`",
                      .verified = true,
                      .effect = {.reaches = 1, .strays = 0.8}},
                     {.place = at(8),
                      .form = "variable",
                      .text = "with `a`",
                      .verified = true,
                      .effect = {.reaches = 1, .strays = 0}}};
  changes.tried = 100;
  changes.passed = 2;
  Found found{.failure = at(20), .changes = &changes};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(8, 4));
  found.knowsOutput = true; // then to pass is to print what is right, whichever way it came there
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(4, 8));
}

// Many lead around a crash, or elsewhere; few let the run be as it was.
TEST(Fuse, OfManyChangesThatRepairThoseThatStrayNoFurtherAreCounted) {
  finding::ChangesReport changes;
  for (uint32_t line = 1; line <= 10; ++line)
    changes.changes.push_back({.place = at(line),
                               .form = "comparison",
                               .text = "with `<`",
                               .verified = true,
                               .effect = {.reaches = 1, .strays = line == 4 ? 0.0 : 0.1}});
  changes.tried = 100;
  changes.passed = 50;
  Found found{.changes = &changes};
  auto suspects = fuse(found, 10);
  EXPECT_EQ(suspects[0].place.line, 4u);
  const double rare = suspects[0].score;
  for (finding::CodeChange& c : changes.changes) c.effect.strays = 0;
  EXPECT_GT(rare, 1.8 * fuse(found, 10)[0].score) << "a tenth of 50, not 50 of 100";
}

TEST(Fuse, WhereManyChangesRepairNoneSaysMuch) {
  CriticalReport critical;
  critical.decisions = {decision(5, 80)};
  finding::ChangesReport changes;
  changes.changes = {{.place = at(8), .form = "operator", .text = "with `<`", .verified = true}};
  changes.tried = 1000;
  changes.passed = 1;
  Found found{.critical = &critical, .changes = &changes};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(8, 5));
  changes.passed = 200;
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(5, 8));
}

TEST(Fuse, OfManyPlacesForTheSameStatementTheFirstCountMore) {
  finding::ChangesReport changes;
  for (uint32_t line : {30, 10, 20})
    changes.changes.push_back(
        {.place = at(line), .form = "inserted", .text = "if `n = 0` came before it", .verified = true});
  changes.tried = 1000;
  changes.passed = 3;
  EXPECT_THAT(linesOf(fuse({.changes = &changes}, 10)), ElementsAre(30, 10, 20));
}

TEST(Fuse, WhatIsOnlyInTheSliceComesLast) {
  CausesReport causes = tree({node(0, 0, 0, {statement(9, 90)})});
  Found found{.causes = &causes, .slice = {at(30), at(31), at(9)}};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(9, 30, 31));
  EXPECT_EQ(suspects[0].evidence.size(), 2u);
  EXPECT_THAT(suspects[1].reason, HasSubstr("depends on it"));
}

TEST(Fuse, WhatHadToHoldCountsFromTheFailureBackwards) {
  finding::InvariantsReport invariants;
  invariants.steps = {{.place = at(3), .after = {"n == 0"}},
                      {.place = at(5), .after = {"n == 0", "m == 1"}},
                      {.place = {"/usr/include/x.h", 1, 1, "g"}, .after = {"k == 2"}},
                      {.place = at(3), .after = {}}};
  auto suspects = fuse({.invariants = &invariants}, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(5, 3));
  EXPECT_EQ(suspects[0].reason, "after it, `n == 0 && m == 1` was enough for the failure");
}

TEST(Fuse, OfTheSliceWhatIsInTheChopComesFirst) {
  auto suspects = fuse({.slice = {at(30), at(31), at(32)}, .chop = {at(32)}}, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(32, 30, 31));
}

TEST(Fuse, TheChainLeadsFromTheSuspectToTheFailureInTime) {
  CausesReport causes =
      tree({node(0, 0, 0, {statement(20, 100, "r", "4"), statement(9, 90, "d", "4")}),
            node(1, 0, 1, {statement(5, 80, "n > 3", "true"), statement(2, 10, "n", "5")})});
  auto suspects = fuse({.failure = at(20), .causes = &causes}, 10);
  for (const finding::Suspect& s : suspects) {
    if (s.place.line != 2) continue;
    std::vector<uint32_t> lines;
    for (const finding::ChainStep& step : s.chain) lines.push_back(step.place.line);
    EXPECT_THAT(lines, ElementsAre(2, 5, 9, 20));
    EXPECT_EQ(s.chain[0].text, "n = 5");
    return;
  }
  FAIL() << "line 2 is no suspect";
}

std::vector<uint32_t> chainLines(const finding::Suspect& s) {
  std::vector<uint32_t> lines;
  for (const finding::ChainStep& step : s.chain) lines.push_back(step.place.line);
  return lines;
}

TEST(Fuse, TheChainBeginsWithTheExecutionThatWasDecidedWrongly) {
  CausesReport causes = tree({node(0, 0, 0, {statement(20, 100), statement(9, 90)}),
                              node(1, 0, 1, {statement(5, 20, "n > 3", "true"), statement(7, 30)})});
  CriticalReport critical;
  critical.decisions = {decision(5, 80)};
  critical.decisions[0].condition->with = "n = 3";
  auto suspects = fuse({.failure = at(20), .causes = &causes, .critical = &critical}, 10);
  ASSERT_EQ(suspects[0].place.line, 5u);
  EXPECT_EQ(suspects[0].chain[0].text, "n > 3 is false (n = 3)");
  EXPECT_THAT(chainLines(suspects[0]), ElementsAre(5, 9, 20)); // line 7 was before it
}

TEST(Fuse, WhereSomethingLiesIsNoStepOfAChain) {
  CausesReport causes =
      tree({node(0, 0, 0,
                 {statement(20, 100, "s", "0x5555559e4cc8"), statement(9, 90, "p", "0x5555559e4cb0"),
                  statement(8, 85, "q", "0x5555559e4cb0 \"bc\""), statement(2, 10, "n", "5")})});
  auto suspects = fuse({.failure = at(20), .causes = &causes}, 10);
  for (const finding::Suspect& s : suspects)
    if (s.place.line == 2) EXPECT_THAT(chainLines(s), ElementsAre(2, 8, 20));
  EXPECT_THAT(linesOf(suspects), ::testing::Contains(2u));
}

TEST(Fuse, WhatNobodyCanReadIsNotToldOfWhatHadToHold) {
  for (const std::vector<std::string>& after : {std::vector<std::string>{"p == 0x5555559e4cb0"},
                                                {"*p == 'a'", "*p == 'b'"},
                                                {"!(c != 98 || c != 102)"},
                                                {"<value of f()> == 3"}}) {
    finding::InvariantsReport invariants;
    invariants.steps = {{.place = at(3), .after = after}};
    EXPECT_EQ(fuse({.invariants = &invariants}, 10)[0].reason,
              "made a part of what had to hold for the failure");
  }
}

TEST(Fuse, AChangeThatRepairsCountsByItsForm) {
  CausesReport causes = tree({node(0, 0, 0, {statement(20, 100), statement(9, 90), statement(8, 80)})});
  finding::ChangesReport changes;
  changes.changes = {
      {.place = at(8), .form = "comparison", .text = "with `<` instead of `<=`", .verified = true},
      {.place = at(9), .form = "read", .text = "if it were one smaller", .verified = true},
      {.place = at(3), .form = "operator", .text = "with `+` instead of `-`", .verified = false}};
  auto suspects = fuse({.failure = at(20), .causes = &causes, .changes = &changes}, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(8, 9, 3, 20));
  ASSERT_FALSE(suspects.empty());
  EXPECT_EQ(suspects[0].reason, "the run passes with `<` instead of `<=`");
}

TEST(Fuse, OfSeveralChangesOfALineTheOneThatAPersonWouldWriteIsTold) {
  finding::ChangesReport changes;
  changes.changes = {
      {.place = at(8), .form = "operator", .text = "with `*` instead of `+`", .verified = true},
      {.place = at(8), .form = "next-to", .text = "with 0 instead of 1", .verified = true},
      {.place = at(9), .form = "next-to", .text = "with 3 instead of 2", .verified = true}};
  auto suspects = fuse({.changes = &changes}, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(8, 9)); // by the likelier form
  EXPECT_EQ(suspects[0].reason, "the run passes with 0 instead of 1");
}

// The block was made at line 3, the loop at line 5 goes one too far, line 6 writes.
TEST(Fuse, TheFirstWrongAccessComesWithWhatLedToIt) {
  finding::MemoryReport memory;
  finding::MemoryErrorInfo error;
  error.kind = "out-of-bounds";
  error.place = at(6);
  error.text = "writes 4 bytes just past the end";
  error.object = finding::MemoryObjectInfo{.kind = "heap", .size = 40, .made = at(3)};
  memory.errors.push_back(error);
  error.place = at(9);
  memory.errors.push_back(error);
  Found found;
  found.memory = &memory;
  found.decided = {at(5)};
  found.address = {at(4)};
  found.calls = {at(21), at(31)};
  std::vector<finding::Suspect> suspects = fuse(found, 7);
  std::vector<uint32_t> lines;
  for (const finding::Suspect& s : suspects) lines.push_back(s.place.line);
  EXPECT_THAT(lines, ElementsAre(3, 6, 4, 5, 9, 21, 31));
  EXPECT_EQ(suspects[0].reason, "allocates 40 bytes, and line 6 goes beyond them");
  EXPECT_EQ(suspects[1].reason, "writes 4 bytes just past the end");
  EXPECT_EQ(suspects[3].reason, "decided that line 6 was executed, whose access is wrong");
  found.allocated = {at(2)}; // whether there was room enough
  suspects = fuse(found, 3);
  EXPECT_EQ(suspects[2].place.line, 2u);
  EXPECT_EQ(suspects[2].reason, "decided how much memory was asked for, which line 6 goes beyond");
}

TEST(Fuse, WhereTheProgramComplainedIsToldWithWhatDecidedIt) {
  Found found;
  found.complaints = {{.place = at(9), .decided = {at(8)}, .calls = {at(20)}}, {.place = at(30)}};
  found.slice = {at(40)};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(8, 9, 30, 20, 40));
  EXPECT_EQ(suspects[0].reason, "decided that line 9 was executed, which complained on standard error");
  EXPECT_EQ(suspects[1].reason, "complained on standard error");
}

TEST(Fuse, WhatIsSaidBeforeACrashCountsLess) {
  Found found{.isCrash = true};
  found.complaints = {{.place = at(9)}};
  const double crashed = fuse(found, 1)[0].score;
  found.isCrash = false;
  EXPECT_DOUBLE_EQ(fuse(found, 1)[0].score * Weights{}.beforeCrash, crashed);
}

TEST(Fuse, WhatLedToTheCrashAsWellIsToldOnce) {
  Found found{.failure = at(40), .isCrash = true};
  found.guards = {at(30)};
  found.chosen = {{.place = at(35), .decided = {at(30), at(10)}}};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(10, 30));
  EXPECT_EQ(suspects[1].evidence.size(), 1u);
  EXPECT_EQ(suspects[1].evidence[0].technique, "guard");
}

TEST(Fuse, WhatADecisionLedToThatRepairsMayBeWrong) {
  CriticalReport critical;
  critical.tried = 1000;
  critical.passed = 1;
  critical.decisions = {decision(20, 100), decision(30, 90)};
  Found found{.failure = at(23), .knowsOutput = true, .critical = &critical};
  found.under = {{at(21), at(22), at(23), at(30)}, {}};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(20, 30, 21, 22)) << "not where it failed";
  EXPECT_EQ(suspects[1].evidence.size(), 1u) << "a decision of its own";
  suspects.erase(suspects.begin() + 1);
  EXPECT_EQ(suspects[1].reason, "executed because line 20 decided so, which repairs the run");
  EXPECT_LT(suspects[1].score, suspects[0].score / 2);
}

TEST(Fuse, WhoNamesATextIsToldUnlessItFailedThere) {
  CriticalReport critical;
  critical.tried = 1000;
  critical.passed = 1;
  critical.decisions = {decision(20, 100)};
  Found found{.failure = at(40), .knowsOutput = true, .critical = &critical};
  found.texts = {{.place = at(7), .text = "\"abc\"", .decision = 0},
                 {.place = at(9), .text = "\"text/plain\""},
                 {.place = at(10), .text = "\"data> \"", .isSaid = true},
                 {.place = at(40), .text = "\"%s\""}};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(20, 7, 9, 10));
  EXPECT_EQ(suspects[1].reason, "names \"abc\", by which line 20 decided, which repairs the run");
  EXPECT_EQ(suspects[2].reason, "names \"text/plain\", from which the failing value was copied");
}

TEST(Fuse, WhoDecidedThatTheFailingValueWasSetComesBeforeWhoPassedItOn) {
  CausesReport causes = tree({node(0, 0, 0, {statement(20, 100), statement(9, 90)})});
  Found found{.causes = &causes};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(20, 9));
  found.chosen = {{.place = at(9), .decided = {at(8), at(3)}}};
  found.passedOn = {{at(20).file, 20}};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(9, 8, 20, 3));
  EXPECT_EQ(suspects[1].reason, "decided that line 9 was executed, which set the failing value");
}

TEST(Fuse, ADecisionThatLedToTheCrashAndKeepsItAwayMayLackACondition) {
  CriticalReport critical;
  critical.tried = critical.passed = critical.around = 1000; // nothing rare about it
  critical.decisions = {decision(5, 50), decision(12, 90)};
  for (finding::CriticalDecision& d : critical.decisions) d.effect = {.reaches = 0.0, .strays = 0.3};
  Found found{.failure = at(20), .isCrash = true, .critical = &critical, .guards = {at(18), at(12)}};
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(12, 18, 5));
  const double whole = fuse(found, 1)[0].score;
  found.loopTests = {{at(12).file, 12}};
  EXPECT_THAT(linesOf(fuse(found, 1)), ElementsAre(12));
  EXPECT_LT(fuse(found, 1)[0].score, 0.7 * whole) << "a loop seldom lacks one";
  found.isCrash = false;
  EXPECT_THAT(linesOf(fuse(found, 1)), ElementsAre(5));
}

TEST(Fuse, WhoMadeASizeOfNothingIsToldOfABlockThatReallocGaveBack) {
  finding::MemoryReport memory;
  finding::MemoryErrorInfo error;
  error.kind = "double-free";
  error.place = at(30);
  error.object = finding::MemoryObjectInfo{.kind = "heap", .size = 8, .ended = at(21)};
  memory.errors = {error};
  Found found{.memory = &memory, .freedSize = {at(20), at(10)}};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(21, 20, 30, 10));
  EXPECT_EQ(suspects[1].reason, "made the size of 0, for which realloc() gave back what line 30 still uses");
}

TEST(Fuse, WhoHandedToAnAssertionWhatIsWrongCountsMore) {
  Found found{.failure = at(20), .stack = {at(18), at(12)}};
  const double crash = fuse(found, 10)[0].score;
  found.isAssertion = true;
  EXPECT_GT(fuse(found, 10)[0].score, 3 * crash);
}

TEST(Fuse, WhoCalledWhatFailedCountsTheLessTheFurtherAway) {
  Found found;
  found.failure = at(6);
  found.isCrash = true;
  found.stack = {at(21), at(31), at(41)};
  std::vector<finding::Suspect> suspects = fuse(found, 5);
  ASSERT_EQ(suspects.size(), 3u);
  EXPECT_EQ(suspects[0].place.line, 21u);
  EXPECT_EQ(suspects[0].reason, "called what failed");
  EXPECT_GT(suspects[0].score, suspects[1].score);
  EXPECT_EQ(suspects[2].place.line, 41u);
  // Less than what made the failing value.
  CausesReport causes = tree({node(0, 0, 0, {statement(9, 90)})});
  found.causes = &causes;
  EXPECT_THAT(linesOf(fuse(found, 10)), ElementsAre(9, 21, 31, 41));
}

TEST(Fuse, LibraryCodeIsNoSuspect) {
  CauseStatement inside = statement(7, 95);
  inside.isLibrary = true;
  CausesReport causes = tree({node(0, 0, 0, {statement(20, 100), inside, statement(9, 90)})});
  EXPECT_THAT(linesOf(fuse({.causes = &causes}, 10)), ElementsAre(20, 9));
}

TEST(Fuse, ALineWithoutCodeIsNoSuspect) {
  CausesReport causes = tree({node(0, 0, 0, {statement(20, 100), statement(12, 95), statement(9, 90)})});
  Found found{.hasCode = [](const finding::Place& place) { return place.line != 12; }, .causes = &causes};
  auto suspects = fuse(found, 10);
  EXPECT_THAT(linesOf(suspects), ElementsAre(20, 9));
  for (const finding::ChainStep& step : suspects[1].chain) EXPECT_NE(step.place.line, 12u);
}

TEST(Fuse, NothingFoundIsNoSuspect) { EXPECT_TRUE(fuse({}, 5).empty()); }

} // namespace
} // namespace faultline::explain

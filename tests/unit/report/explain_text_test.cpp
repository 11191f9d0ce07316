// The first screen of an explanation made by hand: what comes first, and what is left to --verbose.
#include "report/explain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

finding::Explanation example() {
  finding::Explanation e;
  finding::Suspect s;
  s.place = {"nowhere.c", 7, 3, "f"};
  s.evidence = {{.technique = "causes", .text = "n = 3: part of what failed", .weight = 1}};
  e.suspects = {s};
  return e;
}

std::string shown(const finding::Explanation& e, bool hasDetails = false) {
  SourceFiles files;
  return renderExplanation(e, files, {}, {.hasDetails = hasDetails});
}

TEST(ExplainText, ThatNothingIsConfirmedComesBeforeTheSuspects) {
  finding::Explanation e = example();
  e.caveats = {"no small change makes the run pass", "memory: wrong by itself"};
  std::string sure = shown(e);
  EXPECT_THAT(sure, HasSubstr("Suspects, the first is the most likely\n1. nowhere.c:7 in f()"));
  EXPECT_THAT(sure, HasSubstr("note: no small change makes the run pass\n"));
  e.isDoubtful = true;
  std::string doubtful = shown(e);
  EXPECT_THAT(
      doubtful,
      HasSubstr("Suspects, none of them confirmed\nno small change makes the run pass\n1. nowhere.c:7"));
  EXPECT_THAT(doubtful, Not(HasSubstr("note: no small change"))) << "once is enough";
  EXPECT_THAT(doubtful, HasSubstr("note: memory: wrong by itself"));
}

TEST(ExplainText, BoundsOfSingleTechniquesAreCountedAndToldIfAskedFor) {
  finding::Explanation e = example();
  e.caveats = {"causes: the tree is not complete", "slice: stopped", "changes: 7 of 9 were tried"};
  std::string few = shown(e);
  EXPECT_THAT(few, HasSubstr("note: slice: stopped\n"));
  EXPECT_THAT(few, HasSubstr("note: there are 2 more on what was bounded or not tried: --verbose\n"));
  EXPECT_THAT(few, Not(HasSubstr("7 of 9")));
  std::string all = shown(e, true);
  EXPECT_THAT(all, HasSubstr("note: changes: 7 of 9 were tried\n"));
  EXPECT_THAT(all, Not(HasSubstr("--verbose")));
  SourceFiles files;
  EXPECT_THAT(renderExplanation(e, files, {}, {.hasNotes = false}), Not(HasSubstr("note: ")));
}

TEST(ExplainText, ASmallestInputOfAStatusSaysThatOnlyTheStatusIsTheSame) {
  finding::Explanation e = example();
  finding::MinimizedInput input;
  input.what = "standard input";
  input.before = 90;
  input.after = 1;
  input.text = "\"=\"";
  e.smallest = finding::SmallestInput{{input}, true};
  EXPECT_THAT(shown(e), HasSubstr("1 of 90 bytes of standard input fail in the same way: \"=\""));
  e.smallest->isOfStatus = true;
  EXPECT_THAT(shown(e), HasSubstr("1 of 90 bytes of standard input end with the same status: \"=\""));
}

} // namespace
} // namespace faultline::report

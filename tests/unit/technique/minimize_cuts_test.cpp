// What can only go together.
#include "technique/minimize/cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::technique {
namespace {

std::vector<std::string> left(const std::string& text, const std::vector<Cut>& cuts) {
  std::vector<std::string> out;
  for (const Cut& c : cuts) {
    std::string rest = text;
    rest.erase(c.second.begin, c.second.size());
    rest.erase(c.first.begin, c.first.size());
    out.push_back(rest);
  }
  return out;
}

TEST(Cuts, ABracketGoesWithAndWithoutWhatIsInIt) {
  EXPECT_THAT(left("a(b)c", bracketCuts("a(b)c")), ::testing::ElementsAre("ac", "abc", "c", "bc"));
  EXPECT_THAT(bracketCuts("no brackets"), ::testing::IsEmpty());
  EXPECT_THAT(bracketCuts("\"quoted (\" )"), ::testing::IsEmpty());
}

TEST(Cuts, OneArgumentStandsForTheCall) {
  std::string text = "x hex(substr(name, 3))";
  std::vector<std::string> rest = left(text, bracketCuts(text));
  for (const char* wanted : {"x hex(3)", "x hex(name)", "x substr(name, 3)", "x hex", "x ", "x hex()"})
    EXPECT_THAT(rest, ::testing::Contains(wanted));
  auto shorter = std::ranges::find(rest, "x hex(3)"), longer = std::ranges::find(rest, "x hex(name)");
  EXPECT_LT(shorter, longer) << "the largest cut first";
}

TEST(Cuts, WordsInARow) {
  EXPECT_THAT(left("a bc,d", tokenRuns("a bc,d", 2)),
              ::testing::ElementsAre("a bc", "a d", "a,d", "bc,d" + std::string()))
      << "four of two tokens";
  EXPECT_THAT(tokenRuns("a", 2), ::testing::IsEmpty());
}

} // namespace
} // namespace faultline::technique

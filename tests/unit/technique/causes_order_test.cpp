// In which order the lines of a cause tree are to be read.
#include "technique/causes/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::technique {
namespace {

using finding::CauseLine;
using finding::CauseNodeInfo;
using finding::CauseStatement;
using finding::Does;
using ::testing::ElementsAre;

CauseStatement statement(uint32_t line, Does does, uint32_t distance = 0, uint64_t instances = 1) {
  CauseStatement s;
  s.place = {"a.c", line, 1, "f"};
  s.does = does;
  s.distance = distance;
  s.instances = instances;
  s.time = 1000 - line;
  return s;
}

CauseNodeInfo node(uint32_t id, uint32_t level, std::vector<CauseStatement> statements) {
  CauseNodeInfo n;
  n.id = id;
  n.level = level;
  n.kind = level ? "direct" : "failure";
  n.statements = std::move(statements);
  return n;
}

std::vector<uint32_t> linesOf(const std::vector<CauseLine>& order) {
  std::vector<uint32_t> lines;
  for (const CauseLine& line : order) lines.push_back(line.place.line);
  return lines;
}

TEST(ReadingOrder, WhatComparesComesBeforeWhatPassesOn) {
  auto order = readingOrder({node(0, 0,
                                  {statement(1, Does::Passes), statement(2, Does::Constant),
                                   statement(3, Does::Compares), statement(4, Does::Assigns)})});
  EXPECT_THAT(linesOf(order), ElementsAre(3, 2, 4, 1));
}

TEST(ReadingOrder, NearAndSeldomComesFirst) {
  auto order = readingOrder({node(0, 0,
                                  {statement(1, Does::Computes, 40), statement(2, Does::Computes, 0, 500),
                                   statement(3, Does::Computes, 1)}),
                             node(1, 1, {statement(4, Does::Computes, 1)})});
  EXPECT_THAT(linesOf(order), ElementsAre(3, 4, 1, 2));
}

TEST(ReadingOrder, ALineStandsOnceWithTheNodeThatTellsMost) {
  auto order =
      readingOrder({node(0, 0, {statement(1, Does::Passes)}), node(7, 1, {statement(1, Does::Compares)})});
  ASSERT_EQ(order.size(), 1u);
  EXPECT_EQ(order[0].node, 7u);
  EXPECT_EQ(order[0].does, Does::Compares);
}

TEST(ReadingOrder, SystemHeadersAreNotRead) {
  CauseStatement library = statement(1, Does::Compares);
  library.isLibrary = true;
  auto order = readingOrder({node(0, 0, {library, statement(2, Does::Passes)})});
  EXPECT_THAT(linesOf(order), ElementsAre(2));
}

TEST(PreferRepairs, WhatRepairsComesFirstAndTheRestStaysInOrder) {
  std::vector<CauseLine> order;
  for (uint32_t line = 1; line <= 6; ++line) order.push_back({.place = {"a.c", line, 1, "f"}});
  preferRepairs({{{"a.c", 5, 3, "f"}, "with one", {}},
                 {{"a.c", 5, 9, "f"}, "with another", {}},
                 {{"a.c", 6, 1, "f"}, "in part", {.share = 0.3}},
                 {{"a.c", 4, 1, "f"}, "in part", {.share = 0.6}},
                 {{"b.c", 1, 1, "f"}, "elsewhere", {}},
                 {{"a.c", 2, 1, "f"}, "with two", {}}},
                order);
  EXPECT_THAT(linesOf(order), ElementsAre(2, 5, 4, 6, 1, 3));
  EXPECT_EQ(order[1].repair, "with one");
  EXPECT_EQ(order[2].effect.share, 0.6);
  EXPECT_EQ(order[4].repair, "");
}

TEST(PreferRepairs, AWayAroundCountsLessThanARepair) {
  std::vector<CauseLine> order;
  for (uint32_t line = 1; line <= 3; ++line) order.push_back({.place = {"a.c", line, 1, "f"}});
  preferRepairs({{{"a.c", 2, 1, "f"}, "around", {.reaches = 0}},
                 {{"a.c", 3, 1, "f"}, "around, too", {.reaches = 0}},
                 {{"a.c", 3, 1, "f"}, "through", {.reaches = 1}}},
                order);
  EXPECT_THAT(linesOf(order), ElementsAre(3, 2, 1));
  EXPECT_EQ(order[0].repair, "through");
  EXPECT_EQ(order[1].effect.reaches, 0.0);
}

TEST(PreferRepairs, AnotherStatusCountsLessThanToPass) {
  std::vector<CauseLine> order;
  for (uint32_t line = 1; line <= 3; ++line) order.push_back({.place = {"a.c", line, 1, "f"}});
  preferRepairs({{{"a.c", 2, 1, "f"}, "ends with 1", {.status = 1, .reaches = 1}},
                 {{"a.c", 3, 1, "f"}, "passes", {.reaches = 1}}},
                order);
  EXPECT_THAT(linesOf(order), ElementsAre(3, 2, 1));
  EXPECT_EQ(order[1].effect.status, 1);
}

} // namespace
} // namespace faultline::technique

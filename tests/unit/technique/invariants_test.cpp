#include "technique/invariants/describe.h"

#include <gtest/gtest.h>

using namespace faultline::technique;

namespace {

std::vector<KeptStep> kept(std::vector<uint64_t> keys) { return withoutRepetitions(keys); }

TEST(Repetitions, ShortRunsStay) {
  EXPECT_EQ(kept({}), std::vector<KeptStep>());
  EXPECT_EQ(kept({1, 2, 1, 2}), (std::vector<KeptStep>{{0}, {1}, {2}, {3}}));
}

TEST(Repetitions, FirstAndLastRoundStay) {
  EXPECT_EQ(kept({9, 5, 5, 5, 5, 7}), (std::vector<KeptStep>{{0}, {1}, {4, 2, 2}, {5}}));
  EXPECT_EQ(kept({1, 2, 1, 2, 1, 2, 1, 2, 3}), (std::vector<KeptStep>{{0}, {1}, {6, 2, 4}, {7}, {8}}));
}

TEST(Repetitions, TheLargestLoopIsTaken) {
  std::vector<uint64_t> keys;
  for (int outer = 0; outer < 4; ++outer)
    for (uint64_t key : {1, 2, 2, 3}) keys.push_back(key);
  EXPECT_EQ(kept(keys), (std::vector<KeptStep>{{0}, {1}, {2}, {3}, {12, 2, 8}, {13}, {14}, {15}}));
}

} // namespace

// What earlier walks found is kept in few bytes, comes back as it was, and never from a file that is not
// whole.
#include "depend/walk_ends.h"
#include "support/environment.h"
#include "support/run.h"

#include <gtest/gtest.h>
#include <random>

namespace faultline::depend {
namespace {

WalkEnd someEnd(std::mt19937_64& random, uint64_t time) {
  WalkEnd end{.time = time, .wants = {random(), random()}, .start = time / 3};
  for (int k = 0; k < 5; ++k) end.instances.push_back({uint32_t(random() % 5000), random() % 100'000 + 1});
  for (int k = 0; k < 3; ++k)
    end.firsts.push_back(
        {random() % 1000, uint32_t(random() % 50), 0, Why(random() % 8), {random() % 2000, 7}});
  end.firsts.push_back({3, 4, 1, Why::Call, {}});
  end.leaves.push_back({{Leaf::Input, 12, 13, 14, ~uint64_t(0), 0}, {15, 16}});
  end.blackBoxes.push_back({"frobnicate", 3});
  return end;
}

void expectSame(const WalkEnd& a, const WalkEnd& b) {
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.wants, b.wants);
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.instances, b.instances);
  EXPECT_EQ(a.firsts, b.firsts);
  EXPECT_EQ(a.blackBoxes, b.blackBoxes);
  ASSERT_EQ(a.leaves.size(), b.leaves.size());
  for (size_t k = 0; k < a.leaves.size(); ++k) {
    EXPECT_EQ(a.leaves[k].leaf.kind, b.leaves[k].leaf.kind);
    EXPECT_EQ(a.leaves[k].leaf.size, b.leaves[k].leaf.size);
    EXPECT_EQ(a.leaves[k].consumer, b.leaves[k].consumer);
  }
}

TEST(WalkEnds, ComeBackAsTheyWere) {
  std::mt19937_64 random(1);
  WalkEnd end = someEnd(random, 1'000'000);
  auto again = decodeEnd(encodeEnd(end));
  ASSERT_TRUE(again);
  expectSame(end, *again);
}

TEST(WalkEnds, CutOffAnywhereTheyAreNone) {
  std::mt19937_64 random(2);
  std::vector<uint8_t> bytes = encodeEnd(someEnd(random, 77));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decodeEnd(std::span(bytes).first(size))) << size;
}

TEST(WalkEnds, AreFoundByTimeAndWants) {
  test::TempDir dir;
  recording::SideFiles side(dir / "run.flr", 42);
  std::mt19937_64 random(3);
  WalkEnds ends(1000);
  WalkEnd one = someEnd(random, 5000), two = someEnd(random, 5000), three = someEnd(random, 8000);
  for (const WalkEnd& end : {one, two, three, one}) ends.add(end);
  EXPECT_EQ(ends.size(), 3u);
  ASSERT_TRUE(bool(ends.write(side)));
  WalkEnds loaded(1000);
  loaded.load(side);
  ASSERT_TRUE(loaded.find(5000, two.wants));
  expectSame(*loaded.find(5000, two.wants), two);
  EXPECT_FALSE(loaded.find(5000, three.wants));
  EXPECT_FALSE(loaded.hasAt(5001));
  WalkEnds otherWindows(500);
  otherWindows.load(side);
  EXPECT_EQ(otherWindows.size(), 0u);
}

TEST(WalkEnds, StayWithinTheirRoom) {
  WalkEnds ends(1000);
  std::mt19937_64 random(4);
  for (uint64_t k = 0; k < 2000; ++k) ends.add(someEnd(random, 1000 * k));
  EXPECT_LE(ends.size(), 512u);
  EXPECT_TRUE(ends.hasAt(1999 * 1000)); // the oldest went
  EXPECT_FALSE(ends.hasAt(0));
}

} // namespace
} // namespace faultline::depend

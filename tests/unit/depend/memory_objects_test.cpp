// Objects by their provenance, when they are gone and when others lie where they were.
#include "depend/memory_objects.h"

#include <gtest/gtest.h>

namespace faultline::depend {
namespace {

TEST(MemoryObjects, APointerKnowsItsOwnObject) {
  MemoryObjects objects;
  Provenance a = objects.makeBlock(0x1000, 16, 1, 10);
  EXPECT_TRUE(objects.has(a, 0x1000, 16));
  EXPECT_TRUE(objects.has(a, 0x100c, 4));
  EXPECT_FALSE(objects.has(a, 0x100d, 4));
  EXPECT_FALSE(objects.has(a, 0x1010, 1));
  EXPECT_FALSE(objects.has(a, 0xfff, 1));
  objects.end(a, MemoryObject::Freed, 2, 20);
  Provenance b = objects.makeBlock(0x1000, 32, 3, 30);
  EXPECT_FALSE(objects.has(a, 0x1000, 1));
  EXPECT_TRUE(objects.has(b, 0x1000, 32));
  ASSERT_TRUE(objects.find(a));
  EXPECT_EQ(objects.find(a)->state, MemoryObject::Freed);
  EXPECT_EQ(objects.find(a)->endedAt, 20u);
  EXPECT_EQ(objects.blockAt(0x1000), b);
  EXPECT_EQ(objects.blockAround(0x101f), b);
  EXPECT_EQ(objects.blockAround(0x1020), kNoObject);
}

TEST(MemoryObjects, ABlockThatNobodySawGoIsNotSpokenOf) {
  MemoryObjects objects;
  Provenance a = objects.makeBlock(0x1000, 16, 1, 10), b = objects.makeBlock(0x1020, 16, 1, 11);
  objects.makeBlock(0x1008, 0x40, 2, 20);
  EXPECT_EQ(objects.find(a)->state, MemoryObject::Unknown);
  EXPECT_EQ(objects.find(b)->state, MemoryObject::Unknown);
}

TEST(MemoryObjects, ThoseLongGoneGiveTheirPlaceToOthers) {
  MemoryObjects objects;
  Provenance first = objects.makeBlock(0x1000, 16, 1, 1);
  objects.end(first, MemoryObject::Freed, 2, 2);
  for (uint64_t k = 0; k < 300'000; ++k)
    objects.end(objects.makeBlock(0x1000, 16, 1, k), MemoryObject::Freed, 2, k);
  EXPECT_EQ(objects.find(first), nullptr);
  EXPECT_FALSE(objects.has(first, 0x1000, 1));
}

} // namespace
} // namespace faultline::depend

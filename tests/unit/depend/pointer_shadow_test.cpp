// Who wrote memory, and where its pointers lead, against a plain array of bytes.
#include "depend/pointer_shadow.h"

#include <gtest/gtest.h>
#include <random>

namespace faultline::depend {
namespace {

TEST(PointerShadow, WhatNobodyToldOfIsWritten) {
  PointerShadow shadow;
  EXPECT_EQ(shadow.load(0x1234, 8).undefined, 0u);
  EXPECT_EQ(shadow.load(0x1230, 8).from, kNoObject);
  EXPECT_EQ(shadow.firstUndefined(0x1000, 0x3000), std::nullopt);
}

TEST(PointerShadow, APointerStaysUntilAPartOfItIsWritten) {
  PointerShadow shadow;
  shadow.store(0x1008, 8, {7, 0});
  EXPECT_EQ(shadow.load(0x1008, 8).from, 7u);
  EXPECT_EQ(shadow.load(0x1008, 4).from, kNoObject);
  EXPECT_EQ(shadow.load(0x100c, 8).from, kNoObject);
  shadow.copy(0x5010, 0x1008, 8);
  EXPECT_EQ(shadow.load(0x5010, 8).from, 7u);
  shadow.copy(0x6011, 0x1008, 8); // what it leads to is not followed where it is not aligned
  EXPECT_EQ(shadow.load(0x6011, 8).from, kNoObject);
  shadow.store(0x100a, 1, {});
  EXPECT_EQ(shadow.load(0x1008, 8).from, kNoObject);
}

TEST(PointerShadow, AByteOfWhichSomeBitsWereGivenIsWritten) {
  PointerShadow shadow;
  shadow.undefine(0x2000, 4);
  shadow.store(0x2000, 4, {kNoObject, 0xffffff0f});
  EXPECT_EQ(shadow.load(0x2000, 4).undefined, 0xffffff00u);
}

// Pointers of memory that was not written since are those of what lay there before.
TEST(PointerShadow, StalePointersAreNotVisited) {
  PointerShadow shadow;
  shadow.store(0x1000, 8, {7, 0});
  shadow.store(0x1008, 8, {8, 0});
  shadow.undefine(0x1000, 8);
  std::vector<Provenance> seen;
  shadow.forEachPointer(0x1000, 16, [&](Provenance& p) { seen.push_back(p); });
  EXPECT_EQ(seen, std::vector<Provenance>{8});
}

TEST(PointerShadow, IsAsAnArrayOfBytes) {
  std::mt19937 random(5);
  PointerShadow shadow;
  constexpr uint64_t kBase = 0x7ff0, kSize = 0x2020; // three pages
  std::vector<bool> undefined(kSize);
  auto below = [&](uint64_t n) { return random() % n; };
  for (int round = 0; round < 20'000; ++round) {
    uint64_t size = 1 + below(below(4) ? 24 : 5000), at = below(kSize - size);
    switch (below(4)) {
    case 0:
      shadow.define(kBase + at, size);
      std::fill_n(undefined.begin() + long(at), size, false);
      break;
    case 1:
      shadow.undefine(kBase + at, size);
      std::fill_n(undefined.begin() + long(at), size, true);
      break;
    case 2: {
      uint64_t to = below(kSize - size);
      shadow.copy(kBase + to, kBase + at, size);
      std::vector<bool> bytes(undefined.begin() + long(at), undefined.begin() + long(at + size));
      std::copy(bytes.begin(), bytes.end(), undefined.begin() + long(to));
      break;
    }
    default: {
      uint64_t bytes = std::min<uint64_t>(size, 8), mask = 0;
      for (uint64_t k = 0; k < bytes; ++k)
        if (undefined[at + k]) mask |= uint64_t(0xff) << 8 * k;
      ASSERT_EQ(shadow.load(kBase + at, bytes).undefined, mask) << round;
      auto first = std::find(undefined.begin() + long(at), undefined.begin() + long(at + size), true);
      std::optional<uint64_t> expected;
      if (first != undefined.begin() + long(at + size))
        expected = kBase + uint64_t(first - undefined.begin());
      ASSERT_EQ(shadow.firstUndefined(kBase + at, size), expected) << round;
    }
    }
  }
}

} // namespace
} // namespace faultline::depend

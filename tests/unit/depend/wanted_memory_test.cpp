#include "depend/wanted_memory.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace faultline::depend {
namespace {

constexpr uint64_t kAll = ~uint64_t(0);

TEST(WantedMemory, TakesOutWhatWasPutIn) {
  WantedMemory m;
  EXPECT_TRUE(m.empty());
  m.wantAll(0x1000, 4, 7);
  EXPECT_FALSE(m.empty());
  EXPECT_TRUE(m.isWanted(0x1003, 1));
  EXPECT_FALSE(m.isWanted(0x1004, 100));
  EXPECT_FALSE(m.isWanted(0xff0, 16));
  EXPECT_FALSE(m.isWanted(0x1000, 0));
  std::vector<uint64_t> masks;
  EXPECT_EQ(m.take(0x1000, 8, masks), 7u);
  EXPECT_EQ(masks, std::vector<uint64_t>{0xffffffff});
  EXPECT_TRUE(m.empty());
  EXPECT_EQ(m.take(0x1000, 8, masks), kNobody);
  EXPECT_EQ(masks, std::vector<uint64_t>{0});
}

TEST(WantedMemory, BitsThatAreKeptStayWanted) {
  WantedMemory m;
  std::vector<uint64_t> masks;
  m.wantAll(0x1006, 4, 3);
  EXPECT_EQ(m.take(0x1006, 4, masks, 0x00ff0f00), 3u); // across a word's end
  EXPECT_EQ(masks, std::vector<uint64_t>{0xff00f0ffu});
  EXPECT_EQ(m.take(0x1006, 4, masks, 0x00ff0f00), kNobody);
  EXPECT_EQ(m.take(0x1006, 4, masks), 3u);
  EXPECT_EQ(masks, std::vector<uint64_t>{0x00ff0f00u});
  EXPECT_TRUE(m.empty());
}

TEST(WantedMemory, KeepsBitsApart) {
  WantedMemory m;
  uint64_t bits = 0xf0f0;
  m.want(0x2001, 2, {&bits, 1}, 1);
  EXPECT_FALSE(m.isWanted(0x2000, 1));
  std::vector<uint64_t> masks;
  EXPECT_EQ(m.take(0x2002, 1, masks), 1u); // the upper byte only
  EXPECT_EQ(masks[0], 0xf0u);
  EXPECT_EQ(m.take(0x2000, 4, masks), 1u);
  EXPECT_EQ(masks[0], 0xf000u);
  EXPECT_TRUE(m.empty());
}

TEST(WantedMemory, WantsNothingBeyondItsSize) {
  WantedMemory m;
  std::vector<uint64_t> masks = {kAll, kAll};
  m.want(0x2005, 3, masks, 1); // a mask longer than the bytes
  EXPECT_FALSE(m.isWanted(0x2008, 16));
  EXPECT_FALSE(m.isWanted(0x2000, 5));
  uint64_t none = 0;
  m.take(0x2000, 8, masks);
  m.want(0x2000, 8, {&none, 1}, 1);
  m.want(0x2000, 0, masks, 1);
  EXPECT_TRUE(m.empty());
}

TEST(WantedMemory, SpansWordsAndPages) {
  WantedMemory m;
  std::vector<uint64_t> masks = {0x8000000000000001, 0x3};
  m.want(0x2ffd, 9, masks, 5); // three bytes on one page, six on the next
  EXPECT_TRUE(m.isWanted(0x2ffd, 1));
  EXPECT_FALSE(m.isWanted(0x2ffe, 6));
  EXPECT_TRUE(m.isWanted(0x3004, 1)); // bit 63 of the first mask
  EXPECT_TRUE(m.isWanted(0x3005, 1));
  std::vector<uint64_t> out;
  EXPECT_EQ(m.take(0x2ffd, 9, out), 5u);
  EXPECT_EQ(out, masks);
  EXPECT_TRUE(m.empty());
}

TEST(WantedMemory, FirstComesFirst) {
  WantedMemory m;
  m.wantAll(0x100, 1, 1);
  m.wantAll(0x100, 8, 2);
  std::vector<uint64_t> masks;
  EXPECT_EQ(m.take(0x100, 8, masks), 1u);
  EXPECT_EQ(masks[0], kAll);
}

TEST(WantedMemory, AnswersForHugeRanges) {
  WantedMemory m;
  m.wantAll(0x7fff'0000'0123, 1, 3);
  EXPECT_TRUE(m.isWanted(0x7000'0000'0000, 0x1000'0000'0000));
  EXPECT_FALSE(m.isWanted(0x7fff'0000'0124, 0x7fff'ffff));
  EXPECT_FALSE(m.isWanted(0x1000, 0x7fff'0000'0123 - 0x1000));
  EXPECT_TRUE(m.isWanted(0x1000, 0x7fff'0000'0124 - 0x1000));
}

TEST(WantedMemory, TellsOfWordsThatBecomeWanted) {
  WantedMemory m;
  std::map<Wanter, int> count;
  m.watch = [&](Wanter who, bool wanted) { count[who] += wanted ? 1 : -1; };
  m.wantAll(0x1004, 8, 1); // two words
  m.wantAll(0x1000, 4, 2); // the rest of the first
  EXPECT_EQ(count[1], 2);
  EXPECT_EQ(count[2], 0);
  std::vector<uint64_t> masks;
  m.take(0x1004, 4, masks);
  EXPECT_EQ(count[1], 2); // bytes of it are still wanted
  m.take(0x1000, 16, masks);
  EXPECT_EQ(count[1], 0);
}

// The same by a set of bits.
class Naive {
public:
  void want(uint64_t address, uint64_t size, std::span<const uint64_t> masks) {
    for (uint64_t b = 0; b < size * 8 && b / 64 < masks.size(); ++b)
      if (masks[b / 64] >> b % 64 & 1) bits_.insert(address * 8 + b);
  }
  bool isWanted(uint64_t address, uint64_t size) const {
    auto it = bits_.lower_bound(address * 8);
    return it != bits_.end() && *it < (address + size) * 8;
  }
  std::vector<uint64_t> take(uint64_t address, uint64_t size) {
    std::vector<uint64_t> masks(std::max<uint64_t>(1, (size + 7) / 8));
    for (auto it = bits_.lower_bound(address * 8); it != bits_.end() && *it < (address + size) * 8;) {
      uint64_t b = *it - address * 8;
      masks[b / 64] |= uint64_t(1) << b % 64;
      it = bits_.erase(it);
    }
    return masks;
  }
  std::set<uint64_t> bits_;
};

TEST(WantedMemory, AgreesWithASetOfBits) {
  std::mt19937_64 random(1);
  auto below = [&](uint64_t n) { return random() % n; };
  uint64_t hits = 0, misses = 0;
  for (int round = 0; round < 300; ++round) {
    WantedMemory m;
    Naive naive;
    int words = 0;
    m.watch = [&](Wanter, bool wanted) { words += wanted ? 1 : -1; };
    // A few places, some of them far apart, so that pages come and go and meet in the lookup table.
    uint64_t bases[] = {0x1000, 0x1ff0, 0x100ff8, 0x1000 + (uint64_t(256) << 12), uint64_t(1) << 46};
    for (int k = 0; k < 300; ++k) {
      uint64_t address = bases[below(5)] + below(24), size = below(4) ? 1 + below(16) : below(80);
      switch (below(4)) {
      case 0: {
        std::vector<uint64_t> masks(1 + below(3));
        for (uint64_t& mask : masks) mask = random() & random() & (below(2) ? kAll : 0xff00);
        m.want(address, size, masks, Wanter(k));
        naive.want(address, size, masks);
        break;
      }
      case 1:
        if (below(3) == 0) {
          m.wantAll(address, size, Wanter(k));
          naive.want(address, size, std::vector<uint64_t>(size / 8 + 1, kAll));
        }
        break;
      case 2: {
        if (below(20) == 0) address = 0x1000, size = uint64_t(1) << (10 + below(38)); // a huge range
        ASSERT_EQ(m.isWanted(address, size), naive.isWanted(address, size)) << round << " " << k;
        break;
      }
      default: {
        bool wanted = naive.isWanted(address, size);
        std::vector<uint64_t> masks;
        Wanter who = m.take(address, size, masks);
        ASSERT_EQ(who != kNobody, wanted);
        ASSERT_EQ(masks, naive.take(address, size)) << round << " " << k << " " << address << " " << size;
        ++(wanted ? hits : misses);
      }
      }
      ASSERT_EQ(m.empty(), naive.bits_.empty());
    }
    std::set<uint64_t> left;
    int listed = 0;
    uint64_t last = 0;
    m.forEach([&](uint64_t address, uint64_t mask, Wanter) {
      EXPECT_GT(address, last);
      last = address;
      ++listed;
      for (uint64_t b = 0; b < 64; ++b)
        if (mask >> b & 1) left.insert(address * 8 + b);
    });
    ASSERT_EQ(left, naive.bits_);
    ASSERT_EQ(listed, words);
  }
  EXPECT_GT(hits, 5000u);
  EXPECT_GT(misses, 1000u);
}

} // namespace
} // namespace faultline::depend

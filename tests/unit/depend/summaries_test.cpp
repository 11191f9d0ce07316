// Summaries of windows: what was written comes out, and what a file has is read back or not used at all.
#include "depend/summaries.h"
#include "support/run.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace faultline::depend {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WrittenMemory, JoinsWhatLiesTogether) {
  WrittenMemory memory;
  for (uint64_t k = 0; k < 100; ++k) memory.add(0x1000 + 4 * (99 - k), 4);
  memory.add(0x8000, 1);
  memory.add(0x9006, 4);  // over the edge of a word
  memory.add(0x9ff8, 16); // over the edge of a page
  EXPECT_THAT(memory.take(10), ElementsAre(WrittenRange{0x1000, 400}, WrittenRange{0x8000, 8},
                                           WrittenRange{0x9000, 16}, WrittenRange{0x9ff8, 16}));
  EXPECT_THAT(memory.take(10), IsEmpty());
}

TEST(WrittenMemory, KeepsLargeRangesAsTheyAre) {
  WrittenMemory memory;
  memory.add(0x5000, 0);
  memory.add(0x10003, 1 << 20);
  memory.add(0x10ff0, 8);
  memory.add(~uint64_t(0) - 99, 5000);
  std::vector<WrittenRange> ranges = memory.take(10);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0], (WrittenRange{0x10003, 1 << 20}));
  EXPECT_GE(ranges[1].address + ranges[1].size, ranges[1].address);
}

TEST(WrittenMemory, RoundsUpButForgetsNothing) {
  std::mt19937_64 random(1);
  for (size_t most : {1, 3, 20, 500}) {
    WrittenMemory memory;
    std::set<uint64_t> written;
    for (int k = 0; k < 3000; ++k) {
      uint64_t address = random() % (1 << 20) + (random() % 3 << 40), size = random() % 20;
      if (random() % 500 == 0) size = random() % 9000;
      memory.add(address, size);
      for (uint64_t b = 0; b < size; ++b) written.insert(address + b);
    }
    std::vector<WrittenRange> ranges = memory.take(most);
    EXPECT_LE(ranges.size(), most);
    for (size_t k = 1; k < ranges.size(); ++k)
      ASSERT_LT(ranges[k - 1].address + ranges[k - 1].size, ranges[k].address);
    for (uint64_t address : written) {
      auto it = std::partition_point(ranges.begin(), ranges.end(),
                                     [&](auto& r) { return r.address + r.size <= address; });
      ASSERT_TRUE(it != ranges.end() && it->address <= address) << address;
    }
  }
}

WindowSummary someSummary(uint64_t start, uint64_t end, std::mt19937_64& random) {
  WindowSummary s{.start = start, .end = end, .firstThread = uint32_t(random() % 3)};
  s.lastThread = uint32_t(random() % 300);
  s.callsUnknown = random() % 2;
  s.startsThreads = random() % 2;
  uint64_t at = 0;
  for (uint64_t k = random() % 20; k > 0; --k) {
    at += random() % (uint64_t(1) << 50);
    s.written.push_back({at, 1 + random() % 1000});
    at += s.written.back().size;
  }
  for (uint64_t k = random() % 3; k > 0; --k) {
    ThreadSummary t{.thread = uint32_t(k), .entered = uint32_t(random() % 5)};
    for (uint64_t n = random() % 4; n > 0; --n) t.left.push_back({uint32_t(n), uint32_t(random() % 1000)});
    t.base = {1, uint32_t(random() % 1000)};
    for (uint64_t n = random() % 10; n > 0; --n)
      t.segments.push_back((t.segments.empty() ? 0 : t.segments.back()) + uint32_t(random() % 500));
    s.threads.push_back(t);
  }
  return s;
}

TEST(Summaries, AreReadBack) {
  std::mt19937_64 random(5);
  for (int k = 0; k < 500; ++k) {
    WindowSummary s = someSummary(random() % 1'000'000, 1'000'000 + random() % 1000, random);
    auto again = decodeSummary(encodeSummary(s));
    ASSERT_TRUE(again);
    ASSERT_EQ(*again, s);
  }
}

TEST(Summaries, DamageIsNotWellFormedOrHarmless) {
  std::mt19937_64 random(6);
  for (int k = 0; k < 3000; ++k) {
    std::vector<uint8_t> bytes = encodeSummary(someSummary(100, 200, random));
    if (random() % 3 == 0)
      bytes.resize(random() % bytes.size());
    else
      for (uint64_t n = 1 + random() % 3; n > 0; --n) bytes[random() % bytes.size()] = uint8_t(random());
    if (auto s = decodeSummary(bytes)) {
      EXPECT_EQ(decodeSummary(encodeSummary(*s)), s);
    }
  }
}

class SummaryFile : public ::testing::Test {
protected:
  test::TempDir dir;
  recording::SideFiles side{dir / "run.flr", 7};
  std::mt19937_64 random{7};
  Summaries loaded(uint64_t window = 100) const {
    Summaries s;
    s.load(side, window);
    return s;
  }
};

TEST_F(SummaryFile, IsForTheNextProcess) {
  Summaries made;
  WindowSummary first = someSummary(0, 100, random), last = someSummary(100, 130, random);
  made.add(0, 100, first);
  made.add(100, 200, last); // the run ended at 130
  ASSERT_TRUE(bool(made.write(side, 100)));
  Summaries read = loaded();
  ASSERT_EQ(read.size(), 2u);
  ASSERT_TRUE(read.find(0, 100) && read.find(100, 200));
  EXPECT_EQ(*read.find(0, 100), first);
  EXPECT_EQ(*read.find(100, 200), last);
  EXPECT_FALSE(read.find(0, 99));
  EXPECT_EQ(loaded(101).size(), 0u) << "of windows of another size";
  // Nothing new: nothing is written.
  std::filesystem::remove_all(side.directory());
  ASSERT_TRUE(bool(read.write(side, 100)));
  EXPECT_EQ(loaded().size(), 0u);
}

TEST_F(SummaryFile, TheLongestOfThoseThatBeginTogetherStays) {
  Summaries s;
  s.add(0, 50, someSummary(0, 50, random));
  s.add(0, 100, someSummary(0, 100, random));
  s.add(0, 70, someSummary(0, 70, random));
  EXPECT_FALSE(s.find(0, 50));
  EXPECT_TRUE(s.find(0, 100));
}

TEST_F(SummaryFile, ADamagedOneIsNone) {
  Summaries made;
  for (uint64_t k = 0; k < 50; ++k)
    made.add(k * 100, k * 100 + 100, someSummary(k * 100, k * 100 + 100, random));
  ASSERT_TRUE(bool(made.write(side, 100)));
  std::filesystem::path path = side.directory() / "windows";
  std::string good = test::readFile(path);
  for (size_t at = 0; at < good.size(); at += 1 + at / 50) {
    if (at >= 40 && at < 64) continue; // unused, before the content
    std::string bad = good;
    bad[at] = char(bad[at] ^ 0x10);
    test::writeFile(path, bad);
    EXPECT_EQ(loaded().size(), 0u) << at;
    test::writeFile(path, good.substr(0, at));
    EXPECT_EQ(loaded().size(), 0u) << at;
  }
  test::writeFile(path, good);
  EXPECT_EQ(loaded().size(), 50u);
}

} // namespace
} // namespace faultline::depend

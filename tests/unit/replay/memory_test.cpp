#include "replay/memory.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace faultline::replay;

namespace {

TEST(Memory, ReadsZeroWhereNothingWasWritten) {
  Memory m;
  uint64_t value = 1;
  EXPECT_TRUE(m.load<uint64_t>(0x1000, value));
  EXPECT_EQ(value, 0u);
  EXPECT_FALSE(m.isPresent(0x1000));
}

TEST(Memory, AccessesCrossPages) {
  Memory m;
  for (uint64_t at = 0x2000 - 9; at <= 0x2000 + 1; ++at) {
    EXPECT_TRUE(m.store<uint64_t>(at, 0x0102030405060708 + at));
    uint64_t value = 0;
    EXPECT_TRUE(m.load(at, value));
    EXPECT_EQ(value, 0x0102030405060708 + at);
  }
}

TEST(Memory, RefusesAddressesThatNoProgramHas) {
  Memory m;
  uint32_t value;
  EXPECT_FALSE(m.load(kAddressLimit - 2, value));
  EXPECT_EQ(m.error(), MemoryError::BadAddress);
  EXPECT_FALSE(m.store<uint8_t>(~uint64_t(0), 1));
  EXPECT_FALSE(m.copy(0x1000, 0x2000, ~uint64_t(0)));
}

TEST(Memory, StopsAtItsLimit) {
  Memory m(1 << 20);
  EXPECT_FALSE(m.fill(0x10000, 1, 2 << 20));
  EXPECT_EQ(m.error(), MemoryError::LimitReached);
}

TEST(Memory, CopiesOverlappingRanges) {
  for (int64_t distance : {-5000, -1, 1, 7, 4096, 5000}) {
    Memory m;
    std::vector<uint8_t> model(40000);
    for (size_t k = 0; k < model.size(); ++k) model[k] = uint8_t(k * 7 + k / 256);
    m.write(0x10000, model.data(), model.size());
    m.copy(0x10000 + 10000 + distance, 0x10000 + 10000, 12345);
    memmove(model.data() + 10000 + distance, model.data() + 10000, 12345);
    std::vector<uint8_t> seen(model.size());
    m.read(0x10000, seen.data(), seen.size());
    EXPECT_EQ(seen, model);
  }
}

// Random writes with snapshots in between: each snapshot stays what it was.
TEST(Memory, SnapshotsKeepTheirState) {
  std::mt19937_64 random(1);
  Memory m;
  std::map<uint64_t, uint8_t> model;
  std::vector<std::pair<Memory::Snapshot, std::map<uint64_t, uint8_t>>> kept;
  auto check = [&] {
    for (auto& [address, byte] : model) {
      uint8_t seen;
      ASSERT_TRUE(m.load(address, seen));
      ASSERT_EQ(seen, byte);
    }
  };
  for (int round = 0; round < 300; ++round) {
    for (int k = 0; k < 20; ++k) {
      uint64_t address = (random() % 5 << 34) + (random() % 6) * 4094;
      auto byte = uint8_t(random());
      ASSERT_TRUE(m.store(address, byte));
      model[address] = byte;
    }
    if (round % 7 == 0) kept.emplace_back(m.snapshot(), model);
    if (round % 11 == 10) {
      auto& [snapshot, state] = kept[random() % kept.size()];
      m.restore(snapshot);
      // What the model does not know must be as the snapshot had it, so forget only what came later.
      model = state;
    }
    check();
  }
  uint64_t used = m.bytesInUse();
  kept.clear();
  EXPECT_LT(m.bytesInUse(), used);
  check();
}

} // namespace

// Logs made by hand: what names a run, and what two of them have in common.
#include "experiment/run_digest.h"

#include "abi/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::experiment {
namespace {

using recording::MemoryLog;
using Bytes = std::vector<uint8_t>;

Bytes load(uint8_t epoch, uint8_t id, uint8_t value) { return {FL_LOG_LOAD1, epoch, id, value}; }
Bytes result(uint8_t id, uint8_t value) { return {FL_LOG_RET1, id, value}; }
Bytes effect(uint8_t epoch, uint8_t id, uint8_t address, uint8_t value) {
  return {FL_LOG_EFFECT, epoch, id, address, 0, 0, 0, 0, 0, 0, 0, 1, value};
}
Bytes together(std::initializer_list<Bytes> records) {
  Bytes out;
  for (const Bytes& r : records) out.insert(out.end(), r.begin(), r.end());
  return out;
}
std::string digest(const Bytes& log, std::vector<OutsideValue> passing = {}) {
  auto digest = runDigest(MemoryLog({log}), passing);
  EXPECT_TRUE(digest) << digest.error().message;
  return digest ? *digest : "";
}

TEST(RunDigest, NamesARunByWhatItGot) {
  Bytes log = together({load(1, 5, 3), result(6, 1)});
  EXPECT_EQ(digest(log), digest(log));
  EXPECT_NE(digest(log), digest(together({load(1, 5, 4), result(6, 1)}))) << "another value";
  EXPECT_NE(digest(log), digest(together({load(2, 5, 3), result(6, 1)}))) << "later";
  EXPECT_NE(digest(log), digest(together({load(1, 5, 3), result(6, 2)})));
  EXPECT_NE(digest(log), digest(together({load(1, 5, 3)})));
}

TEST(RunDigest, LeavesOutWhatEachRepetitionGetsOtherwise) {
  Bytes first = together({load(1, 5, 3), result(6, 1), effect(1, 7, 0x10, 8)});
  Bytes second = together({load(1, 5, 3), result(6, 2), effect(1, 7, 0x10, 9)});
  LogComparison compared = compareLogs(second, first);
  ASSERT_FALSE(compared.difference) << *compared.difference;
  ASSERT_EQ(compared.otherValues.size(), 2u);
  EXPECT_EQ(compared.otherValues[0].id, 6u);
  EXPECT_EQ(digest(first, compared.otherValues), digest(second, compared.otherValues));
  EXPECT_NE(digest(first, compared.otherValues), digest(first));
  // Of more pieces, as only what changes in memory is logged.
  Bytes pieces = together({load(1, 5, 3), result(6, 2), effect(1, 7, 0x10, 9), effect(0, 7, 0x40, 9)});
  EXPECT_EQ(digest(first, compared.otherValues), digest(pieces, compared.otherValues));
  Bytes other = together({load(1, 5, 4), result(6, 1), effect(1, 7, 0x10, 8)});
  EXPECT_NE(digest(first, compared.otherValues), digest(other, compared.otherValues));
}

// A value that differs must not make the records behind it differ.
TEST(CompareLogs, CountsEachValueOnce) {
  Bytes first = together({load(1, 5, 3), effect(1, 7, 0x10, 8), load(1, 9, 1), load(1, 10, 1)});
  Bytes second = together({load(1, 5, 3), effect(1, 7, 0x20, 8), load(1, 9, 1), load(1, 10, 1)});
  EXPECT_EQ(compareLogs(first, second).otherValues.size(), 1u);
  EXPECT_THAT(*compareLogs(together({load(1, 6, 3)}), second).difference, ::testing::HasSubstr("instead of"));
}

// A call that leaves in memory what was there already has no record of it.
TEST(CompareLogs, WhatWasThereAlreadyIsNoOtherWay) {
  Bytes first = together({load(1, 5, 3), effect(1, 7, 0x10, 8), result(7, 0), load(1, 9, 1)});
  Bytes second = together({load(1, 5, 3), result(7, 0), load(2, 9, 1)});
  for (const LogComparison& compared : {compareLogs(first, second), compareLogs(second, first)}) {
    EXPECT_FALSE(compared.difference) << *compared.difference;
    ASSERT_FALSE(compared.otherValues.empty());
    EXPECT_EQ(compared.otherValues[0].id, 7u);
  }
  Bytes later = together({load(1, 5, 3), result(7, 0), load(3, 9, 1)});
  EXPECT_TRUE(compareLogs(first, later).difference);
}

} // namespace
} // namespace faultline::experiment

// What replay says of memcmp, strlen and their kin is what the C library says of the same bytes.
#include "abi/computed.h"
#include "replay/computed_call.h"

#include <gtest/gtest.h>
#include <random>

namespace faultline::replay {
namespace {

constexpr uint64_t kFirst = 0x10000 - 20, kSecond = 0x20000 - 7; // the bytes lie across the ends of pages

// Few different bytes, so that pieces are often equal; ends among them.
std::string randomBytes(std::mt19937& random) {
  std::string bytes(64, 0);
  for (char& c : bytes) c = "aab\xf0"[random() % 4];
  for (size_t k = 8 + random() % 40; k < bytes.size(); k += 1 + random() % 20) bytes[k] = 0;
  bytes.back() = 0;
  return bytes;
}

int sign(int value) { return (value > 0) - (value < 0); }

int difference(const std::string& a, const std::string& b, size_t size) {
  for (size_t k = 0; k < size; ++k)
    if (a[k] != b[k]) return int(uint8_t(a[k])) - int(uint8_t(b[k]));
  return 0;
}

class ComputedCalls : public ::testing::Test {
protected:
  uint64_t ours(uint32_t kind, uint64_t a0, uint64_t a1 = 0, uint64_t a2 = 0) {
    return computedResult(memory_, kind, a0, a1, a2);
  }
  static uint64_t placed(const void* found, const std::string& in) {
    return found ? kFirst + uint64_t(static_cast<const char*>(found) - in.data()) : 0;
  }
  Memory memory_;
};

TEST_F(ComputedCalls, AreThoseOfTheLibrary) {
  std::mt19937 random(7);
  int differing = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string a = randomBytes(random), b = round % 3 ? randomBytes(random) : a;
    if (round % 3 == 0) b[random() % 64] ^= char(random() % 2);
    b.back() = 0;
    ASSERT_TRUE(memory_.write(kFirst, a.data(), a.size()));
    ASSERT_TRUE(memory_.write(kSecond, b.data(), b.size()));
    uint64_t size = random() % 65;
    int byte = int("aab\xf0\0z"[random() % 6]);
    auto agrees = [](uint64_t ours, int theirs) { return sign(int32_t(ours)) == sign(theirs); };
    EXPECT_TRUE(agrees(ours(FL_COMPUTED_MEMCMP, kFirst, kSecond, size), memcmp(a.data(), b.data(), size)));
    EXPECT_TRUE(agrees(ours(FL_COMPUTED_STRCMP, kFirst, kSecond), strcmp(a.data(), b.data())));
    EXPECT_TRUE(agrees(ours(FL_COMPUTED_STRNCMP, kFirst, kSecond, size), strncmp(a.data(), b.data(), size)));
    // Of comparisons the standard promises the sign alone, and a sanitizer's give no more.
    EXPECT_EQ(int32_t(ours(FL_COMPUTED_MEMCMP, kFirst, kSecond, size)), difference(a, b, size));
    EXPECT_EQ(ours(FL_COMPUTED_STRLEN, kFirst), strlen(a.data()));
    EXPECT_EQ(ours(FL_COMPUTED_MEMCHR, kFirst, uint32_t(byte), size),
              placed(memchr(a.data(), byte, size), a));
    EXPECT_EQ(ours(FL_COMPUTED_STRCHR, kFirst, uint32_t(byte)), placed(strchr(a.data(), byte), a));
    differing += difference(a, b, size) != 0;
  }
  EXPECT_GT(differing, 500);
  EXPECT_LT(differing, 2900);
}

TEST_F(ComputedCalls, NonsenseHasAnAnswerToo) {
  for (uint32_t kind = 0; kind < FL_COMPUTED_COUNT + 2; ++kind)
    for (uint64_t address : {uint64_t(0), kAddressLimit - 1, ~uint64_t(0)})
      EXPECT_LE(ours(kind, address, address, 1000), ~uint64_t(0));
  EXPECT_EQ(ours(FL_COMPUTED_STRLEN, 0x5000), 0u) << "where nothing is, memory is zero";
}

} // namespace
} // namespace faultline::replay

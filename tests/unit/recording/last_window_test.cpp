// The file of `record --last`, with a follower that makes states of any size and takes its time.
#include "recording/last_window.h"

#include "recording/reader.h"
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace faultline::recording {
namespace {

namespace fs = std::filesystem;

std::string randomBytes(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size, 0);
  for (char& c : bytes) c = char(random());
  return bytes;
}

struct FakeFollower : Follower {
  size_t stateBytes;
  std::vector<uint32_t>& asked;
  FakeFollower(size_t stateBytes, std::vector<uint32_t>& asked) : stateBytes(stateBytes), asked(asked) {}
  Result<MadeState> stateAt(uint32_t chunk, const std::atomic<bool>&) override {
    if (stateBytes == 0) return errorf("this program cannot be replayed");
    asked.push_back(chunk);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::string bytes = randomBytes(stateBytes, chunk);
    auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    return MadeState{chunk, 1000 + chunk, {packState({1000 + chunk, chunk, 0, 0}, {data, bytes.size()})}};
  }
};

class LastWindowTest : public ::testing::Test {
protected:
  // Adds chunks of log whose first byte is their number.
  std::vector<std::string> fill(uint64_t size, size_t stateBytes, unsigned chunks, unsigned outputs = 0) {
    auto writer = Writer::create(path, size);
    EXPECT_TRUE(bool(writer));
    MakeFollower follower = [&](std::shared_ptr<const LogSource>) -> Result<std::unique_ptr<Follower>> {
      return std::unique_ptr<Follower>(std::make_unique<FakeFollower>(stateBytes, asked));
    };
    LastWindow window({path, size, size, packMeta(Meta{}), follower}, std::move(*writer));
    for (unsigned k = 0; k < chunks; ++k) {
      std::string bytes = randomBytes(300'000, k);
      bytes[0] = char(k);
      window.add(packLog(k, bytes));
      for (unsigned o = 0; o < outputs; ++o) window.add(packOutput(1, randomBytes(50'000, o)));
    }
    window.finish();
    window.writer().add(packEnd(End{}));
    EXPECT_TRUE(bool(window.writer().commit()));
    start = window.startTime();
    return window.caveats();
  }
  std::vector<unsigned> kept() {
    std::vector<unsigned> numbers;
    auto recording = Recording::open(path);
    EXPECT_TRUE(bool(recording)) << recording.error().message;
    if (!recording) return numbers;
    EXPECT_THAT(recording->caveats(), ::testing::IsEmpty());
    EXPECT_EQ(recording->start() ? recording->start()->time : 0, start);
    for (uint32_t k = 0; k < recording->log()->chunkCount(); ++k)
      numbers.push_back((**recording->log()->load(k))[0]);
    return numbers;
  }
  test::TempDir dir;
  fs::path path = dir / "run.flr";
  std::vector<uint32_t> asked;
  uint64_t start = 0;
};

TEST_F(LastWindowTest, KeepsTheLastChunksWithinTheSize) {
  EXPECT_THAT(fill(5'000'000, 400'000, 100), ::testing::IsEmpty());
  EXPECT_LE(fs::file_size(path), 5'000'000u);
  std::vector<unsigned> numbers = kept();
  ASSERT_GE(numbers.size(), 6u) << "half of the room is log";
  for (size_t k = 0; k < numbers.size(); ++k) EXPECT_EQ(numbers[k], 100 - numbers.size() + k);
  EXPECT_EQ(start, 1000 + numbers[0]) << "the state is that of its first chunk";
  EXPECT_TRUE(std::is_sorted(asked.begin(), asked.end()));
  EXPECT_LT(asked.size(), 30u) << "not one for each chunk";
}

TEST_F(LastWindowTest, AShortLogIsLeftAlone) {
  EXPECT_THAT(fill(5'000'000, 400'000, 5), ::testing::IsEmpty());
  EXPECT_EQ(kept().size(), 5u);
  EXPECT_EQ(start, 0u);
  EXPECT_TRUE(asked.empty());
}

TEST_F(LastWindowTest, OutputDoesNotDriveTheLogOut) {
  auto caveats = fill(5'000'000, 400'000, 60, 6);
  ASSERT_EQ(caveats.size(), 1u);
  EXPECT_THAT(caveats[0], ::testing::HasSubstr("what the program printed"));
  EXPECT_LE(fs::file_size(path), 5'000'000u);
  EXPECT_EQ(kept().back(), 59u);
  auto recording = Recording::open(path);
  EXPECT_GT(recording->output(1)->size(), 100'000u) << "its end is kept";
}

TEST_F(LastWindowTest, WhatCannotBeDoneIsSaid) {
  EXPECT_THAT(fill(5'000'000, 4'000'000, 40)[0],
              ::testing::HasSubstr("the state of the program alone takes"));
  EXPECT_LE(fs::file_size(path), 5'000'000u);
  EXPECT_THAT(fill(5'000'000, 0, 40)[0], ::testing::HasSubstr("cannot be replayed"));
  EXPECT_LE(fs::file_size(path), 5'000'000u);
  EXPECT_EQ(kept().front(), 0u) << "what there is stays";
}

} // namespace
} // namespace faultline::recording

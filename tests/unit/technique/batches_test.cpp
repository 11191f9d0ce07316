// How many experiments are asked for at once.
#include "technique/batches.h"

#include <gtest/gtest.h>

namespace faultline::technique {
namespace {

using namespace std::chrono_literals;

TEST(Batches, GrowAsLongAsTheyTakeNoTime) {
  Batches batches;
  EXPECT_EQ(batches.next(), 64u);
  batches.took(64, 1ms);
  EXPECT_EQ(batches.next(), 512u);
  batches.took(512, 0s);
  batches.took(4096, 1ms);
  EXPECT_EQ(batches.next(), 8192u) << "there is a largest one";
}

TEST(Batches, AreWhatTakesASecond) {
  Batches batches;
  batches.took(64, 1ms);
  batches.took(512, 4s);
  EXPECT_EQ(batches.next(), 128u);
  batches.took(128, 500ms);
  EXPECT_EQ(batches.next(), 256u);
}

// A run of minutes: each experiment takes longer than all of them should.
TEST(Batches, AreNeverEmpty) {
  Batches batches;
  batches.took(64, 1ms);
  batches.took(512, 1000s);
  EXPECT_EQ(batches.next(), 64u);
}

// To walk through the run takes two seconds, and an experiment nearly nothing.
TEST(Batches, GrowWhereMostOfTheTimeIsTheWalk) {
  Batches batches;
  size_t made = 0;
  for (int k = 0; k < 10; ++k) {
    made += batches.next();
    batches.took(batches.next(), 2s + batches.next() * 0.1ms);
  }
  EXPECT_GT(made, 10'000u);
}

// All verdicts were known: how long experiments take is not.
TEST(Batches, StayAsTheyAreWhereNoneWasMade) {
  Batches batches;
  batches.took(0, 0s);
  EXPECT_EQ(batches.next(), 64u);
  batches.took(64, 1ms);
  batches.took(0, 3s);
  EXPECT_EQ(batches.next(), 512u);
}

// The last batch of a search may be shorter than was asked for.
TEST(Batches, OfWhichOneWasShortGoOnWithTheLeast) {
  Batches batches;
  batches.took(3, 0s);
  EXPECT_EQ(batches.next(), 64u);
}

} // namespace
} // namespace faultline::technique

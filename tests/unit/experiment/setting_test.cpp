// Runs that are described to another process, which has to make the same.
#include "experiment/setting.h"

#include <gtest/gtest.h>

namespace faultline::experiment {
namespace {

TEST(Setting, OfARunNothingIsLostOnTheWay) {
  RunSpec spec{.argv = {"./p", "a b"}, .env = {"A=1"}, .cwd = "/tmp", .input = std::string("x\0y", 3)};
  spec.alterations.push_back({.kind = Alteration::Change,
                              .epoch = 2,
                              .instruction = 3,
                              .value = 4,
                              .address = 5,
                              .bytes = std::string("\xff\0\x01", 3),
                              .each = true,
                              .nth = 6,
                              .change = FL_CHANGE_NOT,
                              .slot = 7,
                              .test = 8});
  spec.alterations.push_back({});
  spec.lastEpoch = 9;
  spec.seed = 10;
  spec.layout = 11;
  auto again = unpackSpec(pack(spec));
  ASSERT_TRUE(bool(again)) << again.error().message;
  EXPECT_EQ(again->alterations, spec.alterations);
  EXPECT_EQ(again->argv, spec.argv);
  EXPECT_EQ(again->env, spec.env);
  EXPECT_EQ(again->cwd, spec.cwd);
  EXPECT_EQ(again->input, spec.input);
  EXPECT_EQ(again->lastEpoch, spec.lastEpoch);
  EXPECT_EQ(again->seed, spec.seed);
  EXPECT_EQ(again->layout, spec.layout);
}

} // namespace
} // namespace faultline::experiment

// Output that is not what was expected, beside it.
#include "report/output_text.h"

#include "report/terminal.h"

#include <gmock/gmock.h>

namespace faultline::report {
namespace {

finding::FailureInfo failureOf(std::string got, std::string expected) {
  finding::FailureInfo failure;
  failure.output = finding::OutputInfo{.gotLine = std::move(got), .expectedLine = std::move(expected)};
  return failure;
}

TEST(RenderOutput, MarksTheFirstDifference) {
  EXPECT_EQ(renderOutput(failureOf("376:", "377:"), Screen{}), "  written   376:\n"
                                                               "  expected  377:\n"
                                                               "              ^\n");
}

TEST(RenderOutput, MarksWhereTheOutputEndsTooEarly) {
  EXPECT_EQ(renderOutput(failureOf("bc", "bcd"), Screen{}), "  written   bc\n"
                                                            "  expected  bcd\n"
                                                            "              ^\n");
}

TEST(RenderOutput, CountsCharactersAndNotBytes) {
  EXPECT_EQ(renderOutput(failureOf("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\xa4"), Screen{}),
            "  written   gr\xc3\xbc\xc3\x9f\n"
            "  expected  gr\xc3\xbc\xc3\xa4\n"
            "               ^\n");
}

TEST(RenderOutput, WhatIsNoTextIsShownByItsBytes) {
  EXPECT_EQ(renderOutput(failureOf("gz\x8b\x01\xc3\xbc", "gz\x8b\x02"), Screen{}),
            "  written   gz\\x8b\\x01\xc3\xbc\n"
            "  expected  gz\\x8b\\x02\n"
            "                     ^\n");
}

TEST(RenderOutput, HasNothingToMarkBesideNothing) {
  EXPECT_EQ(renderOutput(failureOf("", "a"), Screen{}), "  written   (nothing)\n"
                                                        "  expected  a\n");
  EXPECT_EQ(renderOutput(failureOf("same", "same"), Screen{}), "  written   same\n"
                                                               "  expected  same\n");
}

TEST(RenderOutput, ADifferenceBeyondTheScreenHasNoMark) {
  std::string far(200, 'x');
  EXPECT_THAT(renderOutput(failureOf(far + "a", far + "b"), Screen{}),
              ::testing::Not(::testing::HasSubstr("^")));
}

} // namespace
} // namespace faultline::report

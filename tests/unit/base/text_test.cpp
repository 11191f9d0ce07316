#include "base/text.h"

#include <gtest/gtest.h>
#include <vector>

namespace faultline {
namespace {

TEST(Text, ThousandsAreSeparated) {
  EXPECT_EQ(withThousands(0), "0");
  EXPECT_EQ(withThousands(999), "999");
  EXPECT_EQ(withThousands(1000), "1,000");
  EXPECT_EQ(withThousands(1234567), "1,234,567");
  EXPECT_EQ(withThousands(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Text, SizesHaveTwoDigits) {
  EXPECT_EQ(humanSize(999), "999 B");
  EXPECT_EQ(humanSize(1000), "1.0 kB");
  EXPECT_EQ(humanSize(1234567), "1.2 MB");
  EXPECT_EQ(humanSize(999950), "1.0 MB");
  EXPECT_EQ(humanSize(UINT64_MAX), "18 EB");
}

TEST(Text, DurationsFitTheirLength) {
  EXPECT_EQ(humanDuration(0), "0 s");
  EXPECT_EQ(humanDuration(0.0042), "4.2 ms");
  EXPECT_EQ(humanDuration(1.44), "1.4 s");
  EXPECT_EQ(humanDuration(59.6), "1 min 00 s");
  EXPECT_EQ(humanDuration(75), "1 min 15 s");
  EXPECT_EQ(humanDuration(3720), "1 h 02 min");
}

TEST(Text, CommandsCanBePasted) {
  std::vector<std::string> argv{"./prog", "-x=1", "a b", "it's", "", "$HOME"};
  EXPECT_EQ(shellCommand(argv), R"(./prog -x=1 'a b' 'it'\''s' '' '$HOME')");
}

} // namespace
} // namespace faultline

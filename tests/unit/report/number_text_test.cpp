#include "report/number_text.h"

#include <gtest/gtest.h>

namespace faultline::report {
namespace {

std::string spelled(std::string_view line, int64_t own, int64_t other, size_t column = 0) {
  auto found = spelledAs(line, column, own, other);
  return found ? found->own + " -> " + found->other : "";
}

TEST(NumberText, IsWrittenAsTheOneThatStandsThere) {
  EXPECT_EQ(spelled("h = h * 31 + (*s & 0x7fu);", 127, 255), "0x7fu -> 0xffu");
  EXPECT_EQ(spelled("if (mode & 0X1F)", 31, 15), "0X1F -> 0xF");
  EXPECT_EQ(spelled("chmod(path, 0644);", 0644, 0600), "0644 -> 0600");
  EXPECT_EQ(spelled("if (c >= 'a')", 97, 65), "'a' -> 'A'");
  EXPECT_EQ(spelled("if (c == '\\n')", 10, 13), "'\\n' -> '\\r'");
  EXPECT_EQ(spelled("total += 60UL * n;", 60, 600), "60UL -> 600UL");
}

TEST(NumberText, OnlyWhereItIsClearWhichIsMeant) {
  EXPECT_EQ(spelled("f(0x10, 16);", 16, 32), "");
  EXPECT_EQ(spelled("f(0x10, 16);", 16, 32, 4), "16 -> 32");
  EXPECT_EQ(spelled("x16 = a16;", 16, 32), "");
  EXPECT_EQ(spelled("y = 16.5;", 16, 32), "");
  EXPECT_EQ(spelled("if (c >= 'a')", 97, 300), "");
  EXPECT_EQ(spelled("mask = 0xff;", 255, -1), "");
  EXPECT_EQ(spelled("n = LIMIT;", 16, 32), "");
}

} // namespace
} // namespace faultline::report

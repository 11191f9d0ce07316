#include "replay/printf_format.h"

#include "unit/replay/stopped_state.h"

#include <array>
#include <bit>
#include <gmock/gmock.h>

namespace faultline::replay {
namespace {

using namespace testing;
using ::testing::ElementsAre;

// Arguments as frame words, in order; each may take two.
class PrintfFormat : public ::testing::Test {
protected:
  using Words = std::vector<std::array<uint64_t, 2>>;
  std::vector<FormatPart> parts(std::string_view format, const Words& words) {
    return formatParts(
        format, [&](size_t n) { return n < words.size() ? words[n].data() : nullptr; }, memory_);
  }
  std::string all(std::string_view format, const Words& words = {}) {
    std::string text;
    for (const FormatPart& part : parts(format, words)) text += part.isKnown ? part.text : "?";
    return text;
  }
  static std::array<uint64_t, 2> number(int64_t value) { return {uint64_t(value), 0}; }
  static std::array<uint64_t, 2> real(double value) { return {std::bit_cast<uint64_t>(value), 0}; }
  static std::array<uint64_t, 2> longReal(long double value) {
    std::array<uint64_t, 2> words{};
    std::memcpy(words.data(), &value, 10);
    return words;
  }
  std::array<uint64_t, 2> text(const std::string& content) {
    next_ += 0x1000;
    memory_.putText(next_, content);
    return {next_, 0};
  }
  MadeMemory memory_;
  uint64_t next_ = 0x10000;
};

TEST_F(PrintfFormat, EachFieldKnowsItsArgument) {
  auto found = parts("%d of %5.1f\n", {number(3), real(2.5)});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].text, "3");
  EXPECT_EQ(found[0].spec, "%d");
  EXPECT_EQ(found[0].argument, 0u);
  EXPECT_EQ(found[1].text, " of ");
  EXPECT_EQ(found[1].spec, "");
  EXPECT_EQ(found[1].offset, 2u);
  EXPECT_EQ(found[2].text, "  2.5");
  EXPECT_EQ(found[2].argument, 1u);
  EXPECT_EQ(found[3].offset, 11u);
}

TEST_F(PrintfFormat, LengthsCutTheValue) {
  EXPECT_EQ(all("%hhd %hd %d %ld", {number(0x1ff), number(0x1ffff), number(0x1ffffffff), number(-1)}),
            "-1 -1 -1 -1");
  EXPECT_EQ(all("%hhu %hu %u %lu %zx", {number(-1), number(-1), number(-1), number(-1), number(255)}),
            "255 65535 4294967295 18446744073709551615 ff");
  EXPECT_EQ(all("%jd %td %lld %qd", {number(-5), number(-6), number(-7), number(-8)}), "-5 -6 -7 -8");
}

TEST_F(PrintfFormat, FlagsWidthAndPrecision) {
  EXPECT_EQ(all("[%-6d][%06d][%+d][% d][%#x][%#o][%.3d]",
                {number(42), number(-42), number(42), number(42), number(42), number(8), number(7)}),
            "[42    ][-00042][+42][ 42][0x2a][010][007]");
  EXPECT_EQ(all("[%*d][%-*d][%.*f]", {number(5), number(1), number(4), number(2), number(1), real(2.25)}),
            "[    1][2   ][2.2]");
  EXPECT_EQ(all("[%*d][%.*s]", {number(-3), number(1), number(-1), text("whole")}), "[1  ][whole]");
}

TEST_F(PrintfFormat, ArgumentsByPosition) {
  auto found = parts("%2$s is %1$d, %1$x", {number(10), text("ten")});
  EXPECT_EQ(found[0].text, "ten");
  EXPECT_EQ(found[0].argument, 1u);
  EXPECT_EQ(found[2].argument, 0u);
  EXPECT_EQ(found[4].text, "a");
  EXPECT_EQ(all("%3$*1$d %3$*2$d", {number(3), number(4), number(7)}), "  7    7");
}

TEST_F(PrintfFormat, FloatsOfAllKinds) {
  EXPECT_EQ(all("%g %e %F %a", {real(0.1), real(12345), real(1.5), real(1)}),
            "0.1 1.234500e+04 1.500000 0x1p+0");
  EXPECT_EQ(all("%Lg %.20Lf", {longReal(2.5L), longReal(0.1L)}), "2.5 0.10000000000000000000");
  EXPECT_EQ(all("%f %G", {real(-std::numeric_limits<double>::infinity()), real(1e-10)}), "-inf 1E-10");
}

TEST_F(PrintfFormat, TextsAreCopiesOfMemory) {
  auto name = text("Anna");
  auto found = parts("%6s|%.2s|%-6s|", {name, name, name});
  EXPECT_EQ(found[0].text, "  Anna");
  EXPECT_EQ(found[0].lead, 2u);
  EXPECT_EQ(found[0].address, name[0]);
  EXPECT_EQ(found[2].text, "An");
  EXPECT_EQ(found[4].text, "Anna  ");
  EXPECT_EQ(all("%s %c%c%%", {number(0), number('x'), number('y')}), "(null) xy%");
  // Only as much is read as is printed.
  memory_.put<char>(0x99000, 'a');
  EXPECT_EQ(all("%.1s", {number(0x99000)}), "a");
}

TEST_F(PrintfFormat, WideCharacters) {
  memory_.put<uint32_t>(0x50000, U'ä');
  memory_.put<uint32_t>(0x50004, U'b');
  memory_.put<uint32_t>(0x50008, 0);
  EXPECT_EQ(all("%ls %lc %S", {number(0x50000), number(0x20ac), number(0x50000)}), "äb € äb");
}

TEST_F(PrintfFormat, WhatCannotBeKnownIsSaidToBe) {
  EXPECT_EQ(all("a %s b %d c", {number(0x7777), number(2)}), "a ? b 2 c");
  EXPECT_EQ(all("%m: %d", {number(2)}), "?: 2");
  EXPECT_EQ(all("%d %d", {number(1)}), "1 ?");
  EXPECT_EQ(all("%n%d", {number(0x5000), number(2)}), "2");
  EXPECT_EQ(all("%d%y%d", {number(1), number(2)}), "1?") << "nobody knows what follows";
  EXPECT_EQ(all("100%", {}), "100?");
  EXPECT_EQ(all("%2000000000d|", {number(1)}), "?|");
}

} // namespace
} // namespace faultline::replay

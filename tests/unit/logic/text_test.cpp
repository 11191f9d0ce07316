#include "logic/text.h"

#include <gtest/gtest.h>

using namespace faultline::logic;

namespace {

struct Text : ::testing::Test {
  Terms t;
  std::vector<Naming> names;
  Term var(const char* name, uint32_t width, Naming::Kind kind) {
    names.push_back({name, kind});
    return t.variable(width, names.size() - 1);
  }
  Term n = var("n", 32, Naming::Signed), u = var("len", 32, Naming::Unsigned),
       p = var("list->head", 64, Naming::Pointer), c = var("*s", 8, Naming::Character),
       d = var("sum", 64, Naming::Float), b = var("done", 1, Naming::Bool),
       i = var("i", 64, Naming::Unsigned);
  std::string show(Term x) {
    return text(t, x, [&](uint64_t tag, uint32_t) { return names[tag]; });
  }
  Term k(int64_t value, uint32_t width = 32) { return t.bits(width, uint64_t(value)); }
  Term op(Kind kind, Term a, Term z) { return t.binary(kind, a, z); }
};

TEST_F(Text, Comparisons) {
  EXPECT_EQ(show(t.equal(n, k(3))), "n == 3");
  EXPECT_EQ(show(t.equal(n, k(-3))), "n == -3");
  EXPECT_EQ(show(t.negate(t.equal(n, u))), "n != len");
  EXPECT_EQ(show(op(Kind::SLess, n, k(10))), "n < 10");
  EXPECT_EQ(show(op(Kind::SLess, k(10), n)), "n > 10");
  EXPECT_EQ(show(op(Kind::SLessEqual, k(-1), n)), "n >= -1");
  EXPECT_EQ(show(op(Kind::ULess, u, k(10))), "len < 10");
  EXPECT_EQ(show(op(Kind::ULess, n, u)), "(unsigned)n < len");
  EXPECT_EQ(show(t.equal(p, k(0, 64))), "list->head == NULL");
  EXPECT_EQ(show(t.equal(p, k(0x5000, 64))), "list->head == 0x5000");
  EXPECT_EQ(show(t.equal(c, k('x', 8))), "*s == 'x'");
  EXPECT_EQ(show(t.equal(c, k(0, 8))), "*s == '\\0'");
}

TEST_F(Text, WideningsAreLeftOut) {
  EXPECT_EQ(show(op(Kind::SLess, t.signExtend(n, 64), t.add(i, k(5, 64)))), "n < i + 5");
  EXPECT_EQ(show(t.equal(t.signExtend(c, 32), k('a'))), "*s == 'a'");
  EXPECT_EQ(show(t.equal(t.zeroExtend(u, 64), i)), "i == len");
  EXPECT_EQ(show(t.equal(t.extract(i, 0, 32), u)), "len == (unsigned)i");
}

TEST_F(Text, Arithmetic) {
  EXPECT_EQ(show(t.equal(t.add(n, k(-1)), u)), "len == n - 1");
  EXPECT_EQ(show(op(Kind::Mul, t.add(n, u), k(4))), "(n + len) * 4");
  EXPECT_EQ(show(op(Kind::Sub, n, op(Kind::Sub, u, n))), "n - (len - n)");
  EXPECT_EQ(show(op(Kind::Shl, n, k(2))), "n << 2");
  EXPECT_EQ(show(op(Kind::AShr, n, k(2))), "n >> 2");
  EXPECT_EQ(show(op(Kind::LShr, u, k(4))), "len >> 4");
  EXPECT_EQ(show(op(Kind::And, n, k(0xf0))), "n & 0xf0");
  EXPECT_EQ(show(op(Kind::And, n, k(7))), "n & 0x7");
  EXPECT_EQ(show(op(Kind::And, u, k(0xff))), "(unsigned char)len");
  EXPECT_EQ(show(t.unary(Kind::Not, n)), "~n");
  EXPECT_EQ(show(op(Kind::SRem, n, k(-7))), "n % -7");
}

TEST_F(Text, ConditionsAndChoices) {
  Term first = t.equal(n, k(3)), second = op(Kind::ULess, u, k(10));
  EXPECT_EQ(show(t.both(first, second)), "n == 3 && len < 10");
  EXPECT_EQ(show(t.either(first, t.both(second, b))), "n == 3 || done && len < 10");
  EXPECT_EQ(show(t.both(t.either(first, second), b)), "done && (n == 3 || len < 10)");
  EXPECT_EQ(show(t.negate(t.both(first, b))), "!(done && n == 3)");
  EXPECT_EQ(show(t.choose(b, n, k(-1))), "done ? n : -1");
  EXPECT_EQ(show(t.negate(b)), "!done");
}

TEST_F(Text, Floats) {
  Term half = k(0x3fe0000000000000, 64);
  EXPECT_EQ(show(op(Kind::FLess, op(Kind::FMul, d, half), d)), "sum * 0.5 < sum");
  EXPECT_EQ(show(t.negate(op(Kind::FEqual, d, half))), "sum != 0.5");
  EXPECT_EQ(show(t.equal(t.unary(Kind::FToSigned, d, 32), k(-2))), "(int)sum == -2");
  EXPECT_EQ(show(t.unary(Kind::FSqrt, t.unary(Kind::SignedToF, n, 64))), "sqrt(n)");
}

TEST_F(Text, DeepOnesEnd) {
  Term x = n;
  for (int round = 0; round < 5000; ++round) x = t.add(op(Kind::Mul, x, n), u);
  EXPECT_LT(show(x).size(), 2000u);
  EXPECT_NE(show(x).find("..."), std::string::npos);
}

} // namespace

#include "random_terms.h"

using namespace faultline::logic;
using namespace faultline::logic::testing;

namespace {

TEST(Term, EqualOnesAreOne) {
  Terms t;
  Term x = t.variable(32, 7), y = t.variable(32, 8);
  EXPECT_EQ(t.variable(32, 7), x);
  EXPECT_NE(t.variable(16, 7), x);
  EXPECT_EQ(t.add(x, y), t.add(y, x));
  EXPECT_EQ(t.bits(8, 0x1ff), t.bits(8, 0xff));
  uint64_t words[] = {1, 2, 3};
  EXPECT_EQ(t.constant(192, words), t.constant(192, words));
  EXPECT_NE(t.constant(130, words), t.constant(129, words));
  EXPECT_EQ(t.words(t.constant(129, words))[2], 1u) << "what is above the width is cut off";
}

TEST(Term, TheExampleOfTheHeader) {
  Terms t;
  Term x = t.variable(32, 7), y = t.add(x, t.bits(32, 1));
  Term claim = t.equal(y, t.bits(32, 5));
  EXPECT_EQ(claim, t.equal(x, t.bits(32, 4)));
  EXPECT_TRUE(t.isTrue(t.substitute(claim, {{x, t.bits(32, 4)}})));
}

// A store cuts a value into bytes; a load of them gives the value again.
TEST(Term, BytesPutTogetherAreTheValue) {
  Terms t;
  Term n = t.variable(64, 2), c = t.variable(1, 3), x = t.variable(32, 1), y = t.variable(32, 4);
  std::vector<Term> values = {x,
                              n,
                              t.add(x, y),
                              t.zeroExtend(t.variable(8, 5), 32),
                              t.signExtend(t.variable(16, 6), 64),
                              t.choose(c, x, y),
                              t.choose(c, x, t.bits(32, 77)),
                              t.zeroExtend(c, 32),
                              t.concat(x, y),
                              t.binary(Kind::Shl, x, t.bits(32, 5)),
                              t.binary(Kind::LShr, x, t.bits(32, 9)),
                              t.binary(Kind::And, x, t.bits(32, 0xff)),
                              t.unary(Kind::Not, x),
                              t.concat(t.bits(8, 3), t.extract(x, 0, 24))};
  for (Term value : values) {
    Term up, down;
    uint32_t width = t.width(value);
    for (uint32_t at = 0; at < width; at += 8) {
      Term low = t.extract(value, at, 8), high = t.extract(value, width - 8 - at, 8);
      up = up ? t.concat(low, up) : low;
      down = down ? t.concat(down, high) : high;
    }
    EXPECT_EQ(up, value) << "kind " << int(t.kind(value));
    EXPECT_EQ(down, value) << "kind " << int(t.kind(value));
  }
}

TEST(Term, Rules) {
  Terms t;
  Term x = t.variable(32, 1), b = t.variable(8, 2), c = t.variable(1, 3), zero = t.bits(32, 0);
  auto less = [&](Term p, Term q) { return t.binary(Kind::ULess, p, q); };
  auto slt = [&](Term p, Term q) { return t.binary(Kind::SLess, p, q); };
  EXPECT_EQ(t.add(x, zero), x);
  EXPECT_EQ(t.binary(Kind::Sub, x, x), zero);
  EXPECT_EQ(t.binary(Kind::And, x, zero), zero);
  EXPECT_EQ(t.binary(Kind::Xor, x, x), zero);
  EXPECT_EQ(t.choose(t.yes(), x, zero), x);
  EXPECT_EQ(t.negate(t.negate(c)), c);
  EXPECT_TRUE(t.isTrue(t.equal(x, x)));
  EXPECT_TRUE(t.isFalse(less(x, x)));
  EXPECT_TRUE(t.isFalse(less(x, zero)));
  EXPECT_EQ(t.equal(t.zeroExtend(b, 32), t.bits(32, 65)), t.equal(b, t.bits(8, 65)));
  EXPECT_TRUE(t.isFalse(t.equal(t.zeroExtend(b, 32), t.bits(32, 256))));
  EXPECT_EQ(t.negate(t.equal(t.zeroExtend(c, 32), zero)), c) << "if (flag != 0)";
  EXPECT_EQ(slt(t.signExtend(b, 32), t.bits(32, 10)), slt(b, t.bits(8, 10)));
  EXPECT_TRUE(t.isTrue(slt(t.signExtend(b, 32), t.bits(32, 128))));
  EXPECT_TRUE(t.isTrue(slt(t.bits(32, uint32_t(-129)), t.signExtend(b, 32))));
  EXPECT_EQ(slt(t.zeroExtend(b, 32), t.bits(32, 200)), less(b, t.bits(8, 200)));
  EXPECT_EQ(t.negate(slt(x, zero)), t.binary(Kind::SLessEqual, zero, x));
  EXPECT_EQ(t.extract(t.add(t.zeroExtend(b, 32), t.bits(32, 3)), 0, 8), t.add(b, t.bits(8, 3)));
}

TEST(Term, RulesPreserveTheValue) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Terms t;
    RandomTerms r(t, seed);
    for (int k = 0; k < 40; ++k) {
      Valued made = r.grow();
      Term value = t.evaluate(made.term, [&](Term x) { return r.values.at(x); });
      ASSERT_EQ(value, r.constant(t.width(made.term), made.value))
          << "seed " << seed << " step " << k << " kind " << int(t.kind(made.term)) << " "
          << r.show(made.value);
      ASSERT_EQ(t.substitute(made.term, r.values), value);
    }
  }
}

TEST(Term, SubstituteTakesWhatTheMapHas) {
  Terms t;
  Term x = t.variable(32, 1), y = t.variable(32, 2), z = t.variable(32, 3);
  Term sum = t.add(t.binary(Kind::Mul, x, y), z);
  EXPECT_EQ(t.substitute(sum, {{x, t.bits(32, 3)}, {z, y}}), t.add(t.binary(Kind::Mul, y, t.bits(32, 3)), y));
  EXPECT_EQ(t.substitute(sum, {{x, y}, {y, x}}), sum) << "all at once";
  EXPECT_EQ(t.substitute(sum, {}), sum);
  EXPECT_EQ(t.variables(sum), (std::vector<Term>{x, y, z}));
  EXPECT_TRUE(t.variables(t.bits(8, 1)).empty());
}

TEST(Term, DeepOnes) {
  Terms t;
  Term x = t.variable(32, 1), y = t.variable(32, 2), deep = x;
  for (uint32_t k = 0; k < 200000; ++k) {
    deep = t.binary(k % 3 == 0   ? Kind::Xor
                    : k % 3 == 1 ? Kind::Mul
                                 : Kind::Add,
                    deep, k % 2 ? y : t.bits(32, k * 2 + 1));
    if (k % 5 == 0) deep = t.choose(t.binary(Kind::ULess, deep, y), deep, x);
  }
  Term value = t.evaluate(deep, [&](Term v) { return t.bits(32, v == x ? 5 : 9); });
  EXPECT_TRUE(t.isConstant(value));
  EXPECT_EQ(t.substitute(deep, {{x, t.bits(32, 5)}, {y, t.bits(32, 9)}}), value);
  EXPECT_EQ(t.variables(deep), (std::vector<Term>{x, y}));
}

} // namespace

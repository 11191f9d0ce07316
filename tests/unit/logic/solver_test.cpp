#include "random_terms.h"

using namespace faultline::logic;
using namespace faultline::logic::testing;

namespace {

struct BothSolvers : ::testing::TestWithParam<const char*> {
  Terms t;
  std::unique_ptr<Solver> solver = std::move(*(std::string(GetParam()) == "z3" ? makeZ3(t) : makeCvc5(t)));
};

TEST_P(BothSolvers, SatisfiableWithAModel) {
  Term x = t.variable(32, 1), wide = t.variable(100, 2), flag = t.variable(1, 3);
  std::vector<Term> conditions = {t.equal(t.binary(Kind::Mul, x, t.bits(32, 3)), t.bits(32, 21)),
                                  t.binary(Kind::ULess, x, t.bits(32, 100)),
                                  t.equal(t.extract(wide, 70, 30), t.bits(30, 12345)), flag};
  Answer answer = solver->check({conditions, true, 5000});
  ASSERT_EQ(answer.kind, Answer::Satisfiable) << answer.reason;
  EXPECT_EQ(t.value(answer.model.at(x)), 7u);
  for (Term c : conditions) EXPECT_TRUE(t.isTrue(t.evaluate(c, [&](Term v) { return answer.model.at(v); })));
}

TEST_P(BothSolvers, UnsatisfiableWithACore) {
  Term x = t.variable(32, 1), y = t.variable(32, 2);
  std::vector<Term> conditions = {t.equal(y, t.bits(32, 3)), t.binary(Kind::SLess, x, t.bits(32, 10)),
                                  t.binary(Kind::SLess, t.bits(32, 20), x)};
  Answer answer = solver->check({conditions, false, 5000});
  ASSERT_EQ(answer.kind, Answer::Unsatisfiable) << answer.reason;
  EXPECT_EQ(answer.core, (std::vector<uint32_t>{1, 2}));
}

TEST_P(BothSolvers, NoConditionsAndFalseOnes) {
  EXPECT_EQ(solver->check({{}, true, 1000}).kind, Answer::Satisfiable);
  std::vector<Term> no = {t.yes(), t.no()};
  EXPECT_EQ(solver->check({no, false, 1000}).kind, Answer::Unsatisfiable);
}

// Factors of a product of two primes: hard enough that no solver is done in a moment.
TEST_P(BothSolvers, ATimeLimitIsKept) {
  Term x = t.variable(64, 1), y = t.variable(64, 2), one = t.bits(64, 1);
  std::vector<Term> conditions = {
      t.equal(t.binary(Kind::Mul, t.zeroExtend(x, 128), t.zeroExtend(y, 128)),
              t.zeroExtend(t.bits(64, 18446743979220271189ull), 128)), // 4294967279 * 4294967291
      t.binary(Kind::ULess, one, x), t.binary(Kind::ULess, x, y)};
  Answer answer = solver->check({conditions, false, 500});
  EXPECT_EQ(answer.kind, Answer::Unknown);
  EXPECT_EQ(answer.reason, "timeout");
}

TEST_P(BothSolvers, DeepTerms) {
  Term x = t.variable(32, 1), deep = x;
  for (uint32_t k = 0; k < 20000; ++k)
    deep = t.binary(k % 2 ? Kind::Xor : Kind::Add, deep, t.bits(32, k * 7 + 1));
  std::vector<Term> conditions = {t.equal(deep, t.bits(32, 1)), t.equal(x, t.bits(32, 4))};
  Answer answer = solver->check({conditions, false, 3000});
  EXPECT_NE(answer.kind, Answer::Satisfiable);
}

// Random conditions that hold for known values; with one more that they contradict.
TEST_P(BothSolvers, RandomConditions) {
  int decided = 0;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    RandomTerms r(t, seed);
    std::vector<Term> conditions;
    Term last;
    for (int k = 0; k < 30; ++k) {
      Valued made = r.grow();
      if (k % 5 == 0) conditions.push_back(t.equal(made.term, r.constant(t.width(made.term), made.value)));
      last = made.term;
    }
    Answer yes = solver->check({conditions, true, 2000});
    ASSERT_NE(yes.kind, Answer::Unsatisfiable) << seed;
    decided += yes.kind == Answer::Satisfiable;
    for (const auto& [x, value] : r.values) conditions.push_back(t.equal(x, value));
    Term value = t.evaluate(last, [&](Term x) { return r.values.at(x); });
    conditions.push_back(t.negate(t.equal(last, value)));
    Answer no = solver->check({conditions, false, 2000});
    ASSERT_NE(no.kind, Answer::Satisfiable) << seed;
    decided += no.kind == Answer::Unsatisfiable;
  }
  EXPECT_GT(decided, 26);
}

INSTANTIATE_TEST_SUITE_P(Logic, BothSolvers, ::testing::Values("z3", "cvc5"),
                         [](const auto& info) { return std::string(info.param); });

// Dropping any condition of a minimal core makes the rest satisfiable.
TEST(MinimalCore, OfRandomConditions) {
  Terms t;
  auto z3 = std::move(*makeZ3(t)), cvc5 = std::move(*makeCvc5(t));
  for (uint64_t seed = 0; seed < 25; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Term> x, conditions;
    for (uint64_t k = 0; k < 5; ++k) x.push_back(t.variable(8, k));
    for (int k = 0; k < 24; ++k) {
      Term a = x[random() % 5], b = random() % 3 ? x[random() % 5] : t.bits(8, random() % 200);
      Term sum = t.add(a, t.bits(8, random() % 9));
      conditions.push_back(random() % 3 ? t.binary(Kind::ULess, sum, b) : t.equal(sum, b));
    }
    if (z3->check({conditions, false, 5000}).kind != Answer::Unsatisfiable) continue;
    std::optional<Core> core = minimalCore(*z3, cvc5.get(), t, conditions, 20000);
    ASSERT_TRUE(core);
    EXPECT_TRUE(core->isMinimal && core->isChecked) << core->doubt;
    std::vector<Term> chosen;
    for (uint32_t n : core->conditions) chosen.push_back(conditions[n]);
    EXPECT_EQ(z3->check({chosen, false, 5000}).kind, Answer::Unsatisfiable);
    for (size_t without = 0; without < chosen.size() && chosen.size() > 1; ++without) {
      std::vector<Term> rest = chosen;
      rest.erase(rest.begin() + long(without));
      EXPECT_EQ(z3->check({rest, false, 5000}).kind, Answer::Satisfiable) << "seed " << seed;
    }
  }
}

TEST(MinimalCore, KeepsWhatItIsToldTo) {
  Terms t;
  auto z3 = std::move(*makeZ3(t));
  Term x = t.variable(32, 1);
  auto less = [&](uint64_t n) { return t.binary(Kind::ULess, x, t.bits(32, n)); };
  std::vector<Term> conditions = {less(5), less(6), less(7), t.binary(Kind::ULess, t.bits(32, 10), x)};
  for (uint32_t wanted : {0u, 1u, 2u}) {
    std::vector<uint32_t> kept = {wanted};
    std::optional<Core> core = minimalCore(*z3, nullptr, t, conditions, 5000, kept);
    ASSERT_TRUE(core);
    EXPECT_EQ(core->conditions, (std::vector<uint32_t>{wanted, 3}));
  }
  EXPECT_FALSE(minimalCore(*z3, nullptr, t, std::vector{less(5), less(6)}, 5000)) << "they can hold";
  std::vector<Term> withFalse = {less(5), t.no()};
  EXPECT_EQ(minimalCore(*z3, nullptr, t, withFalse, 5000)->conditions, std::vector<uint32_t>{1});
}

} // namespace

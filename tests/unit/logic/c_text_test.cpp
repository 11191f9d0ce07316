// Straight-line C that computes random terms: compiled and run, it gives the values that the terms have.
#include "logic/c_text.h"
#include "random_terms.h"
#include "support/run.h"

#include <fmt/format.h>

using namespace faultline;
using namespace faultline::logic;
using namespace faultline::logic::testing;

namespace {

int compileAndRun(const CWriter& c) {
  test::TempDir dir;
  test::writeFile(dir / "t.c", c.prelude() + "\nint main(void) {\n" + c.text() + "  return 0;\n}\n");
  test::RunResult built = test::run({"clang-19", "-w", "-O1", "t.c", "-o", "t", "-lm"}, {.cwd = dir.path()});
  EXPECT_EQ(built.status, 0) << built.err.substr(0, 2000);
  return test::run({"./t"}, {.cwd = dir.path()}).status;
}

TEST(CText, ComputesWhatTheTermsAre) {
  Terms t;
  CWriter c(t);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomTerms r(t, seed);
    // The same variables with other values: give them other names.
    Terms::Map own;
    for (auto& [x, value] : r.values) {
      Term variable = t.variable(t.width(x), 1000 * (seed + 1) + t.parameter(x));
      own.emplace(x, variable);
      c.declare(variable, value, "given");
    }
    for (int k = 0; k < 12; ++k) {
      Valued made = r.grow();
      if (t.isConstant(made.term)) continue;
      Term claim = t.equal(t.substitute(made.term, own), r.constant(t.width(made.term), made.value));
      c.ifTrue(t.negate(claim), fmt::format("return {};", seed % 100 + 1));
    }
  }
  EXPECT_EQ(compileAndRun(c), 0);
}

TEST(CText, ComputesFloats) {
  Terms t;
  CWriter c(t);
  auto number = [&](double d) { return t.bits(64, __builtin_bit_cast(uint64_t, d)); };
  Term x = t.variable(64, 1), n = t.variable(32, 2);
  c.declare(x, number(-2.75), "given");
  c.declare(n, t.bits(32, uint32_t(-7)), "given");
  auto expect = [&](Term made, Term value, int status) {
    c.ifTrue(t.negate(t.equal(made, value)), fmt::format("return {};", status));
  };
  expect(t.binary(Kind::FMul, x, number(2)), number(-5.5), 1);
  expect(t.unary(Kind::FToSigned, x, 32), t.bits(32, uint32_t(-2)), 2);
  expect(t.unary(Kind::FRound, x, 0, uint64_t(Rounding::Floor)), number(-3), 3);
  expect(t.unary(Kind::SignedToF, n, 64), number(-7), 4);
  expect(t.unary(Kind::FToF, t.unary(Kind::FToF, x, 32), 64), number(-2.75), 5);
  expect(t.unary(Kind::FAbs, t.unary(Kind::FNeg, x)), number(2.75), 6);
  expect(t.unary(Kind::FToSigned, t.binary(Kind::FMul, x, number(1e300)), 64), t.bits(64, uint64_t(1) << 63),
         7);
  expect(t.binary(Kind::FLess, x, number(0)), t.yes(), 8);
  EXPECT_EQ(compileAndRun(c), 0);
}

} // namespace

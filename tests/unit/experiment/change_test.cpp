// An instruction that computes otherwise gives what the other operation gives, in each of its executions.
#include "experiment/server.h"
#include "unit/experiment/served_program.h"

#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace faultline::experiment {
namespace {

// The operations whose place among the instructions is found by their results.
const char* const kOperations = R"(
#include <stdio.h>
int main(void) {
  int a, b;
  double x, y;
  while (scanf("%d %d %lf %lf", &a, &b, &x, &y) == 4) {
    printf("%d ", a + b);
    printf("%d ", a < b);
    printf("%u ", (unsigned)a / (unsigned)b);
    printf("%g\n", x * y);
  }
  return 0;
}
)";

struct Line {
  int a, b;
  double x, y;
};
const Line kInput[] = {{7, 3, 2, 4}, {-9, 4, 0.5, -8}, {5, 5, 3, 3}, {1 << 30, 2, 1, 100}};

std::string input() {
  std::string out;
  for (const Line& l : kInput) out += fmt::format("{} {} {} {}\n", l.a, l.b, l.x, l.y);
  return out;
}

struct Results {
  std::function<int(int, int)> sum = [](int a, int b) { return int(unsigned(a) + unsigned(b)); };
  std::function<int(int, int)> less = [](int a, int b) { return a < b; };
  std::function<unsigned(unsigned, unsigned)> quotient = [](unsigned a, unsigned b) { return a / b; };
  std::function<double(double, double)> product = [](double x, double y) { return x * y; };
};

std::string output(const Results& r) {
  std::string out;
  for (const Line& l : kInput)
    out += fmt::format("{} {} {} {:g}\n", r.sum(l.a, l.b), r.less(l.a, l.b),
                       r.quotient(unsigned(l.a), unsigned(l.b)), r.product(l.x, l.y));
  return out;
}

// The outputs of the program with the change made to each of its instructions in turn.
std::set<std::string> outputsOf(fl_change change, uint64_t value) {
  static testing::ServedProgram program(kOperations);
  ServerSetting setting = program.setting(input());
  setting.keepOutput = true;
  Server server(setting);
  std::vector<Experiment> experiments;
  for (uint32_t i = 0; i < 120; ++i)
    experiments.push_back({.alterations = {{.kind = Alteration::Change,
                                            .epoch = 1,
                                            .instruction = i,
                                            .value = value,
                                            .each = true,
                                            .change = change}}});
  std::set<std::string> out;
  auto endings = server.run(experiments);
  EXPECT_TRUE(bool(endings));
  if (!endings) return out;
  for (const Ending& e : *endings)
    if (e.cut == Ending::None && e.reached) out.insert(e.output);
  return out;
}

TEST(Change, AnotherOperationOnIntegers) {
  auto with = [](auto f) { return output({.sum = f}); };
  EXPECT_TRUE(
      outputsOf(FL_CHANGE_OPERATION, FL_OPERATION_SUB).contains(with([](int a, int b) { return a - b; })));
  EXPECT_TRUE(outputsOf(FL_CHANGE_OPERATION, FL_OPERATION_MUL).contains(with([](int a, int b) {
    return int(unsigned(a) * unsigned(b));
  })));
  EXPECT_TRUE(
      outputsOf(FL_CHANGE_OPERATION, FL_OPERATION_SDIV).contains(with([](int a, int b) { return a / b; })));
  EXPECT_TRUE(
      outputsOf(FL_CHANGE_OPERATION, FL_OPERATION_SREM).contains(with([](int a, int b) { return a % b; })));
  EXPECT_TRUE(
      outputsOf(FL_CHANGE_OPERATION, FL_OPERATION_ASHR).contains(with([](int a, int b) { return a >> b; })));
  EXPECT_TRUE(outputsOf(FL_CHANGE_OPERATION, FL_OPERATION_LSHR).contains(with([](int a, int b) {
    return int(unsigned(a) >> b);
  })));
  EXPECT_TRUE(
      outputsOf(FL_CHANGE_OPERATION, FL_OPERATION_XOR).contains(with([](int a, int b) { return a ^ b; })));
}

TEST(Change, AnotherComparison) {
  constexpr uint32_t kEqual = 32, kUnsignedLess = 36, kLessOrEqual = 41;
  auto with = [](auto f) { return output({.less = f}); };
  auto outputs = [](uint32_t predicate) {
    return outputsOf(FL_CHANGE_OPERATION, FL_OPERATION_COMPARE + predicate);
  };
  EXPECT_TRUE(outputs(kEqual).contains(with([](int a, int b) { return a == b; })));
  EXPECT_TRUE(outputs(kLessOrEqual).contains(with([](int a, int b) { return a <= b; })));
  EXPECT_TRUE(outputs(kUnsignedLess).contains(with([](int a, int b) { return unsigned(a) < unsigned(b); })));
}

TEST(Change, OtherOperands) {
  EXPECT_TRUE(outputsOf(FL_CHANGE_LEFT, 0).contains(output({.sum = [](int a, int) { return a; }})));
  EXPECT_TRUE(outputsOf(FL_CHANGE_RIGHT, 0).contains(output({.sum = [](int, int b) { return b; }})));
  EXPECT_TRUE(outputsOf(FL_CHANGE_SWAP, 0).contains(output({.less = [](int a, int b) { return b < a; }})));
  EXPECT_TRUE(outputsOf(FL_CHANGE_SET_RIGHT, 6).contains(output({.quotient = [](unsigned a, unsigned) {
    return a / 6;
  }})));
  EXPECT_TRUE(outputsOf(FL_CHANGE_ADD, ~0ull).contains(output({.sum = [](int a, int b) {
    return int(unsigned(a) + unsigned(b) - 1);
  }})));
}

TEST(Change, AnotherOperationOnFloats) {
  EXPECT_TRUE(outputsOf(FL_CHANGE_OPERATION, FL_OPERATION_FDIV)
                  .contains(output({.product = [](double x, double y) { return x / y; }})));
  EXPECT_TRUE(outputsOf(FL_CHANGE_OPERATION, FL_OPERATION_FSUB)
                  .contains(output({.product = [](double x, double y) { return x - y; }})));
}

// In each execution in which the test holds, and in no other.
TEST(Change, AFunctionIsLeftWhereTheValueIsBad) {
  testing::ServedProgram program(R"(
#include <stdio.h>
static int length(const char* text) {
  int n = 0;
  if (text) n = 10;
  puts("counts");
  return n;
}
int main(void) {
  const char* texts[] = {"a", 0, "b"};
  for (int i = 0; i < 3; ++i) printf("%d\n", length(texts[i]));
  return 0;
}
)");
  ServerSetting setting = program.setting("");
  setting.keepOutput = true;
  Server server(setting);
  std::vector<Experiment> experiments;
  for (uint32_t i = 0; i < 60; ++i)
    experiments.push_back({.alterations = {{.kind = Alteration::Leave,
                                            .epoch = 1,
                                            .instruction = i,
                                            .value = uint64_t(-7),
                                            .address = 0,
                                            .each = true,
                                            .test = (FL_OPERATION_COMPARE + 32) | 64 << 8}}});
  auto endings = server.run(experiments);
  ASSERT_TRUE(bool(endings));
  bool isLeft = false;
  for (const Ending& e : *endings) isLeft |= e.reached && e.output == "counts\n10\n-7\ncounts\n10\n";
  EXPECT_TRUE(isLeft);
}

} // namespace
} // namespace faultline::experiment

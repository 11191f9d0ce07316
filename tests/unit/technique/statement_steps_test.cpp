// A statement that is made of steps does what the compiled one does: each statement of a program, left out
// and made again at its own place, changes nothing. Made elsewhere it does there what it would if it were
// written.
#include "technique/changes/statement_steps.h"
#include "unit/experiment/served_program.h"

#include <gtest/gtest.h>
#include <set>

namespace faultline::technique {
namespace {

using experiment::Ending;
using experiment::Experiment;

const char* const kStatements = R"(#include <stdio.h>
#include <stdlib.h>
struct item { short weight; unsigned char kind; long sum; struct item *next; int marks[3]; };
static struct item *first;
static int total = 3;
static char text[8];
static void note(long value, const char *what) { printf("%s=%ld\n", what, value); }
static void link_in(struct item *i) {
  i->next = first;
  first = i;
}
static void swap(int *a, int *b) {
  int kept = *a;
  *a = *b;
  *b = kept;
}
static long walk(int factor) {
  long sum = 0;
  for (struct item *i = first; i; i = i->next) {
    i->weight *= factor;
    i->kind = (unsigned char)(i->kind + 250);
    i->sum = i->weight - i->kind;
    i->marks[i->kind & 1] += total << 2;
    sum += i->sum ^ i->marks[0];
    sum -= i->marks[1];
  }
  return sum;
}
static int depth(int n) {
  int own = n * 2, sum = 0;
  for (int k = 1; k < n; k++) sum += depth(n - k) + own;
  own -= sum;
  return own;
}
static int twice(int n) { return n < 0 ? -n : n + n; }
int main(void) {
  struct item items[3] = {{-7, 9}, {300, 2}, {5, 255}};
  int a = 4, b = -9, n = 0;
  for (int k = 0; k < 3; k++) {
    items[k].marks[2] = k - 1;
    link_in(&items[k]);
    n += twice(k - 1);
  }
  note(walk(-3), "walk");
  swap(&a, &b);
  note(a, "a");
  note(b, "b");
  text[0] = (char)('a' + n);
  text[1] = 'z';
  total = atoi("12") | n;
  n = total & ~5;
  note(n, text);
  printf("%d %d %d\n", twice(n), items[1].marks[2], depth(5));
  fflush(stdout);
  return 0;
}
)";

uint32_t functionNamed(const fir::Image& image, std::string_view name) {
  for (uint32_t k = 0; k < image.functions.size(); ++k)
    if (image.string(image.functions[k].name) == name) return k;
  ADD_FAILURE() << "no function " << name;
  return 0;
}

// What the program writes with each of these alone.
std::vector<Ending> endingsWith(const experiment::testing::ServedProgram& program,
                                const std::vector<Experiment>& experiments) {
  experiment::ServerSetting setting = program.setting("");
  setting.keepOutput = true;
  auto endings = experiment::Server(setting).run(experiments);
  EXPECT_TRUE(bool(endings)) << (endings ? "" : endings.error().message);
  return endings ? std::move(*endings) : std::vector<Ending>();
}

TEST(StatementSteps, MadeAtTheirOwnPlaceChangeNothing) {
  experiment::testing::ServedProgram program(kStatements);
  fir::Image image = program.image();
  StatementSteps steps(image);
  std::vector<Experiment> experiments = {{}};
  std::vector<uint32_t> lines = {0};
  std::set<uint32_t> own; // lines of statements
  for (uint32_t f = 0; f < image.functions.size(); ++f)
    for (uint32_t local : steps.statementsOf(f)) {
      own.insert(image.locations[image.instructions[local].location].line);
      auto made = steps.copy(f, local, f);
      if (!made) continue;
      lines.push_back(image.locations[image.instructions[local].location].line);
      experiments.push_back(
          {.alterations = steps.alterations(*made, {.function = f, .place = local, .skipped = made->done})});
    }
  auto endings = endingsWith(program, experiments);
  ASSERT_EQ(endings.size(), experiments.size());
  EXPECT_EQ(endings[0].output, "walk=-1410\na=-9\nb=4\ndz=10\n20 0 -14\n");
  for (size_t k = 1; k < endings.size(); ++k) {
    EXPECT_TRUE(endings[k].reached) << "line " << lines[k];
    EXPECT_EQ(endings[k].output, endings[0].output) << "line " << lines[k];
  }
  std::set<uint32_t> made(lines.begin() + 1, lines.end());
  EXPECT_GE(made.size() * 10, own.size() * 9) << "few of them can be made";
}

TEST(StatementSteps, MadeInAnotherFunctionUseItsVariables) {
  experiment::testing::ServedProgram program(R"(#include <stdio.h>
static int level;
static void enter(int n) { level += n * 2; }
static void leave(int n) { level -= n; }
int main(void) {
  for (int n = 3; n > 0; n--) {
    leave(n);
    printf("%d\n", level);
  }
  if (level > 100) enter(1);
  return 0;
}
)");
  fir::Image image = program.image();
  StatementSteps steps(image);
  const uint32_t main = functionNamed(image, "main"), enter = functionNamed(image, "enter");
  uint32_t place = fir::kNone;
  for (uint32_t local : steps.statementsOf(main))
    if (image.locations[image.instructions[local].location].line == 7) place = local;
  ASSERT_NE(place, fir::kNone);
  const std::vector<uint32_t> own = steps.statementsOf(enter);
  ASSERT_FALSE(own.empty());
  auto made = steps.copy(enter, own.back(), main); // level += n * 2
  ASSERT_TRUE(made);
  EXPECT_EQ(made->uses.size(), 1u);
  auto endings =
      endingsWith(program, {{.alterations = steps.alterations(*made, {.function = main, .place = place})}});
  ASSERT_EQ(endings.size(), 1u);
  EXPECT_EQ(endings[0].output, "3\n5\n6\n");
}

TEST(StatementSteps, AVariableIsAssignedToUntilTheProgramDoes) {
  experiment::testing::ServedProgram program(R"(#include <stdio.h>
int main(int argc, char **argv) {
  int width = 9;
  for (int k = 0; k < 3; k++) {
    puts("next");
    printf("%d\n", width);
    if (k == 1) width = 5;
  }
  return argc - 1;
}
)");
  fir::Image image = program.image();
  StatementSteps steps(image);
  const uint32_t main = functionNamed(image, "main");
  const fir::Function& f = image.functions[main];
  const fir::Variable* width = nullptr;
  for (const fir::Variable& v : image.variables.subspan(f.firstVariable, f.variableCount))
    if (image.string(v.name) == "width") width = &v;
  ASSERT_TRUE(width);
  auto placeAt = [&](uint32_t line) {
    for (uint32_t local : steps.statementsOf(main))
      if (image.locations[image.instructions[local].location].line == line) return local;
    return fir::kNone;
  };
  auto with = [&](StatementSteps::With with, uint32_t line) {
    auto made = steps.assign(main, *width, with);
    return made ? Experiment{.alterations =
                                 steps.alterations(*made, {.function = main, .place = placeAt(line)})}
                : Experiment{};
  };
  using enum StatementSteps::With;
  auto endings = endingsWith(program, {with(Zero, 5), with(Increment, 5), with(Decrement, 7)});
  ASSERT_EQ(endings.size(), 3u);
  EXPECT_EQ(endings[0].output, "next\n0\nnext\n0\nnext\n0\n");
  EXPECT_EQ(endings[1].output, "next\n10\nnext\n11\nnext\n6\n");
  EXPECT_EQ(endings[2].output, "next\n9\nnext\n9\nnext\n5\n") << "it is assigned to right behind it";
}

} // namespace
} // namespace faultline::technique

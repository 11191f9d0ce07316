// Breakpoints are counted as gdb counts them: every line of some programs, against gdb itself on the ordinary
// executable.
#include "depend/breakpoints.h"
#include "unit/depend/recorded_program.h"

#include <regex>

namespace faultline::depend::testing {
namespace {

constexpr const char* kLoops = R"(#include <stdio.h>
#include <stdlib.h>
struct pair { int a, b; };
static int depth(int n) {
  if (n <= 0) return 0;
  return 1 + depth(n - 1);
}
static int add(int a,
               int b) {
  return a +
         b;
}
static struct pair both(int n) {
  struct pair p = {n,
                   n + 1};
  return p;
}
#define TWICE(x) do { x; x; } while (0)
int main(int argc, char **argv) {
  int sum = 0, i;
  for (int k = 0; k < 5; k++)
    sum += k;
  for (i = 0; i < 3; i++) {
    int j = i;
    while (j > 0) {
      j--;
      if (j == 1 && sum > 2)
        sum += add(i,
                   j);
      else
        sum--;
    }
  }
  do
    sum += 1 + depth(sum % 4);
  while (sum < 40);
  switch (sum % 3) {
  case 0: sum += 1; break;
  case 1:
    sum += 2;
    break;
  default:
    sum += 3;
  }
  TWICE(sum++);
  struct pair p = both(sum);
  for (;;) { if (p.a++ > sum + 3) break; }
  int odd = sum & 1 ? p.a : p.b, both_of = sum > 3 && odd > 2;
  goto out;
  sum = 0;
out:
  printf("%d %d %d\n", sum, odd,
         both_of);
  if (argc > 7) return 1; else i = 2;
  return 0;
}
)";

constexpr const char* kTemplates = R"(#include <cstdio>
#include <stdexcept>
#include <vector>
template <class T> T larger(T a, T b) {
  if (a > b)
    return a;
  return b;
}
struct Counter {
  int n;
  Counter(int start) : n(start) {
    n++;
  }
  ~Counter() { n = 0; }
  int next() { return ++n; }
};
static int risky(int n) {
  Counter c(n);
  if (c.next() > 4)
    throw std::runtime_error("large");
  return c.n;
}
int main() {
  std::vector<int> all{3, 1, 2};
  int sum = 0;
  for (int x : all)
    sum += larger(x, 2);
  double d = larger(1.5, 2.5);
  auto twice = [&](int n) {
    sum += n;
    return n * 2;
  };
  for (int k = 0; k < 4; ++k) {
    try {
      sum += risky(k) + twice(k);
    } catch (const std::exception& e) {
      sum += 100;
    }
  }
  std::printf("%d %f\n", sum, d);
  return 0;
}
)";

// By line, how often a breakpoint there was hit in the whole run.
std::map<uint32_t, uint64_t> gdbCounts(const RecordedProgram& program, const std::string& file,
                                       const std::vector<uint32_t>& lines) {
  std::string script = "set pagination off\nset confirm off\n";
  for (uint32_t line : lines)
    script += "break -source " + file + " -line " + std::to_string(line) + "\nignore $bpnum 1000000\n";
  test::writeFile(program.directory() + "/all.gdb", script + "run\ninfo breakpoints\n");
  test::RunResult got = test::run({"/usr/bin/gdb", "-nx", "-batch", "-x", "all.gdb", "./program"},
                                  {.cwd = program.directory()});
  std::map<uint32_t, uint64_t> counts;
  std::istringstream text(got.out.substr(std::min(got.out.find("Num "), got.out.size())));
  std::regex number("^([0-9]+) .*"), hit(".*already hit ([0-9]+) time.*");
  std::smatch match;
  size_t at = 0;
  for (std::string line; std::getline(text, line);) {
    if (std::regex_match(line, match, number)) at = std::stoul(match[1]);
    if (at >= 1 && at <= lines.size()) counts.try_emplace(lines[at - 1], 0);
    if (std::regex_match(line, match, hit)) counts[lines.at(at - 1)] = std::stoull(match[1]);
  }
  EXPECT_EQ(counts.size(), lines.size()) << got.out << got.err;
  return counts;
}

void compare(const std::string& file, const std::string& source) {
  if (!std::filesystem::exists("/usr/bin/gdb")) GTEST_SKIP() << "no gdb here: the counts were not compared";
  RecordedProgram program(file, source, {.flags = {"-O0"}});
  replay::Replay replay = program.open();
  ASSERT_TRUE(bool(replay.runToEnd()));
  replay::Time end = replay.now();
  History history(replay, CallModels::standard());
  std::string path = std::filesystem::canonical(program.directory()).string() + "/" + file;
  std::vector<HitQuestion> questions;
  std::vector<uint32_t> lines;
  for (uint32_t line = 1; line <= uint32_t(std::count(source.begin(), source.end(), '\n')); ++line) {
    if (breakpointsAt(replay.program(), path, line).empty()) continue;
    lines.push_back(line);
    questions.push_back({path, line, end, 0});
  }
  ASSERT_GT(lines.size(), 20u);
  auto hits = countHits(history, questions);
  ASSERT_TRUE(bool(hits)) << hits.error().message;
  std::map<uint32_t, uint64_t> real = gdbCounts(program, file, lines);
  for (size_t k = 0; k < lines.size(); ++k)
    EXPECT_EQ((*hits)[k].count, real[lines[k]]) << file << ":" << lines[k];
}

TEST(Breakpoints, AreHitAsGdbHitsThemInC) { compare("program.c", kLoops); }
TEST(Breakpoints, AreHitAsGdbHitsThemInCpp) { compare("program.cpp", kTemplates); }

} // namespace
} // namespace faultline::depend::testing

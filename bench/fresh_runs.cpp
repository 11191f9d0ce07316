// How many runs of a trivial program a second, one after the other: the ordinary program started plainly, and
// its record variant in a cell, contained and not, without and with a file that it writes or is given.
//
//   bench_fresh_runs PROGRAM [COUNT]       PROGRAM: built by faultline-cc; with an argument it writes that
//   file
#include "compiler/variant.h"
#include "experiment/fresh_runner.h"
#include "experiment/local_executor.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <spawn.h>
#include <sys/wait.h>

using namespace faultline;
using namespace faultline::experiment;

extern char** environ;

namespace {

using Once = std::function<bool()>;
struct Way {
  const char* name;
  Once once;
  std::vector<double> rates = {};
};

// The machine is seldom quiet: the ways take turns, and the median of the turns counts.
void compare(std::vector<Way> ways, int count) {
  constexpr int kTurns = 15;
  for (int turn = 0; turn < kTurns; ++turn)
    for (Way& way : ways) {
      auto begin = std::chrono::steady_clock::now();
      int each = std::max(1, count / kTurns);
      for (int i = 0; i < each; ++i)
        if (!way.once()) return (void)std::printf("%s: failed\n", way.name);
      std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      way.rates.push_back(each / took.count());
    }
  for (Way& way : ways) {
    std::ranges::sort(way.rates);
    std::printf("%-40s %7.0f /s\n", way.name, way.rates[kTurns / 2]);
  }
}

bool spawnOnce(const char* program) {
  char* argv[] = {const_cast<char*>(program), nullptr};
  pid_t pid;
  int status;
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  bool done =
      posix_spawn(&pid, program, &quiet, nullptr, argv, environ) == 0 && waitpid(pid, &status, 0) == pid;
  posix_spawn_file_actions_destroy(&quiet);
  return done;
}

Once runOnce(const FreshRunner& runner, const RunSpec& spec) {
  return [&runner, spec] {
    auto ending = runner.run(spec);
    if (!ending) std::printf("%s\n", ending.error().message.c_str());
    return ending && ending->cut == Ending::None;
  };
}

// None of them like the one before.
Once runOther(const FreshRunner& runner, const RunSpec& spec) {
  return [&runner, spec, number = 0]() mutable {
    RunSpec other = spec;
    other.env.push_back("NUMBER=" + std::to_string(number++));
    return runOnce(runner, other)();
  };
}

size_t entries(const char* folder) {
  std::error_code ignored;
  std::filesystem::directory_iterator all(folder, ignored);
  return size_t(std::distance(begin(all), end(all)));
}

// Many runs, some of which write, fail or are given up: what is left behind?
int soak(const FreshRunner& runner, const std::vector<RunSpec>& specs, size_t count) {
  auto print = [](const char* when) {
    std::printf("%-6s %zu descriptors, %zu processes on the machine, %zu entries in /tmp\n", when,
                entries("/proc/self/fd"), entries("/proc"), entries("/tmp"));
  };
  auto original = runner.run(specs[0]);
  if (!original) return std::puts(original.error().message.c_str()), 1;
  Judge judge = Judge::of({}, {.kind = replay::Verdict::Crashed}, "/");
  print("before");
  auto begin = std::chrono::steady_clock::now();
  {
    auto executor = LocalExecutor::create(
        [&](const RunSpec& spec, int stop) { return runner.run(spec, stop); }, judge, 2);
    if (!executor) return 1;
    for (size_t done = 0; done < count; done += 1000) {
      auto ran = runInOrder(
          **executor, 1000, [&](size_t i) { return specs[i % specs.size()]; },
          [&](size_t i, const Outcome& o) { return o.ending.cut == Ending::None && i < 997; });
      if (!ran) return std::puts(ran.error().message.c_str()), 1;
    }
    print("during");
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  print("after");
  std::printf("%zu runs in %.0f s\n", count, took.count());
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: bench_fresh_runs PROGRAM [COUNT [soak]]"), 1;
  std::filesystem::path program = std::filesystem::canonical(argv[1]);
  int count = argc > 2 ? std::atoi(argv[2]) : 1500;
  auto variant = compiler::recordVariant(program);
  if (!variant) return std::puts(variant.error().message.c_str()), 1;
  FreshProgram fresh = FreshProgram::of(*variant, program);
  // Each way has cells of its own: a run that is like the one before it in the same cell is a copy.
  auto contained = FreshRunner::create(fresh, {}), free = FreshRunner::create(fresh, {}, {.on = false});
  auto writing = FreshRunner::create(fresh, {}), reading = FreshRunner::create(fresh, {});
  auto changing = FreshRunner::create(fresh, {});
  if (!contained || !free || !writing || !reading || !changing) return std::puts("no cell"), 1;
  RunSpec plain{.argv = {program.string()}, .env = {"PATH=/usr/bin"}, .cwd = "/tmp", .input = "x"};
  RunSpec writes = plain, given = plain;
  writes.argv.push_back("/tmp/bench_fresh_runs.out");
  given.files = {{"/tmp/bench_fresh_runs.in", "some text"}};
  if (argc > 3) return soak(*contained, {plain, writes, given, plain}, size_t(count));
  compare({{"ordinary program, posix_spawn", [&] { return spawnOnce(program.c_str()); }},
           {"variant, posix_spawn", [&] { return spawnOnce(variant->executable.c_str()); }},
           {"variant, uncontained", runOnce(*free, plain)},
           {"variant, contained", runOnce(*contained, plain)},
           {"variant, contained, each with other arguments", runOther(*changing, plain)},
           {"variant, contained, writes a file", runOnce(*writing, writes)},
           {"variant, contained, is given a file", runOnce(*reading, given)}},
          count);
}

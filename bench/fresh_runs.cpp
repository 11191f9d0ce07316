// How many runs of a trivial program a second, one after the other: the ordinary program started plainly, and
// its record variant in a cell, contained and not, without and with a file that it writes or is given.
//
//   bench_fresh_runs PROGRAM [COUNT]       PROGRAM: built by faultline-cc; with an argument it writes that
//   file
#include "base/process.h"
#include "compiler/variant.h"
#include "experiment/fresh_runner.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <spawn.h>
#include <sys/wait.h>

using namespace faultline;
using namespace faultline::experiment;

extern char** environ;

namespace {

void measure(const char* name, int count, const std::function<bool()>& once) {
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i)
    if (!once()) {
      std::printf("%-44s failed\n", name);
      return;
    }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%-44s %8.0f /s\n", name, count / took.count());
}

bool spawnOnce(const char* program) {
  char* argv[] = {const_cast<char*>(program), nullptr};
  pid_t pid;
  int status;
  return posix_spawn(&pid, program, nullptr, nullptr, argv, environ) == 0 && waitpid(pid, &status, 0) == pid;
}

std::function<bool()> runOnce(const FreshRunner& runner, const RunSpec& spec) {
  return [&runner, spec] {
    auto ending = runner.run(spec);
    if (!ending) std::printf("%s\n", ending.error().message.c_str());
    return ending && ending->cut == Ending::None;
  };
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: bench_fresh_runs PROGRAM [COUNT]"), 1;
  std::filesystem::path program = std::filesystem::canonical(argv[1]);
  int count = argc > 2 ? std::atoi(argv[2]) : 500;
  auto variant = compiler::recordVariant(program);
  if (!variant) return std::puts(variant.error().message.c_str()), 1;
  FreshProgram fresh = FreshProgram::of(*variant, program);
  auto contained = FreshRunner::create(fresh, {}), free = FreshRunner::create(fresh, {}, {.on = false});
  if (!contained || !free) return std::puts("no cell"), 1;
  RunSpec plain{.argv = {program.string()}, .env = {"PATH=/usr/bin"}, .cwd = "/tmp", .input = "x"};
  RunSpec writes = plain, given = plain;
  writes.argv.push_back("/tmp/bench_fresh_runs.out");
  given.files = {{"/tmp/bench_fresh_runs.in", "some text"}};
  for (int round = 0; round < 3; ++round) {
    measure("ordinary program, posix_spawn", count, [&] { return spawnOnce(program.c_str()); });
    measure("variant, uncontained", count, runOnce(*free, plain));
    measure("variant, contained", count, runOnce(*contained, plain));
    measure("variant, contained, writes a file", count, runOnce(*contained, writes));
    measure("variant, contained, is given a file", count, runOnce(*contained, given));
  }
}

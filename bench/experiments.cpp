// How many experiments a second, by each of the ways to make one, on the same program and suffix of its run:
//
//   bench_experiments PROGRAM MEGABYTES [TURNS]
//   bench_experiments PROGRAM MEGABYTES soak COUNT     many, and what they leave behind
//
// PROGRAM (bench/experiments.py has it) takes the megabytes to fill and, for fork, how often to fork at the
// point where the suffix begins; it then prints the rate itself. The ways take turns, since the machine is
// seldom quiet. Prints, for each, the medians as JSON: starting (once) and rate (each) apart.
#include "compiler/variant.h"
#include "experiment/server.h"
#include "recording/reader.h"
#include "recording/recorder.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace faultline;
using namespace faultline::experiment;

extern char** environ;

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench_experiments: %s\n", why.c_str());
  std::exit(1);
}

template <class T> T valueOf(Result<T> result) {
  if (!result) fail(result.error().message);
  return std::move(*result);
}

struct Turn {
  double start = 0, rate = 0; // seconds, a second
};

Turn median(std::vector<Turn> turns) {
  Turn out;
  auto middle = turns.begin() + long(turns.size() / 2);
  std::ranges::nth_element(turns, middle, {}, &Turn::start);
  out.start = middle->start;
  std::ranges::nth_element(turns, middle, {}, &Turn::rate);
  out.rate = middle->rate;
  return out;
}

constexpr uint64_t kFirstEpoch = 500, kPoints = 200; // before the end: 500 to 300 rounds of the suffix

class Bench {
public:
  Bench(std::filesystem::path program, std::string megabytes)
      : program_(std::move(program)), megabytes_(std::move(megabytes)) {
    compiler::Variant variant =
        valueOf(compiler::recordVariant(program_, {.jobs = 2, .alters = true, .progress = {}}));
    recording::RecordRequest request;
    request.variant = variant.executable;
    request.argv = {program_.string(), megabytes_};
    request.env = {"PATH=/usr/bin:/bin"};
    request.cwd = "/tmp";
    request.program = program_.string();
    request.programId = variant.programId;
    request.variantKey = variant.key;
    request.input = "/dev/null";
    request.output = program_.string() + ".flr";
    request.captureOutput = true;
    request.passOutput = false;
    request.alters = true;
    request.worldPid = 4711;
    request.worldClock = 1'700'000'000'000'000'000;
    valueOf(recording::recordRun(request));
    recording_.emplace(valueOf(recording::Recording::open(request.output)));
    setting_.variant = variant.executable;
    setting_.program = program_.string();
    setting_.run = {.argv = request.argv, .env = request.env, .cwd = request.cwd, .input = ""};
    setting_.limits.seconds = 60;
    setting_.worldPid = request.worldPid;
    setting_.worldClock = request.worldClock;
    setting_.reference = recording_->log();
    end_ = recording_->end()->epoch;
    setting_.limits.epochs = end_ + 1'000'000;
    findDecision();
  }

  // `each` experiments at every point.
  Turn inOneProcess(unsigned each) {
    std::vector<Experiment> experiments;
    for (uint64_t epoch = end_ - kFirstEpoch; epoch < end_ - kFirstEpoch + kPoints; ++epoch)
      for (unsigned k = 0; k < each; ++k) experiments.push_back(switched(epoch));
    Server server(setting_);
    Turn turn;
    size_t right = 0;
    auto begin = Clock::now(), first = begin;
    valueOf(server.run(experiments, [&](size_t number, const Ending& ending) {
      if (number == 0) first = Clock::now();
      right += ending.cut == Ending::None && ending.reached == 1;
      return true;
    }));
    turn.rate = double(experiments.size() - 1) / since(first);
    turn.start = std::chrono::duration<double>(first - begin).count();
    if (right != experiments.size()) fail("some experiments did not do what they were to");
    stats_ = server.stats();
    return turn;
  }

  // Any instruction at any point is altered, most of them without sense: some runs crash, some hang, some end
  // as they would have.
  void soak(size_t count) {
    constexpr Alteration::Kind kKinds[] = {Alteration::Switch, Alteration::ReplaceValue, Alteration::Skip};
    std::vector<Experiment> experiments;
    for (size_t k = 0; k < count; ++k)
      experiments.push_back({.alterations = {{.kind = kKinds[k % 3],
                                              .epoch = end_ - kFirstEpoch + k / 3 % kPoints,
                                              .instruction = uint32_t(k / 3 / kPoints)}}});
    size_t cuts[8] = {}, reached = 0, crashed = 0;
    printLeft("before");
    auto begin = Clock::now();
    {
      setting_.limits.epochs = end_ + 20'000;
      Server server(setting_);
      valueOf(server.run(experiments, [&](size_t, const Ending& e) {
        ++cuts[e.cut];
        reached += e.reached != 0;
        crashed += e.cut == Ending::None && e.signalled();
        return true;
      }));
      stats_ = server.stats();
      printLeft("during");
    }
    double seconds = since(begin);
    printLeft("after");
    std::printf("%zu experiments in %.1f s, %.0f a second: %zu reached, %zu crashed, %zu of too many steps, "
                "%zu broken, %llu processes used\n",
                count, seconds, double(count) / seconds, reached, crashed, cuts[Ending::Steps],
                cuts[Ending::Broken], static_cast<unsigned long long>(stats_.processes));
  }

  Turn spawned(unsigned count) {
    auto begin = Clock::now();
    for (unsigned k = 0; k < count; ++k) spawn("0");
    return {0, count / since(begin)};
  }

  // The program forks at the point, again and again, and tells how often a second.
  Turn forked(unsigned count) {
    auto begin = Clock::now();
    double rate = std::atof(spawn(std::to_string(count)).c_str());
    return {since(begin) - count / rate, rate};
  }

  ServerStats stats() const { return stats_; }

private:
  static size_t entries(const char* folder) {
    std::error_code ignored;
    std::filesystem::directory_iterator all(folder, ignored);
    return size_t(std::distance(begin(all), std::filesystem::end(all)));
  }
  static void printLeft(const char* when) {
    size_t children = 0, pages = 0;
    std::ifstream("/proc/self/task/" + std::to_string(getpid()) + "/children") >> children;
    std::ifstream("/proc/self/statm").ignore(100, ' ') >> pages;
    std::printf("%-6s %zu descriptors, %s, %zu entries in /tmp, %zu KiB resident\n", when,
                entries("/proc/self/fd"), children ? "a child" : "no child", entries("/tmp"), pages * 4);
  }

  Experiment switched(uint64_t epoch) const {
    return {.alterations = {{.kind = Alteration::Switch, .epoch = epoch, .instruction = decision_}}};
  }

  // A decision that, switched, lets the run go on to its end: nearly all of the suffix is run.
  void findDecision() {
    std::vector<Experiment> experiments;
    for (uint32_t id = 0; id < 400; ++id) {
      decision_ = id;
      experiments.push_back(switched(end_ - kFirstEpoch));
    }
    Server server(setting_);
    std::vector<Ending> endings = valueOf(server.run(experiments));
    for (decision_ = 0; decision_ < endings.size(); ++decision_) {
      const Ending& e = endings[decision_];
      if (e.reached && e.cut == Ending::None && !e.signalled() && e.epochs + 10 > end_) return;
    }
    fail(endings[0].broken.empty() ? "no decision found in the suffix" : endings[0].broken);
  }

  std::string spawn(const std::string& forks) {
    std::string name = program_.string();
    char* argv[] = {name.data(), megabytes_.data(), const_cast<char*>(forks.c_str()), nullptr};
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0) fail("no pipe");
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_adddup2(&streams, pipes[1], 1);
    pid_t pid;
    if (posix_spawn(&pid, name.c_str(), &streams, nullptr, argv, environ) != 0) fail("cannot spawn");
    posix_spawn_file_actions_destroy(&streams);
    close(pipes[1]);
    std::string output;
    char buffer[256];
    for (ssize_t got; (got = read(pipes[0], buffer, sizeof buffer)) > 0;) output.append(buffer, size_t(got));
    close(pipes[0]);
    int status;
    waitpid(pid, &status, 0);
    return output;
  }

  std::filesystem::path program_;
  std::string megabytes_;
  std::optional<recording::Recording> recording_;
  ServerSetting setting_;
  uint64_t end_ = 0;
  uint32_t decision_ = 0;
  ServerStats stats_;
};

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::puts("usage: bench_experiments PROGRAM MEGABYTES [TURNS]"), 1;
  bool large = std::atoi(argv[2]) > 50;
  int turns = argc > 3 ? std::atoi(argv[3]) : 7;
  Bench bench(std::filesystem::canonical(argv[1]), argv[2]);
  if (argc > 4 && argv[3] == std::string("soak")) return bench.soak(size_t(std::atoll(argv[4]))), 0;
  std::vector<Turn> own, shared, spawn, fork;
  double pagesEach = 0;
  for (int turn = 0; turn < turns; ++turn) {
    own.push_back(bench.inOneProcess(1));
    shared.push_back(bench.inOneProcess(large ? 5 : 20));
    pagesEach = double(bench.stats().pagesRestored) / double(bench.stats().rollbacks);
    spawn.push_back(bench.spawned(large ? 10 : 200));
    fork.push_back(bench.forked(large ? 40 : 400));
  }
  auto print = [](const char* name, const Turn& t, const char* end) {
    std::printf("\"%s\": {\"start_seconds\": %.6f, \"a_second\": %.1f}%s", name, t.start, t.rate, end);
  };
  std::printf("{");
  print("one_process", median(own), ", ");
  print("one_process_same_point", median(shared), ", ");
  print("spawn", median(spawn), ", ");
  print("fork", median(fork), ", ");
  std::printf("\"pages_restored_each\": %.1f}\n", pagesEach);
}

// Readers never trust the file: of thousands of damaged recordings, FIR images and programs none makes a
// reading command crash, hang, or ask for wild amounts of memory.
//
// FAULTLINE_MUTANTS=N makes N mutants of recordings and as many of the others (default: 300);
// FAULTLINE_MUTANT=K makes only number K, in this process, for a debugger. scripts/mutate.sh runs 10,000.
#include "mutation/saved_states.h"
#include "recording/reader.h"
#include "support/run.h"
#include "support/sandbox.h"

#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::test {
namespace {

namespace fs = std::filesystem;
const std::string kBin = FAULTLINE_BIN_DIR;

struct Source {
  const char* name;
  const char* text;
};
constexpr Source kSources[] = {
    {"crash.c", R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { int weight; char name[12]; struct item *next; };
static struct item *list;
static int total(const struct item *next, int depth) {
  char copy[16];
  int sum = next->weight;
  memcpy(copy, next->name, sizeof next->name);
  for (int k = 0; k < 12; k++) sum += copy[k] % 3;
  return depth ? sum + total(next->next, depth - 1) : sum;
}
int main(int argc, char **argv) {
  for (int k = 0; k < 20; k++) {
    struct item *i = malloc(sizeof *i);
    i->weight = k * argc;
    snprintf(i->name, sizeof i->name, "n%d", k);
    i->next = list;
    list = i;
  }
  int sum = 0;
  for (int k = 15; k < 40; k++) sum += total(list, k);
  printf("%d %s\n", sum, getenv("HOME"));
  return 0;
}
)"},
    {"throwing.cpp", R"(extern "C" int printf(const char *, ...);
extern "C" char *getenv(const char *);
struct Problem { int code; const char *text; };
struct Guard { int *count; ~Guard() { ++*count; } };
static int work(int depth, int *count) {
  Guard g{count};
  if (depth == 0) throw Problem{*count, "deep"};
  int part = work(depth - 1, count);
  return part + depth;
}
int main(int argc, char **argv) {
  int count = 0, sum = 0;
  for (int k = 0; k < 12; ++k) {
    try { sum += work(k, &count); }
    catch (const Problem &p) { sum += p.code; }
  }
  printf("%d %d %d\n", sum, count, getenv("PATH") != nullptr);
  throw sum;
}
)"},
    {"threads.c", R"(#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, caught;
static __thread int own;
static jmp_buf again;
static void handler(int s) { caught += s; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void *worker(void *argument) {
  for (int k = 0; k < 20; k++) {
    pthread_mutex_lock(&lock);
    shared += (int)(long)argument;
    own++;
    pthread_mutex_unlock(&lock);
  }
  return (void *)(long)own;
}
int main(int argc, char **argv) {
  pthread_t threads[2];
  int numbers[] = {5, 3, 9, 1, 7, 2, 8};
  signal(SIGUSR1, handler);
  for (long k = 0; k < 2; k++) pthread_create(&threads[k], 0, worker, (void *)(k + 1));
  raise(SIGUSR1);
  qsort(numbers, 7, sizeof numbers[0], compare);
  volatile int tries = 0;
  if (setjmp(again) < 3) { tries++; longjmp(again, tries); }
  void *result = 0;
  for (int k = 0; k < 2; k++) pthread_join(threads[k], &result);
  printf("%d %d %d %ld\n", shared, caught, numbers[0], (long)result);
  if (numbers[0] == 1) abort();
  return 0;
}
)"},
};

struct Sample {
  std::string name, program, recording;
  Bytes programBytes, recordingBytes;
  std::vector<Bytes> imageBytes;
  std::vector<fir::Image> images;
};

Bytes bytesOf(const std::string& path) {
  std::string text = readFile(path);
  return {text.begin(), text.end()};
}

fir::Image imageOf(const Bytes& bytes) {
  auto image = fir::imageFromBytes(std::vector<char>(bytes.begin(), bytes.end()));
  if (!image) throw std::runtime_error(image.error().message);
  return *image;
}

// Built and recorded once for all tests, each with a cache of its own so that its FIR can be found there.
class Samples {
public:
  static const Samples& get() {
    static Samples samples;
    return samples;
  }
  std::vector<Sample> all;
  TempDir dir;

  std::map<std::string, std::string> environment(const Sample& sample) const {
    return {{"XDG_CACHE_HOME", dir / (sample.name + ".cache")},
            {"XDG_DATA_HOME", dir / "data"},
            {"NO_COLOR", "1"}};
  }

private:
  Samples() {
    for (const Source& source : kSources) {
      Sample s;
      s.name = fs::path(source.name).stem();
      s.program = dir / s.name;
      s.recording = dir / (s.name + ".flr");
      writeFile(dir / source.name, source.text);
      std::string compiler = fs::path(source.name).extension() == ".cpp" ? "/faultline-c++" : "/faultline-cc";
      must(s, {kBin + compiler, "-g", dir / source.name, "-o", s.program, "-pthread"});
      must(s, {kBin + "/faultline", "record", "-q", "--capture", "-o", s.recording, "--", s.program});
      s.programBytes = bytesOf(s.program);
      s.recordingBytes = bytesOf(s.recording);
      std::vector<fs::path> files;
      for (auto& entry : fs::recursive_directory_iterator(dir / (s.name + ".cache/faultline/variants")))
        if (entry.path().extension() == ".fir") files.push_back(entry.path());
      std::sort(files.begin(), files.end());
      for (const fs::path& file : files) {
        s.imageBytes.push_back(bytesOf(file));
        s.images.push_back(imageOf(s.imageBytes.back()));
      }
      if (const char* keep = getenv("FAULTLINE_KEEP")) { // seeds for tests/fuzz
        writeFile(fs::path(keep) / "recording" / (s.name + ".flr"), readFile(s.recording));
        writeFile(fs::path(keep) / "program" / s.name, readFile(s.program));
        for (const fs::path& file : files)
          writeFile(fs::path(keep) / "image" / file.filename(), readFile(file));
      }
      all.push_back(std::move(s));
    }
  }
  void must(const Sample& s, const std::vector<std::string>& words) {
    RunResult r = run(words, {.cwd = dir.path(), .env = environment(s)});
    if (r.status != 0) throw std::runtime_error(fmt::format("{}\n{}", fmt::join(words, " "), r.err));
  }
};

uint64_t mutants() {
  const char* n = getenv("FAULTLINE_MUTANTS");
  return n ? strtoull(n, nullptr, 10) : 300;
}

// Number k is of the sample k % 3.
const Sample& sampleOf(uint64_t k) { return Samples::get().all[k % Samples::get().all.size()]; }

void expectNoFailure(const std::function<std::string(uint64_t)>& body,
                     const std::function<Mutant(uint64_t)>& mutant) {
  Samples::get();
  if (const char* one = getenv("FAULTLINE_MUTANT")) {
    uint64_t k = strtoull(one, nullptr, 10);
    fmt::print("{}: {}\n", sampleOf(k).name, mutant(k).how);
    EXPECT_EQ(body(k), "");
    return;
  }
  for (const SandboxFailure& f : runSandboxed(mutants(), {}, body))
    ADD_FAILURE() << "FAULTLINE_MUTANT=" << f.job << " (" << sampleOf(f.job).name << ", " << mutant(f.job).how
                  << "): " << f.what;
}

TEST(MutatedFiles, TheGoodOnesAreRead) {
  for (const Sample& s : Samples::get().all) {
    EXPECT_EQ(readRecording(s.recordingBytes, s.images, {}), "");
    for (const Bytes& image : s.imageBytes) EXPECT_EQ(readImage(image), "");
    EXPECT_EQ(readProgram(s.programBytes), "");
    // What the mutator takes apart it must be able to put together.
    std::vector<Chunk> chunks = chunksOf(s.recordingBytes);
    EXPECT_EQ(recordingOf(chunks), s.recordingBytes);
    for (Chunk& c : chunks)
      if (c.kind == recording::ChunkKind::Log) {
        EXPECT_GT(recordsOf(unpackLog(c)).size(), 5u);
        EXPECT_EQ(recordsOf(logOf(recordsOf(unpackLog(c)))).size(), recordsOf(unpackLog(c)).size());
      }
  }
}

TEST(MutatedFiles, RecordingsAreReadOrRefused) {
  auto mutant = [](uint64_t k) { return mutateRecording(sampleOf(k).recordingBytes, k); };
  expectNoFailure([&](uint64_t k) { return readRecording(mutant(k).bytes, sampleOf(k).images, {}); }, mutant);
}

TEST(MutatedFiles, ImagesAreReadOrRefused) {
  auto mutant = [](uint64_t k) {
    const Sample& s = sampleOf(k);
    return mutateImage(s.imageBytes[k / 7 % s.imageBytes.size()], k);
  };
  auto body = [&](uint64_t k) {
    const Sample& s = sampleOf(k);
    Mutant made = mutant(k);
    std::string problem = readImage(made.bytes);
    auto image = fir::imageFromBytes(std::vector<char>(made.bytes.begin(), made.bytes.end()));
    if (!problem.empty() || !image) return problem;
    std::vector<fir::Image> images = s.images;
    images[k / 7 % images.size()] = *image;
    return readRecording(s.recordingBytes, images, {});
  };
  expectNoFailure(body, mutant);
}

TEST(MutatedFiles, ProgramsAreReadOrRefused) {
  auto mutant = [](uint64_t k) { return mutateProgram(sampleOf(k).programBytes, k); };
  expectNoFailure([&](uint64_t k) { return readProgram(mutant(k).bytes); }, mutant);
}

// States of the replay, written out at many times.
TEST(MutatedFiles, SavedStatesAreReadOrRefused) {
  std::vector<std::vector<SavedState>> states;
  for (const Sample& s : Samples::get().all) states.push_back(savedStates(s.recordingBytes, s.images, 8));
  ASSERT_EQ(states.size(), 3u);
  for (auto& of : states) ASSERT_EQ(of.size(), 8u);
  auto mutated = [&](uint64_t k, std::string& how) {
    return mutateState(states[k % states.size()][k / 3 % 8], k, how);
  };
  auto body = [&](uint64_t k) {
    std::string how;
    return continueFrom(sampleOf(k).recordingBytes, sampleOf(k).images, mutated(k, how), {});
  };
  auto mutant = [&](uint64_t k) {
    Mutant out{{}, "state"};
    mutated(k, out.how);
    return out;
  };
  expectNoFailure(body, mutant);
}

// Recordings that begin with a state, as --last makes them.
TEST(MutatedFiles, RecordingsOfTheEndAreReadOrRefused) {
  std::vector<Bytes> good;
  for (const Sample& s : Samples::get().all) {
    auto states = savedStates(s.recordingBytes, s.images, 3);
    ASSERT_EQ(states.size(), 3u);
    good.push_back(recordingFrom(s.recordingBytes, states[0]));
    EXPECT_EQ(readRecording(good.back(), s.images, {}), "");
    // Not even the good one can be walked from before its start.
    MemoryFile file(good.back());
    auto recording = recording::Recording::open(file.path());
    ASSERT_TRUE(bool(recording)) << recording.error().message;
    ASSERT_TRUE(recording->start());
    EXPECT_EQ(recording->start()->time, states[0].time);
  }
  auto mutant = [&](uint64_t k) { return mutateRecording(good[k % good.size()], k); };
  expectNoFailure([&](uint64_t k) { return readRecording(mutant(k).bytes, sampleOf(k).images, {}); }, mutant);
}

// A sample of them through the commands themselves: an answer or one line of error.
TEST(MutatedFiles, CommandsAnswerOrSayWhy) {
  TempDir dir;
  for (uint64_t k = 0; k < mutants(); k += 40) {
    const Sample& s = sampleOf(k);
    Mutant mutant = mutateRecording(s.recordingBytes, k);
    std::string path = dir / "mutant.flr";
    writeFile(path, std::string(mutant.bytes.begin(), mutant.bytes.end()));
    for (const std::vector<std::string>& words : {std::vector<std::string>{"info", path},
                                                  {"info", "--json", path},
                                                  {"list", dir.path()},
                                                  {"verify", path},
                                                  {"show", path}}) {
      std::vector<std::string> argv = words;
      argv.insert(argv.begin(), kBin + "/faultline");
      RunResult r = run(argv, {.cwd = dir.path(), .env = Samples::get().environment(s)});
      std::string what =
          fmt::format("mutant {} of {} ({}): {}\n{}{}", k, s.name, mutant.how, words[0], r.out, r.err);
      EXPECT_EQ(r.signal, 0) << what;
      EXPECT_LE(r.status, 3) << what;
      EXPECT_LE(std::count(r.err.begin(), r.err.end(), '\n'), 1) << what;
    }
  }
}

// The commands that explain, one for each mutant in turn. Memory that a mutant makes them ask for is bounded,
// but for those that run the program again: the shadow of a recorded process needs address space.
TEST(MutatedFiles, ExplainingCommandsAnswerOrSayWhy) {
  const std::vector<std::vector<std::string>> commands = {{"slice"},
                                                          {"origin"},
                                                          {"causes", "--budget", "2"},
                                                          {"slice", "--relevant"},
                                                          {"invariants", "--budget", "2"},
                                                          {"slice", "--json", "--forward", "env:HOME"},
                                                          {"show", "--index"},
                                                          {"slice", "--at", "@100"}};
  const std::vector<std::vector<std::string>> again = {{"critical", "--budget", "2"},
                                                       {"explain", "--budget", "2"}};
  const std::string limited = "ulimit -v 6291456; ulimit -t 60; exec \"$@\"";
  TempDir dir;
  for (uint64_t k = 0; k < mutants(); ++k) {
    const Sample& s = sampleOf(k);
    Mutant mutant = mutateRecording(s.recordingBytes, k);
    std::string path = dir / fmt::format("mutant-{}.flr", k % 16);
    std::filesystem::remove_all(path + ".index");
    writeFile(path, std::string(mutant.bytes.begin(), mutant.bytes.end()));
    bool runsAgain = k % 30 == 7;
    std::vector<std::string> words =
        runsAgain ? again[k / 30 % again.size()] : commands[k / 3 % commands.size()];
    std::vector<std::string> argv = {kBin + "/faultline"};
    if (!runsAgain) argv = {"/bin/sh", "-c", limited, "sh", kBin + "/faultline"};
    argv.insert(argv.end(), words.begin(), words.end());
    argv.push_back(path);
    RunResult r = run(argv, {.cwd = dir.path(), .env = Samples::get().environment(s)});
    std::string what = fmt::format("mutant {} of {} ({}): {}\n{}{}", k, s.name, mutant.how,
                                   fmt::join(words, " "), r.out.substr(0, 2000), r.err);
    EXPECT_EQ(r.signal, 0) << what;
    EXPECT_LE(r.status, 3) << what;
    EXPECT_EQ(r.err.find("bad_alloc"), std::string::npos) << what;
  }
}

} // namespace
} // namespace faultline::test

// record --last: only the end of a long run is kept, in a file of bounded size, and replays from there.
#include "support/run.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kBin = FAULTLINE_BIN_DIR;

// Reads bytes that nobody can compute again (argv[1] times 64 kB), with a thread, a jump out of a callback
// and signals on the way; then it ends as argv[2] says. What it kept of all that is in a table of argv[3]
// pages.
constexpr const char* kReader = R"(#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static unsigned char buffer[65536];
static unsigned char *table;
static long pages, rounds, done, caught;
static jmp_buf back;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void handler(int s) { caught++; }
static int compare(const void *a, const void *b) {
  if (done % 5 == 0 && *(const unsigned char *)a > 250) longjmp(back, 1);
  return *(const unsigned char *)a - *(const unsigned char *)b;
}
static void one(int fd) {
  if (read(fd, buffer, sizeof buffer) != sizeof buffer) abort();
  memcpy(table + done % pages * 4096, buffer, 4096);
  if (setjmp(back) == 0) qsort(buffer, 64, 1, compare);
  if (done % 7 == 0) raise(SIGUSR1);
  if (done % 10 == 0) printf("round %ld\n", done);
  done++;
}
static void *worker(void *argument) {
  int fd = *(int *)argument;
  for (;;) {
    pthread_mutex_lock(&lock);
    if (done >= rounds / 2) break;
    one(fd);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(int argc, char **argv) {
  int fd = open("/dev/urandom", O_RDONLY);
  rounds = atol(argv[1]);
  pages = atol(argv[3]);
  table = malloc(pages * 4096);
  signal(SIGUSR1, handler);
  pthread_t thread;
  pthread_create(&thread, 0, worker, &fd);
  pthread_join(thread, 0);
  while (done < rounds) one(fd);
  fprintf(stderr, "all was read\n");
  if (!strcmp(argv[2], "crash")) *(volatile char *)(caught - caught) = table[77];
  if (!strcmp(argv[2], "hang")) for (;;) done++;
  if (!strcmp(argv[2], "kill")) kill(getpid(), SIGKILL);
  return 3;
}
)";

class Last : public ::testing::Test {
protected:
  void SetUp() override {
    writeFile(dir / "reader.c", kReader);
    RunResult r =
        run({kBin + "/faultline-cc", "-g", "-pthread", "reader.c", "-o", "reader"}, {.cwd = dir.path()});
    ASSERT_EQ(r.status, 0) << r.err;
  }
  RunResult faultline(std::vector<std::string> words) {
    words.insert(words.begin(), kBin + "/faultline");
    return run(
        words,
        {.cwd = dir.path(),
         .env = {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}, {"NO_COLOR", "1"}}});
  }
  json record(std::vector<std::string> options, int rounds, const std::string& how, int pages = 10) {
    options.insert(options.begin(), {"record", "--json", "--capture"});
    options.insert(options.end(), {"--", "./reader", std::to_string(rounds), how, std::to_string(pages)});
    std::vector<std::string> words = options;
    words.insert(words.begin() + 1, {"-o", "run.flr"});
    // -o names the recording, so that the document goes to standard output.
    RunResult r = faultline(words);
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    json document = json::parse(r.out, nullptr, false);
    return document.is_object() ? document : json::object();
  }
  json verify() {
    RunResult r = faultline({"verify", "--json", "run.flr"});
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    json document = json::parse(r.out, nullptr, false);
    return document.is_object() ? document : json::object();
  }
  TempDir dir;
};

TEST_F(Last, TheEndOfALongRunReplaysFromAFileOfBoundedSize) {
  json made = record({"--last", "6M"}, 400, "crash"); // 26 MB of log
  EXPECT_LE(fs::file_size(dir / "run.flr"), 6'000'000u);
  EXPECT_GT(fs::file_size(dir / "run.flr"), 2'000'000u) << "it is used";
  EXPECT_EQ(made["caveats"].size(), 0u) << made["caveats"].dump();
  uint64_t start = made.value("start", uint64_t(0));
  EXPECT_GT(start, 100'000u);

  json report = verify();
  EXPECT_EQ(report["exact"], true);
  EXPECT_EQ(report["stats"]["start"], start);
  EXPECT_GT(report["stats"]["pagesChecked"], 10);
  EXPECT_THAT(faultline({"verify", "run.flr"}).out, HasSubstr("exact from instruction"));

  json shown = json::parse(faultline({"show", "--json", "run.flr", "--print", "done"}).out);
  EXPECT_EQ(shown["failure"]["kind"], "crash");
  EXPECT_EQ(shown["failure"]["place"]["function"], "main");
  EXPECT_THAT(shown.dump(), HasSubstr("400"));

  RunResult early = faultline({"show", "--at", "@5", "run.flr"});
  EXPECT_EQ(early.status, 1);
  EXPECT_THAT(early.err, HasSubstr(fmt::format("begins at instruction @{}", start)));
  EXPECT_EQ(std::count(early.err.begin(), early.err.end(), '\n'), 1);
  EXPECT_EQ(faultline({"show", "--at", "3:5", "run.flr"}).status, 1);
  EXPECT_EQ(faultline({"show", "--at", fmt::format("@{}", start), "run.flr"}).status, 0);
  EXPECT_EQ(faultline({"show", "--at", fmt::format("@{}", start + 1000), "run.flr"}).status, 0);
  EXPECT_THAT(faultline({"info", "run.flr"}).out, HasSubstr("only the end of the run"));
  EXPECT_EQ(faultline({"show", "--expect", "reader.c", "run.flr"}).status, 1);
}

TEST_F(Last, AShortRunIsKeptWhole) {
  json made = record({"--last", "20M"}, 20, "exit");
  EXPECT_EQ(made["start"], 0);
  EXPECT_EQ(made["caveats"].size(), 0u);
  EXPECT_EQ(verify()["stats"]["start"], 0);
  EXPECT_EQ(faultline({"show", "--at", "@5", "run.flr"}).status, 0);
}

TEST_F(Last, HoweverTheRunEnds) {
  record({"--last", "5M", "--timeout", "3"}, 200, "hang");
  EXPECT_GT(verify()["stats"]["start"], 0);
  record({"--last", "5M"}, 200, "kill");
  EXPECT_GT(verify()["stats"]["start"], 0);
  EXPECT_EQ(json::parse(faultline({"info", "--json", "run.flr"}).out)["end"]["signal"], "SIGKILL");
  json exited = record({"--last", "5M"}, 200, "exit");
  EXPECT_EQ(exited["end"]["status"], 3);
  EXPECT_GT(verify()["stats"]["start"], 0);
  EXPECT_LE(fs::file_size(dir / "run.flr"), 5'000'000u);
}

TEST_F(Last, AStateThatDoesNotFitIsSaid) {
  json made = record({"--last", "5M"}, 2500, "exit", 2000); // 8 MB of bytes that cannot be packed
  ASSERT_GE(made["caveats"].size(), 1u);
  EXPECT_THAT(made["caveats"][0].get<std::string>(), HasSubstr("the state of the program alone takes"));
  EXPECT_LE(fs::file_size(dir / "run.flr"), 5'000'000u);
  EXPECT_EQ(made["end"]["status"], 3) << "the program goes on";
}

TEST_F(Last, TheLimitHoldsToo) {
  record({"--last", "50M", "--limit", "6M"}, 300, "exit");
  EXPECT_LE(fs::file_size(dir / "run.flr"), 6'000'000u);
  EXPECT_GT(verify()["stats"]["start"], 0);
}

TEST_F(Last, WrongUsesGetOneLine) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--last", "100K"},
                                                  {"--last", "0"},
                                                  {"--last", "much"},
                                                  {"--last", "8M", "--children"},
                                                  {"--last", "8M", "--expect", "reader.c"}}) {
    std::vector<std::string> words = {"record", "-o", "bad.flr"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "./reader", "1", "exit", "1"});
    RunResult r = faultline(words);
    EXPECT_EQ(r.status, 1) << r.out << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_FALSE(fs::exists(dir / "bad.flr"));
  }
}

} // namespace
} // namespace faultline::test
